import ServerBase
import SyncBytes

/// What a list asks of a channel's counter: one of some values, or bounds.
public struct CounterCondition {
    public let key: String
    public let values: Set<Int64>?
    public let lowest: Int64
    public let highest: Int64

    public init(key: String, values: Set<Int64>?, lowest: Int64, highest: Int64) {
        self.key = key
        self.values = values
        self.lowest = lowest
        self.highest = highest
    }

    public func matches(_ counters: [(String, Int64)]) -> Bool {
        guard let value = counters.value(ofKey: key) else { return false }
        return value >= lowest && value <= highest && values.map { $0.contains(value) } ?? true
    }
}
