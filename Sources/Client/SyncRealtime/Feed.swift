import SyncModel
import SyncTree

/// One event stream of the service, and the value that it has told. All listens to its place, or to places within,
/// share it.
struct Feed {
    enum Connection {
        /// It is opened when its gate allows it.
        case closed
        case opening(stream: UInt64)
        /// When the last byte came, by the monotonic clock.
        case open(stream: UInt64, heardAt: Int64)
    }

    let id: UInt64
    let location: DatabaseLocation
    var connection = Connection.closed
    var parser = EventStreamParser()
    var gate = RetryGate()
    /// The value that the service has told, in this run or an earlier one; `nil` for none.
    var server: TreeNode?
    /// Whether the stream that is open has told the whole value.
    var isCurrent = false
    /// An upper bound of the value's bytes: its size when it was counted last, and all events since.
    var size = 0
    /// Since when the value differs from the kept one, by the monotonic clock.
    var unkeptSince: Int64?

    init(id: UInt64, location: DatabaseLocation, server: TreeNode?) {
        self.id = id
        self.location = location
        self.server = server
    }

    var stream: UInt64? {
        switch connection {
        case .closed: nil
        case .opening(let stream), .open(let stream, _): stream
        }
    }

    /// Whether the feed is current, and its stream has sent something since `time`.
    func isHeard(since time: Int64) -> Bool {
        guard isCurrent, case .open(_, let heardAt) = connection else { return false }
        return heardAt >= time
    }

    /// Whether its value holds all of a location. A location with a query is covered only by the feed of that query.
    func covers(_ other: DatabaseLocation) -> Bool {
        location == other || location.query == nil && other.query == nil && location.path.contains(other.path)
    }

    /// Whether a location, with any query, lies within this feed's place.
    func spans(_ other: DatabaseLocation) -> Bool { location.query == nil && location.path.contains(other.path) }

    /// The value of a location within, with the writes on top that are not told yet; `nil` when nothing is known.
    ///
    /// - Parameters:
    ///   - kept: the value of the location to use while the service has told nothing.
    ///   - laid: grows by the number of writes that were applied.
    func view(
        _ location: DatabaseLocation, _ writes: PendingWrites, kept: TreeNode? = nil, laid: inout Int
    ) -> TreeNode? {
        view(location, writes.touching(location.path, of: id), kept: kept, laid: &laid)
    }

    func view(_ location: DatabaseLocation, _ writes: PendingWrites) -> TreeNode? {
        var laid = 0
        return view(location, writes, laid: &laid)
    }

    /// The value of a location within, with some writes on top; `nil` when nothing is known.
    ///
    /// - Parameters:
    ///   - pending: the writes, in their order; those that touch the place are enough.
    ///   - kept: the value of the location to use while the service has told nothing.
    ///   - laid: grows by the number of writes that were applied.
    func view(
        _ location: DatabaseLocation, _ pending: [PendingWrite], kept: TreeNode? = nil, laid: inout Int
    ) -> TreeNode? {
        let path = location.path
        var touching: [PendingWrite] = []
        for index in pending.indices.reversed() where pending[index].touches(path) {
            touching.append(pending[index])
            if pending[index].replaces(path, of: id) { break }
        }
        let known = server?[self.location.path.relative(path)] ?? kept
        guard known != nil || touching.contains(where: { $0.covers(path) }) else { return nil }
        var node = known ?? .empty
        var applied: [TreePath] = []
        for write in touching.reversed() { write.apply(to: &node, at: path, of: id, &applied) }
        laid += touching.count
        return location.query?.tree.window(of: node) ?? node
    }
}
