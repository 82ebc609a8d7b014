import SyncTree

/// The writes that streams may not have told yet, in the order of their ids. They are found by the places that they
/// change: of many waiting writes, few touch any one place.
struct PendingWrites: RandomAccessCollection {
    private var writes: [PendingWrite] = []
    private var places = PathIndex()

    var startIndex: Int { 0 }
    var endIndex: Int { writes.count }

    /// The paths and values of a write are changed only by `put`.
    subscript(index: Int) -> PendingWrite {
        get { writes[index] }
        _modify { yield &writes[index] }
    }

    mutating func append(_ write: PendingWrite) {
        writes.append(write)
        for one in write.writes { places.insert(write.record.id, at: one.path) }
    }

    @discardableResult
    mutating func remove(at index: Int) -> PendingWrite {
        let write = writes.remove(at: index)
        for one in write.writes { places.remove(write.record.id, at: one.path) }
        return write
    }

    /// Changes the paths and values of a write.
    mutating func put(_ new: [TreeWrite], at index: Int) {
        let id = writes[index].record.id
        for one in writes[index].writes { places.remove(id, at: one.path) }
        for one in new { places.insert(id, at: one.path) }
        writes[index].writes = new
    }

    func index(of id: UInt64) -> Int? {
        var (start, end) = (0, writes.count)
        while start < end {
            let middle = (start + end) / 2
            if writes[middle].record.id < id { start = middle + 1 } else { end = middle }
        }
        return start < writes.count && writes[start].record.id == id ? start : nil
    }

    /// The writes that the service has accepted: since one at a time is sent, in their order, they are the first ones.
    var accepted: [PendingWrite] { Array(writes.prefix { $0.isAccepted }) }

    /// The writes that touch a place, in their order, without those that a later one hides.
    func touching(_ path: TreePath, of feed: UInt64) -> [PendingWrite] {
        places.numbers(touching: path) { id in index(of: id).map { writes[$0].replaces(path, of: feed) } ?? false }
            .compactMap { index(of: $0).map { writes[$0] } }
    }

    /// The widest place around a path that a write changes, or the path itself.
    func outermost(over path: TreePath) -> TreePath { places.widest(around: path) ?? path }
}
