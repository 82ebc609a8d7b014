import SyncTree

/// The state of a count: the value is read with its ETag, and the sum is written if the value still has that ETag. So a
/// count is made once, as long as the answer to that write arrives. When the answer is lost, the value is read again:
/// the same ETag means that nothing was written, and the sum means that it was. Any other value leaves this open, and
/// the count is made again. A restart also makes it again, since it is not kept that a sum was being written.
struct Count {
    /// What follows from the value that an answer brought.
    enum Step: Equatable {
        /// The sum of an earlier request is there.
        case isDone
        /// The sum is beyond 64 bits.
        case isTooLarge
        /// This sum is to be written; after a pause when others have changed the value too often.
        case write(TreeNode, pauses: Bool)
    }

    /// After so many changes by others in a row, the count pauses.
    private static let conflictLimit = 25

    let by: Int64
    /// Whether the request in flight writes the sum; otherwise the request reads the value.
    private(set) var isWriting = false
    /// The sum that was or will be written; `nil` while it is not known, and the count is shown on top of the current
    /// value.
    private(set) var sum: TreeNode?
    /// The ETag of the value that the sum was computed from.
    private var tag = ""
    /// Whether the answer to a write of the sum was lost: the service may have made this write.
    private var isUncertain = false
    /// How often others changed the value in between, since the last pause.
    private var conflicts = 0

    init(by: Int64) { self.by = by }

    /// The value after this count: the sum, if the value is a whole number; otherwise `by`, or 0 when that is negative.
    /// `nil` when the sum is beyond 64 bits: the service would make it a double, which the next count cannot add to.
    func added(to node: TreeNode) -> TreeNode? {
        guard case .integer(let present)? = node.leaf else { return TreeNode(.integer(max(0, by))) }
        let (sum, overflows) = present.addingReportingOverflow(by)
        return overflows ? nil : TreeNode(.integer(sum))
    }

    /// The sum that is to be written, and the ETag that the value must still have; `nil`: the value is to be read.
    var condition: (sum: TreeNode, tag: String)? {
        guard isWriting, let sum else { return nil }
        return (sum, tag)
    }

    /// Whether an answer with this status has the value. Any other status means the same as for every other write.
    func hasValue(_ status: Int) -> Bool {
        isWriting ? status == 412 : (200..<300).contains(status)
    }

    /// Takes the value of the place, and its ETag.
    mutating func take(_ node: TreeNode, tag: String) -> Step {
        if isUncertain, tag != self.tag, node == sum { return .isDone }
        guard let new = added(to: node) else { return .isTooLarge }
        if tag != self.tag { isUncertain = false }
        if isWriting { conflicts += 1 }
        self.tag = tag
        sum = new
        let pauses = conflicts >= Count.conflictLimit
        // After the pause the value is read again; until then no write of the sum is in flight.
        isWriting = !pauses
        if pauses { conflicts = 0 }
        return .write(new, pauses: pauses)
    }

    /// An answer had no value that can be read: the value is read again.
    mutating func readAgain() { isWriting = false }

    /// A request got no answer, or an error of the service: the sum may have been written.
    mutating func lose() {
        if isWriting { isUncertain = true }
        isWriting = false
    }

    /// The service has written the sum.
    mutating func finish(_ sum: TreeNode?) { self.sum = sum }
}
