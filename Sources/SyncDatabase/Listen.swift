import SyncTree

/// One place that the host listens to, and what it was told of it.
struct Listen {
    let id: UInt64
    let location: DatabaseLocation
    /// Whose value it shows.
    var feed: UInt64
    var told: (node: TreeNode, isCurrent: Bool)?

    init(id: UInt64, location: DatabaseLocation, feed: UInt64) {
        self.id = id
        self.location = location
        self.feed = feed
    }
}
