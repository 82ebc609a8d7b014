import SyncTree

/// A write of this client that may not be in what the service has told yet.
struct PendingWrite {
    enum State: Equatable {
        case waiting
        /// It was sent; the number is the request's.
        case sent(request: UInt64)
        /// The service has it. It is shown until streams have told it as well, or until this time: then what those tell
        /// that are open is something newer. A stream with a number behind `stamp` was asked for afterwards.
        case accepted(until: Int64, stamp: UInt64)
    }

    let record: QueuedWrite
    /// What is put where, by paths from the root; server values are an estimate until the service has answered.
    var writes: [TreeWrite] {
        didSet { plain = writes.map { $0.node.withoutPriorities() } }
    }
    /// The values of the writes as streams tell them.
    private var plain: [TreeNode]
    var state = State.waiting
    /// Which writes the stream of a feed has told since they were sent. What it tells after that is newer.
    var told: [UInt64: Set<Int>] = [:]
    /// How far a count is; `nil` for all other writes.
    var count: Count?

    init(record: QueuedWrite, writes: [TreeWrite]) {
        self.record = record
        self.writes = writes
        plain = writes.map { $0.node.withoutPriorities() }
    }

    init(record: QueuedWrite, count: Count) {
        self.init(record: record, writes: [TreeWrite(path: record.path, node: .empty)])
        self.count = count
    }

    /// Puts what this write changes into the value of a place. What a stream has told is left to the stream, unless an
    /// earlier write that it has not told was put over it: then the order of the writes counts.
    ///
    /// - Parameter applied: the paths that were changed by this and earlier writes.
    func apply(to node: inout TreeNode, at path: TreePath, of feed: UInt64, _ applied: inout [TreePath]) {
        let known = told[feed] ?? []
        for (index, write) in writes.enumerated() {
            if known.contains(index), !applied.contains(where: { $0.touches(write.path) }) { continue }
            if write.path.contains(path) {
                let rest = write.path.relative(path)
                node = rest.isRoot ? value(index, over: node) : value(index, over: .empty)[rest]
            } else if path.contains(write.path) {
                let rest = path.relative(write.path)
                node.set(rest, value(index, over: node[rest]))
            } else {
                continue
            }
            applied.append(write.path)
        }
    }

    /// What a write makes of a value.
    private func value(_ index: Int, over node: TreeNode) -> TreeNode {
        guard let count, count.sum == nil else { return writes[index].node }
        // A sum that is too large will be refused.
        return count.added(to: node) ?? node
    }

    /// What is put is not known before the sum of a count is.
    private var isCertain: Bool { count.map { $0.sum != nil } ?? true }

    /// The paths that a stream has told as this write left them.
    func toldPaths(of feed: UInt64) -> [TreePath] { (told[feed] ?? []).map { writes[$0].path } }

    /// Notes that a later write to one of these paths was told: so this one was before it.
    mutating func notice(laterAt paths: [TreePath], of feed: UInt64) {
        for (index, write) in writes.enumerated() where paths.contains(where: { $0.contains(write.path) }) {
            told[feed, default: []].insert(index)
        }
    }

    /// Whether both change one place.
    func touches(_ other: PendingWrite) -> Bool { writes.contains { other.touches($0.path) } }

    /// Notes which writes are there in what a stream has told of a place.
    mutating func notice(_ node: TreeNode, at path: TreePath, of feed: UInt64) {
        guard isCertain else { return }
        for (index, write) in writes.enumerated() {
            if path.contains(write.path) {
                if node[path.relative(write.path)] == plain[index] { told[feed, default: []].insert(index) }
            } else if write.path.contains(path) {
                if node == plain[index][write.path.relative(path)] { told[feed, default: []].insert(index) }
            }
        }
    }

    /// Notes that a stream's whole value has all of this.
    mutating func noticeAll(of feed: UInt64) { told[feed] = Set(writes.indices) }

    func touches(_ path: TreePath) -> Bool {
        writes.contains { $0.path.touches(path) }
    }

    /// Whether the value of a place is known by this write alone.
    func covers(_ path: TreePath) -> Bool { isCertain && writes.contains { $0.path.contains(path) } }

    /// Whether nothing shows of what was at a place before this write. Those after it that touch the place all lie over
    /// this one, so none of them is left to the stream, whatever was put before.
    func replaces(_ path: TreePath, of feed: UInt64) -> Bool { told[feed] == nil && covers(path) }
}
