import SyncTree

/// One place that the host listens to, and the value that the host was told.
struct Listen {
    let id: UInt64
    let location: DatabaseLocation
    /// The feed whose value it shows.
    var feed: UInt64
    /// The value that an earlier run has kept, for when its feed has none.
    let kept: TreeNode?
    var told: (node: TreeNode, isCurrent: Bool)?

    init(id: UInt64, location: DatabaseLocation, feed: UInt64, kept: TreeNode?) {
        self.id = id
        self.location = location
        self.feed = feed
        self.kept = kept
    }

    /// The values at these places within the listen, by paths from its place; `nil` when the whole value has to be
    /// computed again.
    ///
    /// - Parameter feed: the one whose value it shows.
    func parts(
        at places: [TreePath], _ feed: Feed, _ writes: PendingWrites, laid: inout Int
    ) -> [TreeWrite]? {
        guard location.query == nil, let server = feed.server, told?.isCurrent == feed.isCurrent else { return nil }
        let path = location.path
        var parts: [TreeWrite] = []
        for place in places where path.touches(place) {
            // Whether a write is shown depends on earlier ones that touch it, so the widest place that they change is
            // computed.
            let top = writes.outermost(over: place)
            guard path.contains(top), top != path else { return nil }
            // A leaf or a priority above the place is hidden while there are children, and shown again when they are
            // removed.
            var node = server[feed.location.path.relative(path)]
            for key in path.relative(top).keys {
                guard node.leaf == nil, node.priority == nil else { return nil }
                node = node[key]
            }
            guard let part = feed.view(DatabaseLocation(top), writes, laid: &laid) else { return nil }
            parts.append(TreeWrite(path: path.relative(top), node: part))
        }
        return parts
    }
}
