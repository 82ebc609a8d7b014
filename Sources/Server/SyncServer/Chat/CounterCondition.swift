/// What a list asks of a channel's counter: one of some values, or bounds.
struct CounterCondition {
    let key: String
    let values: Set<Int64>?
    let lowest: Int64
    let highest: Int64

    func matches(_ counters: [(String, Int64)]) -> Bool {
        guard let value = counters.first(where: { $0.0 == key })?.1 else { return false }
        return value >= lowest && value <= highest && values.map { $0.contains(value) } ?? true
    }
}
