import SyncModel
import SyncTree

extension DatabaseMachine {
    // MARK: What is known

    /// The value of a location as streams have told it, with own writes; with `isCurrent` only from streams that are
    /// open and have told their whole value.
    func view(_ location: DatabaseLocation, isCurrent: Bool) -> TreeNode? {
        let telling = feeds.ordered.filter { $0.isCurrent || !isCurrent }
        for feed in telling where feed.covers(location) {
            if let view = view(of: feed, location) { return view }
        }
        guard let query = location.query else { return nil }
        // When the whole place is known, so are the children of a query.
        let whole = DatabaseLocation(location.path)
        for feed in telling where feed.covers(whole) {
            if let view = view(of: feed, whole) { return query.tree.window(of: view) }
        }
        return nil
    }

    /// The value of a location within a feed, as the feed has told it, with the writes on top that touch it.
    func view(of feed: Feed, _ location: DatabaseLocation, kept: TreeNode? = nil) -> TreeNode? {
        feed.view(location, pending.touching(location.path, of: feed.id), kept: kept, laid: &laid)
    }

    /// The value of a location that is known from streams or from an earlier run, with own writes.
    func known(_ location: DatabaseLocation) -> TreeNode? {
        if let view = view(location, isCurrent: true) ?? view(location, isCurrent: false) { return view }
        return view(of: Feed(id: 0, location: location, server: kept(location)), location)
    }

    /// The kept value of a location: its own row, or a part of the row around it.
    func kept(_ location: DatabaseLocation) -> TreeNode? {
        if let query = location.query {
            if let own = keptValue(KeptPlace(location)) { return own }
            return keptWhole(location.path).map { query.tree.window(of: $0) }
        }
        return keptWhole(location.path)
    }

    private func keptWhole(_ path: TreePath) -> TreeNode? {
        // When a row is written, the rows within it are dropped. So of two rows the inner one is newer.
        let places = keep.places(touching: path).filter { $0.query.isEmpty && !isStale($0) }
            .sorted { $0.path.keys.count < $1.path.keys.count }
        guard let outer = places.last(where: { $0.path.contains(path) }), var node = keptValue(outer) else {
            return nil
        }
        node = node[outer.path.relative(path)]
        for inner in places where path.contains(inner.path) && inner.path != path {
            if let part = keptValue(inner) { node.set(path.relative(inner.path), part) }
        }
        return node
    }

    func keptValue(_ place: KeptPlace) -> TreeNode? {
        guard !isStale(place), let json = keep.value(at: place) else { return nil }
        return try? TreeReader.value(json, at: place.path, time: now.wall)
    }

    /// Whether a kept value may be outdated: a place around it has a newer value that could not be kept.
    private func isStale(_ place: KeptPlace) -> Bool {
        stale.contains { $0 == place || ($0.query.isEmpty && $0.path.contains(place.path)) }
    }

    // MARK: Keeping

    /// The writes that the service has accepted: since one at a time is sent, in their order, they are the first ones.
    var accepted: [PendingWrite] {
        Array(pending.prefix { if case .accepted = $0.state { true } else { false } })
    }

    /// Keeps the value that a feed's stream has told, with the writes that the service has accepted since; all other
    /// writes are kept in the queue.
    func keepValue(of id: UInt64) {
        guard let feed = feeds[id], feed.unkeptSince != nil else { return }
        feeds[id]?.unkeptSince = nil
        // A place within a wider stream is kept with that stream's value, since it is not known which of the two is
        // newer.
        let isPart = feeds.values.contains { $0.isCurrent && $0.location != feed.location && $0.spans(feed.location) }
        guard !isPart, let node = feed.view(feed.location, accepted, laid: &laid) else { return }
        // When it fails, it is tried again after the same time.
        if !store(node, KeptPlace(feed.location)) { feeds[id]?.unkeptSince = now.monotonic }
    }

    /// A wider stream has ended: the feeds within it are kept by themselves from now on.
    func keepValues(within id: UInt64) {
        guard let wider = feeds[id] else { return }
        for feed in feeds.values where feed.id != id && feed.isCurrent && wider.spans(feed.location) {
            feeds[feed.id]?.unkeptSince = feed.unkeptSince ?? now.monotonic
        }
    }

    /// Keeps a value. When that is not possible, the old one is dropped.
    @discardableResult
    private func store(_ node: TreeNode, _ place: KeptPlace, isChange: Bool = false) -> Bool {
        // A value that is too large is not kept, and the old one is dropped, since it is older.
        guard keep.keep(node.exported(limit: keep.valueLimit), at: place, isChange: isChange) else {
            drop(place)
            return false
        }
        stale.remove(place)
        return true
    }

    /// Drops the kept value of a place, which is not valid any more.
    func drop(_ place: KeptPlace) {
        stale.insert(place)
        clearKept()
    }

    /// Puts an accepted write into the kept values, before the write itself is removed.
    func keepAccepted(_ write: PendingWrite) {
        for id in feeds.ids where feeds[id].map({ write.touches($0.location.path) }) == true {
            feeds[id]?.unkeptSince = now.monotonic
            keepValue(of: id)
        }
        let fed = Set(feeds.values.map { KeptPlace($0.location) })
        for place in keep.places(touching: write.record.path) where !fed.contains(place) && write.touches(place.path) {
            // The write may have changed which children a query has.
            guard place.query.isEmpty, var node = keptValue(place) else {
                drop(place)
                continue
            }
            var applied: [TreePath] = []
            write.apply(to: &node, at: place.path, of: 0, &applied)
            store(node, place, isChange: true)
        }
        for (request, read) in reads where write.touches(read.location.path) {
            reads[request]?.isOutdated = true
            reads[request]?.acceptedSince.append(write)
        }
    }

    /// Keeps the answer to a read, unless a stream tells of the place, or something newer is known.
    func keepAnswer(_ read: Read, _ node: TreeNode) {
        for (request, other) in reads where other.id < read.id && other.location.path.touches(read.location.path) {
            reads[request]?.isOutdated = true
        }
        guard !read.isOutdated, !feeds.values.contains(where: { $0.location.path.touches(read.location.path) })
        else { return }
        let node = read.isShallow ? node.shallow() : node
        store(read.location.query?.tree.window(of: node) ?? node, KeptPlace(read.location, isShallow: read.isShallow))
    }

    // MARK: Endings

    /// A write has ended: it is not kept any longer.
    func ended(_ id: UInt64, _ failure: DatabaseFailure?) {
        output(.writeEnded(id: id, failure))
        unforgotten.append(id)
        clearKept()
    }

    /// Tries again to remove what could not be removed before.
    func clearKept() {
        guard !unforgotten.isEmpty || !stale.isEmpty, keepGate.isOpen(at: now.monotonic) else { return }
        stale = stale.filter { !keep.keep(nil, at: $0, isChange: false) }
        // A kept value may lack a write that has ended. Until that value is removed, the write stays, and a restart
        // would send it again.
        while stale.isEmpty, let first = unforgotten.first, keep.forget(write: first) { unforgotten.removeFirst() }
        if unforgotten.isEmpty, stale.isEmpty {
            keepGate.succeed()
        } else {
            keepGate.fail(nil, at: now.monotonic, random)
        }
    }
}
