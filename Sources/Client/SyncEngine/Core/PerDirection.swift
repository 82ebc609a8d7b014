import SyncModel

/// At most one value for each direction of a list.
struct PerDirection<Value> {
    private var previous: Value?
    private var next: Value?

    var isEmpty: Bool { previous == nil && next == nil }

    subscript(direction: PageDirection) -> Value? {
        get { direction == .previous ? previous : next }
        set { if direction == .previous { previous = newValue } else { next = newValue } }
    }
}
