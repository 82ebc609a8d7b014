import SyncModel
import SyncTree

/// What is kept over a restart: the writes, and values that the service has told, with the accepted writes.
///
/// A write is kept before it is shown, and none is sent before all that have ended are removed. So a restart repeats
/// only the last write that was sent.
struct KeptPlaces {
    private let keep: any DatabaseKeep
    /// Writes that have ended and are still kept, in their order.
    private var ended: [UInt64] = []
    /// Places whose kept value is not valid any more and could not be dropped yet.
    private var stale: Set<KeptPlace> = []
    /// When the removal of these writes and values is tried again.
    private var gate = RetryGate()

    init(_ keep: any DatabaseKeep) { self.keep = keep }

    // MARK: Writes

    /// Keeps a write; `false` when that is not possible.
    func keep(_ record: QueuedWrite) -> Bool { keep.keep(record) }

    /// A write has ended: it is not kept any longer.
    mutating func end(_ write: UInt64, _ turn: DatabaseTurn) {
        ended.append(write)
        clear(turn)
    }

    /// Whether a write that has ended is still kept.
    func isKept(ended write: UInt64) -> Bool { ended.contains(write) }

    /// Whether no write that has ended is still kept.
    var isClear: Bool { ended.isEmpty }

    /// Tries again to remove what could not be removed before.
    mutating func clear(_ turn: DatabaseTurn) {
        guard !ended.isEmpty || !stale.isEmpty, gate.isOpen(at: turn.now.monotonic) else { return }
        stale = stale.filter { !keep.keep(nil, at: $0, isChange: false) }
        // A kept value may lack a write that has ended. Until that value is removed, the write stays, and a restart
        // would send it again.
        while stale.isEmpty, let first = ended.first, keep.forget(write: first) { ended.removeFirst() }
        if ended.isEmpty, stale.isEmpty {
            gate.succeed()
        } else {
            gate.fail(nil, at: turn.now.monotonic, turn.random)
        }
    }

    /// When the removal is tried again, by the monotonic clock.
    var nextDeadline: Int64? { ended.isEmpty && stale.isEmpty ? nil : gate.pausedUntil }

    /// The host has signed out, and all that was kept is gone.
    mutating func signOut() { (ended, stale) = ([], []) }

    // MARK: Values

    /// The kept value of a location: its own row, or a part of the row around it.
    func value(of location: DatabaseLocation, _ now: Moment) -> TreeNode? {
        if let query = location.query {
            if let own = value(at: KeptPlace(location), now) { return own }
            return whole(location.path, now).map { query.tree.window(of: $0) }
        }
        return whole(location.path, now)
    }

    private func whole(_ path: TreePath, _ now: Moment) -> TreeNode? {
        // When a row is written, the rows within it are dropped. So of two rows the inner one is newer.
        let places = keep.places(touching: path).filter { $0.query.isEmpty && !isStale($0) }
            .sorted { $0.path.keys.count < $1.path.keys.count }
        guard let outer = places.last(where: { $0.path.contains(path) }), var node = value(at: outer, now) else {
            return nil
        }
        node = node[outer.path.relative(path)]
        for inner in places where path.contains(inner.path) && inner.path != path {
            if let part = value(at: inner, now) { node.set(path.relative(inner.path), part) }
        }
        return node
    }

    /// What is kept of exactly this place.
    func value(at place: KeptPlace, _ now: Moment) -> TreeNode? {
        guard !isStale(place), let json = keep.value(at: place) else { return nil }
        return try? TreeReader.value(json, at: place.path, time: now.wall)
    }

    /// Whether a kept value may be outdated: a place around it has a newer value that could not be kept.
    private func isStale(_ place: KeptPlace) -> Bool {
        stale.contains { $0 == place || ($0.query.isEmpty && $0.path.contains(place.path)) }
    }

    /// Keeps a value; when that is not possible, the old one is dropped, and the result is `false`.
    ///
    /// - Parameter isChange: the value is the kept one with a change.
    @discardableResult
    mutating func store(
        _ node: TreeNode, at place: KeptPlace, isChange: Bool = false, _ turn: DatabaseTurn
    ) -> Bool {
        // A value that is too large is not kept, and the old one is dropped, since it is older.
        guard keep.keep(node.exported(limit: keep.valueLimit), at: place, isChange: isChange) else {
            drop(place, turn)
            return false
        }
        stale.remove(place)
        return true
    }

    /// Drops the kept value of a place, which is not valid any more.
    mutating func drop(_ place: KeptPlace, _ turn: DatabaseTurn) {
        stale.insert(place)
        clear(turn)
    }

    /// Puts an accepted write into the kept values, before the write itself is removed.
    ///
    /// - Parameter others: these places are left out, since the feeds keep their values themselves.
    mutating func put(_ write: PendingWrite, except others: Set<KeptPlace>, _ turn: DatabaseTurn) {
        let places = keep.places(touching: write.record.path).filter { !others.contains($0) }
        for place in places where write.touches(place.path) {
            // The write may have changed which children a query has.
            guard place.query.isEmpty, var node = value(at: place, turn.now) else {
                drop(place, turn)
                continue
            }
            write.apply(to: &node, at: place.path)
            store(node, at: place, isChange: true, turn)
        }
    }
}
