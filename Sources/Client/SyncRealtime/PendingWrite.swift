import SyncTree

/// A write of this client that the service may not have told yet.
struct PendingWrite {
    enum State: Equatable {
        case waiting
        /// It was sent; the number is the request's.
        case sent(request: UInt64)
        /// The service has accepted it. It is shown until streams have told it, too, or until this time: after that,
        /// open streams have something newer. A stream with a number after `stamp` was opened after the write was
        /// accepted.
        case accepted(until: Int64, stamp: UInt64)
    }

    let record: QueuedWrite
    /// The values to write, by paths from the root; server values are an estimate until the service has answered.
    var writes: [TreeWrite] {
        didSet { plain = writes.map { $0.node.withoutPriorities() } }
    }
    /// The values of the writes as streams tell them.
    private var plain: [TreeNode]
    var state = State.waiting
    /// Which of `writes` the stream of a feed has told since they were sent. What it tells after that is newer.
    var told: [UInt64: Set<Int>] = [:]
    /// The state of a count; `nil` for all other writes.
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

    /// Reads a write, with its server values as estimated here.
    ///
    /// - Parameters:
    ///   - existing: the known value of the place, for server values.
    ///   - time: the wall clock, for server values.
    /// - Throws: when the record is not a valid write.
    init(_ record: QueuedWrite, over existing: TreeNode, time: Int64) throws(TreeError) {
        let path = record.path
        switch record.kind {
        case .count:
            guard let by = Int64(String(decoding: record.body, as: UTF8.self)) else { throw TreeError(.number) }
            self.init(record: record, count: Count(by: by))
        case .set:
            let node = try TreeReader.value(record.body, at: path, time: time, existing: existing)
            self.init(record: record, writes: [TreeWrite(path: path, node: node)])
        case .update:
            let writes = try TreeReader.update(record.body, at: path, time: time, existing: existing)
            self.init(record: record, writes: writes.map { TreeWrite(path: path + $0.path, node: $0.node) })
        }
    }

    /// The service has accepted it.
    var isAccepted: Bool { if case .accepted = state { true } else { false } }

    /// Applies this write to the value of a place. A part that the stream has told is not applied again, unless an
    /// earlier write that the stream has not told was applied over it: then the order of the writes decides.
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

    /// Applies this write to the value of a place of which no stream tells.
    func apply(to node: inout TreeNode, at path: TreePath) {
        var applied: [TreePath] = []
        apply(to: &node, at: path, of: 0, &applied)
    }

    /// The value after this write, on top of `node`.
    private func value(_ index: Int, over node: TreeNode) -> TreeNode {
        guard let count, count.sum == nil else { return writes[index].node }
        // A sum that is too large will be refused.
        return count.added(to: node) ?? node
    }

    /// Whether the written value is known: that of a count is known only when its sum is.
    private var isCertain: Bool { count.map { $0.sum != nil } ?? true }

    /// The paths that a stream has told as this write left them.
    func toldPaths(of feed: UInt64) -> [TreePath] { (told[feed] ?? []).map { writes[$0].path } }

    /// Notes that a later write to one of these paths was told, so that this one counts as told, too.
    mutating func notice(laterAt paths: [TreePath], of feed: UInt64) {
        for (index, write) in writes.enumerated() where paths.contains(where: { $0.contains(write.path) }) {
            told[feed, default: []].insert(index)
        }
    }

    /// Whether both change one place.
    func touches(_ other: PendingWrite) -> Bool { writes.contains { other.touches($0.path) } }

    /// Notes which of the writes are in a value that a stream has told.
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

    /// Notes that a stream's whole value includes this write.
    mutating func noticeAll(of feed: UInt64) { told[feed] = Set(writes.indices) }

    /// Whether the stream of a feed, which tells of this place, has told all of it that touches the place.
    func isTold(by feed: UInt64, at path: TreePath) -> Bool {
        let known = told[feed] ?? []
        return writes.indices.allSatisfy { !path.touches(writes[$0].path) || known.contains($0) }
    }

    func touches(_ path: TreePath) -> Bool {
        writes.contains { $0.path.touches(path) }
    }

    /// Whether the value of a place is known by this write alone.
    func covers(_ path: TreePath) -> Bool { isCertain && writes.contains { $0.path.contains(path) } }

    /// Whether this write hides all that was at a place before it. The stream has told nothing of this write, so it is
    /// applied, and later writes that touch the place are applied over it: earlier writes do not change the result.
    func replaces(_ path: TreePath, of feed: UInt64) -> Bool { told[feed] == nil && covers(path) }
}
