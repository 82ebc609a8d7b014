import SyncModel
import SyncTree

/// One stream of the service, and what it has told. Whoever listens to its place, or to a place within, shares it.
struct Feed {
    enum Connection {
        /// To be opened when its gate lets it.
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
    /// What the service has told, in this run or an earlier one; `nil` when it never has.
    var server: TreeNode?
    /// Whether the stream that is open has told the whole value.
    var isCurrent = false
    /// The most bytes that the value can take: what it took when it was counted, and all events since.
    var size = 0
    /// Since when the value is another one than what is kept of it, by the monotonic clock.
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

    /// Whether it is current, and the stream has said something since.
    func isHeard(since time: Int64) -> Bool {
        guard isCurrent, case .open(_, let heardAt) = connection else { return false }
        return heardAt >= time
    }

    /// Whether its value holds all of a location. A query's own children come by a stream of its own.
    func covers(_ other: DatabaseLocation) -> Bool {
        location == other || location.query == nil && other.query == nil && location.path.contains(other.path)
    }

    /// Whether all of a location, by whatever query, is part of what this is about.
    func spans(_ other: DatabaseLocation) -> Bool { location.query == nil && location.path.contains(other.path) }

    /// What there is at a location within, with the writes that are under way; `nil` when nothing is known.
    ///
    /// - Parameters:
    ///   - pending: the writes, in their order; those that touch the place are enough.
    ///   - kept: what is known of the location while the service has told nothing.
    ///   - laid: grows by the writes that were looked into.
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
