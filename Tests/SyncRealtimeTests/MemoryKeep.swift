import SyncRealtime
import SyncTree

/// Keeps in memory, by the rules of the store, and fails when it is told to.
final class MemoryKeep: DatabaseKeep {
    private(set) var writes: [UInt64: QueuedWrite] = [:]
    private(set) var values: [KeptPlace: [UInt8]] = [:]
    /// Asked at each change, which is not made when it says so.
    var isFailing: () -> Bool = { false }

    init() {}

    /// The writes in their order.
    var ordered: [QueuedWrite] { writes.values.sorted { $0.id < $1.id } }

    func keep(_ write: QueuedWrite) -> Bool {
        guard !isFailing(), writes[write.id] == nil else { return false }
        writes[write.id] = write
        return true
    }

    func forget(write id: UInt64) -> Bool {
        guard !isFailing() else { return false }
        writes[id] = nil
        return true
    }

    let valueLimit = 1 << 20

    func value(at place: KeptPlace) -> [UInt8]? { values[place] }

    func keep(_ value: [UInt8]?, at place: KeptPlace, isChange: Bool) -> Bool {
        guard !isFailing() else { return false }
        if !isChange, place.query.isEmpty {
            values = values.filter { !place.path.contains($0.key.path) }
        }
        values[place] = value
        return true
    }

    func places(touching path: TreePath) -> [KeptPlace] {
        values.keys.filter { $0.path.touches(path) }.sorted { ($0.path.text, $0.query) < ($1.path.text, $1.query) }
    }
}
