/// Elements in the order they came. Taking one costs the same however many wait.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var head = 0
    /// The position of the element at the front: how many were taken so far.
    private(set) var front = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { elements.count == head }
    var first: Element? { isEmpty ? nil : elements[head] }
    var last: Element? { isEmpty ? nil : elements.last ?? nil }

    /// Appends, and gives the position by which the element can be replaced while it waits.
    @discardableResult
    mutating func append(_ element: Element) -> Int {
        elements.append(element)
        return front + count - 1
    }

    /// The element at a position, if it still waits.
    subscript(position: Int) -> Element? {
        position >= front && position - front < count ? elements[head + position - front] : nil
    }

    /// Replaces an element that waits.
    mutating func replace(at position: Int, with element: Element) {
        guard position >= front, position - front < count else { return }
        elements[head + position - front] = element
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        // The element is moved out: it may be large, and a copy would retain everything in it.
        var element: Element?
        swap(&element, &elements[head])
        head += 1
        front += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 4096)
            head = 0
        } else if head > 4096, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
