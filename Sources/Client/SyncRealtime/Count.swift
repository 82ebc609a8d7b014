import SyncTree

/// The state of a count: the value is read, and the sum is written under the ETag of the value that was read, so that
/// no client's count is lost.
struct Count {
    let by: Int64
    /// The request in flight writes the sum; otherwise it reads the value.
    var isWriting = false
    /// The sum that was or will be written; `nil` while it is not known, and the count is shown on top of the current
    /// value.
    var sum: TreeNode?
    /// The ETag of the value that the sum was computed from.
    var tag = ""
    /// The answer to a write of the sum was lost: it may have been done.
    var isUncertain = false
    /// How often others changed the value in between, since the last pause.
    var conflicts = 0

    init(by: Int64) { self.by = by }

    /// The value after this count: the sum with a whole number, otherwise the first count; `nil` when the sum is beyond
    /// 64 bits. The service would make a double of it, which is not a whole number for the next count.
    func added(to node: TreeNode) -> TreeNode? {
        guard case .integer(let present)? = node.leaf else { return TreeNode(.integer(max(0, by))) }
        let (sum, overflows) = present.addingReportingOverflow(by)
        return overflows ? nil : TreeNode(.integer(sum))
    }
}
