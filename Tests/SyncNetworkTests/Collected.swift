import Foundation

/// Things that one thread gathers and another waits for, without sleeping.
final class Collected<Element>: @unchecked Sendable {
    private let condition = NSCondition()
    private var elements: [Element] = []

    func append(_ element: Element) {
        condition.lock()
        elements.append(element)
        condition.broadcast()
        condition.unlock()
    }

    var all: [Element] {
        condition.lock()
        defer { condition.unlock() }
        return elements
    }

    /// Waits until `isEnough`, at most `seconds`; returns what is there then.
    @discardableResult
    func wait(_ seconds: Double = 20, until isEnough: ([Element]) -> Bool) -> [Element] {
        let deadline = Date().addingTimeInterval(seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isEnough(elements), condition.wait(until: deadline) {}
        return elements
    }

    @discardableResult
    func wait(_ seconds: Double = 20, count: Int) -> [Element] {
        wait(seconds) { $0.count >= count }
    }
}
