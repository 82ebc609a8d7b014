import SyncTree

/// One write to a database, with the whole value before and after it.
struct DatabaseChange {
    /// The place of the write: one value at the place itself, or several below it by an update.
    let base: TreePath
    /// Paths from the base.
    let writes: [TreeWrite]
    let isUpdate: Bool
    let before: TreeNode
    let after: TreeNode

    init(base: TreePath, writes: [TreeWrite], isUpdate: Bool, before: TreeNode) {
        self.base = base
        self.writes = writes
        self.isUpdate = isUpdate
        self.before = before
        var after = before
        for write in writes { after.set(base + write.path, write.node) }
        self.after = after
    }
}
