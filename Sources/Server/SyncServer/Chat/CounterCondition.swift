import ServerHTTP

/// What a list asks of a channel's counter: one of some values, or bounds.
struct CounterCondition {
    private let key: String
    private let values: Set<Int64>?
    private let lowest: Int64
    private let highest: Int64

    /// `nil` when the query asks for no counter.
    init?(_ query: RequestQuery) throws {
        key = query.text("metacounter_key")
        guard !key.isEmpty else { return nil }
        values = query.choice("metacounter_values").map { Set($0.compactMap { Int64($0) }) }
        var lowest = try query.int("metacounter_value_gte") ?? .min
        var highest = try query.int("metacounter_value_lte") ?? .max
        if let above = try query.int("metacounter_value_gt") { lowest = max(lowest, above == .max ? .max : above + 1) }
        if let below = try query.int("metacounter_value_lt") {
            highest = min(highest, below == .min ? .min : below - 1)
        }
        self.lowest = lowest
        self.highest = highest
    }

    func matches(_ counters: [(String, Int64)]) -> Bool {
        guard let value = counters.first(where: { $0.0 == key })?.1 else { return false }
        return value >= lowest && value <= highest && values.map { $0.contains(value) } ?? true
    }
}
