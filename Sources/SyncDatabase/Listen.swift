import SyncModel
import SyncTree

/// One place that is listened to: the stream, what it has told, and what the host was told.
struct Listen {
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
    /// What the service has told; `nil` before the first event of the first stream.
    var server: TreeNode?
    /// Whether the stream that is open has told the whole value.
    var isCurrent = false
    var told: (node: TreeNode, isCurrent: Bool)?

    init(id: UInt64, location: DatabaseLocation) {
        self.id = id
        self.location = location
    }

    var stream: UInt64? {
        switch connection {
        case .closed: nil
        case .opening(let stream), .open(let stream, _): stream
        }
    }

    /// What there is, with the writes that are under way; `nil` when nothing is known.
    func view(_ pending: [PendingWrite]) -> TreeNode? {
        let touching = pending.filter { $0.touches(location.path) }
        guard server != nil || touching.contains(where: { $0.covers(location.path) }) else { return nil }
        var node = server ?? .empty
        var applied: [TreePath] = []
        for write in touching { write.apply(to: &node, at: location.path, of: id, &applied) }
        guard let query = location.query else { return node }
        return query.tree.window(of: node)
    }
}
