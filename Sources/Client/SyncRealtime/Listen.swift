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
}
