import SyncTree

/// A count on its way: the sum is read and written under the tag of what was read, so that nobody's count is lost.
struct Count {
    let by: Int64
    /// The request under way writes the sum; otherwise it reads what is there.
    var isWriting = false
    /// What was written or is to be; `nil` while what is shown is an estimate over whatever is there.
    var sum: TreeNode?
    /// What the service called the value that the sum is of.
    var tag = ""
    /// The answer to a write of the sum was lost: it may have been done.
    var isUncertain = false
    /// Values of others that came in between since the last pause.
    var conflicts = 0

    init(by: Int64) { self.by = by }

    /// What this makes of a value: the sum with a whole number, otherwise the first count; `nil` when the sum is beyond
    /// 64 bits. As a double, which the service makes of such an increment, it would be no whole number for the next
    /// count.
    func added(to node: TreeNode) -> TreeNode? {
        guard case .integer(let present)? = node.leaf else { return TreeNode(.integer(max(0, by))) }
        let (sum, overflows) = present.addingReportingOverflow(by)
        return overflows ? nil : TreeNode(.integer(sum))
    }
}
