import SyncTree

/// One place that the host listens to, and what it was told of it.
struct Listen {
    let id: UInt64
    let location: DatabaseLocation
    /// Whose value it shows.
    var feed: UInt64
    /// What an earlier run has kept of it, where its feed knows nothing.
    let kept: TreeNode?
    var told: (node: TreeNode, isCurrent: Bool)?

    init(id: UInt64, location: DatabaseLocation, feed: UInt64, kept: TreeNode?) {
        self.id = id
        self.location = location
        self.feed = feed
        self.kept = kept
    }
}
