import SyncModel
import SyncTree

extension DatabaseMachine {
    // MARK: What is known

    /// What streams tell of a location, own writes included; with `isCurrent` only of those that are being heard.
    func view(_ location: DatabaseLocation, isCurrent: Bool) -> TreeNode? {
        let telling = orderedFeeds.filter { $0.isCurrent || !isCurrent }
        for feed in telling where feed.covers(location) {
            if let view = view(of: feed, location) { return view }
        }
        guard let query = location.query else { return nil }
        // All of a place is known, so a part of it is.
        let whole = DatabaseLocation(location.path)
        for feed in telling where feed.covers(whole) {
            if let view = view(of: feed, whole) { return query.tree.window(of: view) }
        }
        return nil
    }

    /// What a feed has told of a location within, with the writes on top that touch it.
    func view(of feed: Feed, _ location: DatabaseLocation, kept: TreeNode? = nil) -> TreeNode? {
        feed.view(location, pending.touching(location.path, of: feed.id), kept: kept, laid: &laid)
    }

    /// What is known of a location, by streams or from an earlier run, own writes included.
    func known(_ location: DatabaseLocation) -> TreeNode? {
        if let view = view(location, isCurrent: true) ?? view(location, isCurrent: false) { return view }
        return view(of: Feed(id: 0, location: location, server: kept(location)), location)
    }

    /// What is kept of a location: its own row, or part of the row around it.
    func kept(_ location: DatabaseLocation) -> TreeNode? {
        if let query = location.query {
            if let own = keptValue(KeptPlace(location)) { return own }
            return keptWhole(location.path).map { query.tree.window(of: $0) }
        }
        return keptWhole(location.path)
    }

    private func keptWhole(_ path: TreePath) -> TreeNode? {
        // A row drops those within it when it is written: of two, the inner one is newer.
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

    /// What is kept within a place that could not be kept may be older than what was known of that.
    private func isStale(_ place: KeptPlace) -> Bool {
        stale.contains { $0 == place || ($0.query.isEmpty && $0.path.contains(place.path)) }
    }

    // MARK: Keeping

    /// The writes that the service has accepted: since one at a time is sent, in their order, they are the first ones.
    var accepted: [PendingWrite] {
        Array(pending.prefix { if case .accepted = $0.state { true } else { false } })
    }

    /// Keeps what a feed's stream has told, with what the service has accepted since; other writes are kept themselves.
    func keepValue(of id: UInt64) {
        guard let feed = feeds[id], feed.unkeptSince != nil else { return }
        feeds[id]?.unkeptSince = nil
        // What a wider stream tells is kept with that one: which of both is ahead, nobody knows.
        let isPart = feeds.values.contains { $0.isCurrent && $0.location != feed.location && $0.spans(feed.location) }
        guard !isPart, let node = feed.view(feed.location, accepted, laid: &laid) else { return }
        // Tried again after the same time.
        if !store(node, KeptPlace(feed.location)) { feeds[id]?.unkeptSince = now.monotonic }
    }

    /// The wider stream is not heard any more: those within go on alone.
    func keepValues(within id: UInt64) {
        guard let wider = feeds[id] else { return }
        for feed in feeds.values where feed.id != id && feed.isCurrent && wider.spans(feed.location) {
            feeds[feed.id]?.unkeptSince = feed.unkeptSince ?? now.monotonic
        }
    }

    /// When that is not possible, what was kept is to go.
    @discardableResult
    private func store(_ node: TreeNode, _ place: KeptPlace, isChange: Bool = false) -> Bool {
        // A value that is too large takes the place of nothing: what was kept of it is older.
        guard keep.keep(node.exported(limit: keep.valueLimit), at: place, isChange: isChange) else {
            drop(place)
            return false
        }
        stale.remove(place)
        return true
    }

    /// What is kept of a place is not true any more.
    func drop(_ place: KeptPlace) {
        stale.insert(place)
        clearKept()
    }

    /// Puts what the service has accepted into what is kept, before the write itself is kept no longer.
    func keepAccepted(_ write: PendingWrite) {
        for id in feeds.keys.sorted() where feeds[id].map({ write.touches($0.location.path) }) == true {
            feeds[id]?.unkeptSince = now.monotonic
            keepValue(of: id)
        }
        let fed = Set(feeds.values.map { KeptPlace($0.location) })
        for place in keep.places(touching: write.record.path) where !fed.contains(place) && write.touches(place.path) {
            // A query's children may be others now.
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
        var node = node
        var applied: [TreePath] = []
        for write in accepted { write.apply(to: &node, at: read.location.path, of: 0, &applied) }
        if read.isShallow { node = node.shallow() }
        store(read.location.query?.tree.window(of: node) ?? node, KeptPlace(read.location, isShallow: read.isShallow))
    }

    // MARK: Endings

    /// A write has ended, and need not be kept any longer.
    func ended(_ id: UInt64, _ failure: DatabaseFailure?) {
        output(.writeEnded(id: id, failure))
        unforgotten.append(id)
        clearKept()
    }

    /// Tries to get rid of what is kept and should not be.
    func clearKept() {
        guard !unforgotten.isEmpty || !stale.isEmpty, keepGate.isOpen(at: now.monotonic) else { return }
        stale = stale.filter { !keep.keep(nil, at: $0, isChange: false) }
        // What is kept of a place may lack a write that has ended: until that is gone, the write is sent again.
        while stale.isEmpty, let first = unforgotten.first, keep.forget(write: first) { unforgotten.removeFirst() }
        if unforgotten.isEmpty, stale.isEmpty {
            keepGate.succeed()
        } else {
            keepGate.fail(nil, at: now.monotonic, random)
        }
    }
}
