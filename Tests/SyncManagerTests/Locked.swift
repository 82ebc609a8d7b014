import Foundation

/// A value that two threads share.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func set(_ value: Value) { lock.withLock { self.value = value } }
    func update(_ change: (Value) -> Value) { lock.withLock { value = change(value) } }
    func get() -> Value { lock.withLock { value } }
}
