import SyncModel
import SyncStore

extension Engine {
    /// Time a fetch may wait for sync, as a multiple of the request timeout.
    private static let fetchPatience: Int64 = 3

    func fetch(_ id: UInt64, _ direction: HostCommand.Direction, _ call: UInt64) {
        if let view = channelViews[id] { return fetchChannels(view, call: call) }
        guard let view = messageViews[id] else { return complete(call, "fetch", .removed) }
        // Without one the store failed when the view was opened.
        let known = timelines[view.channelURL].flatMap { $0.views.contains { $0 === view } ? $0 : nil }
        guard let timeline = known ?? attach(view) else { return complete(call, "fetch", .storage) }
        guard view.fetches[direction] == nil else { return complete(call, "fetch", .duplicatedFetch, info: view.info) }
        view.fetches[direction] = MessageView.Fetch(call: call, wanted: view.filter.limit)
        timers.set(.fetch(call), at: now.monotonic + options.requestTimeout * Engine.fetchPatience)
        serve(view, in: timeline, direction)
        if view.fetches[direction] != nil { pump(timeline) }
    }

    func fetchTimedOut(_ call: UInt64) {
        for view in sortedMessageViews {
            for direction in [HostCommand.Direction.previous, .next] where view.fetches[direction]?.call == call {
                finishFetch(view, direction, .timeout, short: "error")
            }
        }
    }

    /// The chunk a view reads from. Without a chunk at its viewpoint the nearest cached one below stands in, unless the
    /// service can be asked for what really is there. At the newest point that is so once the gap has been asked for.
    func source(of view: MessageView, in timeline: Timeline) -> Int? {
        if let home = timeline.home(of: view) { return home }
        if canSync, view.viewpoint != Int64.max || timeline.step == .sync { return nil }
        return timeline.chunks.index(atOrBelow: view.anchor)
    }

    /// Gives a waiting fetch what the cache has; completes it when it is satisfied or when nothing more can come.
    func serve(_ view: MessageView, in timeline: Timeline, _ direction: HostCommand.Direction) {
        guard let fetch = view.fetches[direction] else { return }
        guard let home = source(of: view, in: timeline) else {
            if !mayStillSync { finishFetch(view, direction, .ok, short: shortReason) }
            return
        }
        let chunk = timeline.chunks.chunks[home]
        // One row more than is shown tells whether there is more, without a second query.
        let found: [MessageRow]? = stored { () throws(StoreError) in
            switch direction {
            case .previous: try rowsBefore(view, chunk, timeline.channelKey, limit: fetch.wanted + 1)
            case .next: try rowsAfter(view, chunk, timeline.channelKey, limit: fetch.wanted + 1)
            }
        }
        guard var rows = found else { return finishFetch(view, direction, .storage, short: nil) }
        let hasMore = rows.count > fetch.wanted
        if hasMore {
            if direction == .previous { rows.removeFirst() } else { rows.removeLast() }
        }
        view.isLoaded = true
        attach(rows, to: view, direction, source: .cache)
        let wanted = fetch.wanted - rows.count
        view.fetches[direction]?.wanted = wanted
        updateEdges(view, timeline, known: (direction, hasMore))
        if wanted <= 0 { return finishFetch(view, direction, .ok, short: nil) }
        let isAtEnd = direction == .previous ? chunk.reachedFirst : chunk.reachedNewest
        if isAtEnd {
            finishFetch(view, direction, .ok, short: nil)
        } else if !mayStillSync {
            finishFetch(view, direction, .ok, short: shortReason)
        }
    }

    /// Why a fetch ends with less than it wanted.
    var shortReason: String { isSyncPaused ? "paused" : "offline" }

    private func rowsBefore(
        _ view: MessageView, _ chunk: ChunkList.Chunk, _ key: Int64, limit: Int
    ) throws(StoreError) -> [MessageRow] {
        let upper = view.shown.first?.position ?? view.stand
        if !chunk.reachedFirst, upper <= chunk.start { return [] }
        return try cache.messagesBefore(
            min(upper, chunk.pastEnd), notBefore: chunk.reachedFirst ? .first : chunk.start, channel: key,
            filter: view.filter, limit: limit)
    }

    private func rowsAfter(
        _ view: MessageView, _ chunk: ChunkList.Chunk, _ key: Int64, limit: Int
    ) throws(StoreError) -> [MessageRow] {
        let lower = view.shown.last?.position ?? view.stand
        if lower >= chunk.end { return [] }
        return try cache.messagesAfter(
            max(lower, chunk.beforeStart), notAfter: chunk.end, channel: key, filter: view.filter, limit: limit)
    }

    /// Whether more is to be had in either direction, from the cache or from the service. `known` says whether the
    /// cache has more in one direction, for who has just looked.
    func updateEdges(
        _ view: MessageView, _ timeline: Timeline, known: (direction: HostCommand.Direction, hasMore: Bool)? = nil
    ) {
        guard let home = source(of: view, in: timeline) else { return }
        let chunk = timeline.chunks.chunks[home]
        stored { () throws(StoreError) in
            let isBefore = try known?.direction == .previous
                ? known?.hasMore == true : !rowsBefore(view, chunk, timeline.channelKey, limit: 1).isEmpty
            let isAfter = try known?.direction == .next
                ? known?.hasMore == true : !rowsAfter(view, chunk, timeline.channelKey, limit: 1).isEmpty
            if view.shown.isEmpty, view.emptiedAt == nil { view.emptyEdge = chunk.end }
            view.hasPrevious = isBefore || !chunk.reachedFirst
            view.isFollowing = !isAfter && view.isLoaded && (chunk.reachedNewest || view.isFollowing)
            view.hasNext = !view.isFollowing && (isAfter || !chunk.reachedNewest)
        }
    }

    /// Puts a page at one end of the window, and trims the other end beyond the capacity.
    func attach(
        _ rows: [MessageRow], to view: MessageView, _ direction: HostCommand.Direction, source: EventSource
    ) {
        guard !rows.isEmpty else { return }
        let start = direction == .previous ? 0 : view.shown.count
        // A page that is the whole window is shared, not copied row by row.
        view.emptiedAt = nil
        if view.shown.isEmpty { view.shown = rows } else { view.shown.insert(contentsOf: rows, at: start) }
        let items = rows.indices.map { offset in
            CollectionChange.Item(index: start + offset, message: rows[offset].id, json: rows[offset].json)
        }
        emitChange(view, .succeeded, .insert, source, items)
        trim(view, growing: direction)
    }

    func trim(_ view: MessageView, growing direction: HostCommand.Direction) {
        let excess = view.shown.count - max(options.messageCollectionCapacity, view.filter.limit)
        guard excess > 0 else { return }
        var items: [CollectionChange.Item] = []
        for _ in 0..<excess {
            let index = direction == .previous ? view.shown.count - 1 : 0
            items.append(CollectionChange.Item(index: index, message: view.shown[index].id))
            view.shown.remove(at: index)
        }
        if direction == .previous {
            view.hasNext = true
            view.isFollowing = false
        } else {
            view.hasPrevious = true
        }
        emitChange(view, .succeeded, .remove, .capacity, items)
    }

    func emitChange(
        _ view: MessageView, _ list: CollectionChange.List, _ action: CollectionChange.Action, _ source: EventSource,
        _ items: [CollectionChange.Item], reason: FailedReason? = nil
    ) {
        emit(.event(.change(CollectionChange(
            collection: view.id, list: list, action: action, source: source, reason: reason, items: items,
            info: view.info))))
    }

    func finishFetch(
        _ view: MessageView, _ direction: HostCommand.Direction, _ status: Completion.Status, short: String?
    ) {
        guard let fetch = view.fetches.removeValue(forKey: direction) else { return }
        timers.cancel(.fetch(fetch.call))
        let hasMore = direction == .previous ? view.hasPrevious : view.hasNext
        var members = [(key: "has_more", value: jsonText(hasMore))]
        if let short { members.append(("short", jsonText(short))) }
        complete(fetch.call, "fetch", status, members: members, info: view.info)
    }

    func finishFetches(of view: MessageView, _ status: Completion.Status, short: String? = nil) {
        for direction in [HostCommand.Direction.previous, .next] { finishFetch(view, direction, status, short: short) }
    }

    /// Nothing will come for now: fetches that wait end with what they have.
    func finishWaitingFetches(_ timeline: Timeline, short: String) {
        for view in timeline.views { finishFetches(of: view, .ok, short: short) }
    }

    func resetViewpoint(_ id: UInt64, _ viewpoint: Int64) {
        guard let view = messageViews[id], let timeline = timelines[view.channelURL] else { return }
        finishFetches(of: view, .ok, short: "reset")
        empty(view, viewpoint: viewpoint)
        emitChange(view, .succeeded, .clear, .viewpointReset, [])
        pump(timeline)
    }

    func empty(_ view: MessageView, viewpoint: Int64) {
        view.shown = []
        view.emptiedAt = nil
        view.viewpoint = viewpoint
        view.hasPrevious = true
        view.hasNext = viewpoint != Int64.max
        view.isFollowing = viewpoint == Int64.max
        view.isLoaded = false
        view.emptyEdge = .last
    }

    func showAnew(_ view: MessageView) {
        emitChange(view, .succeeded, .clear, .overflow, [])
        let items = view.shown.enumerated().map {
            CollectionChange.Item(index: $0.offset, message: $0.element.id, json: $0.element.json)
        }
        if !items.isEmpty { emitChange(view, .succeeded, .insert, .overflow, items) }
        showOwnMessagesAnew(view)
    }
}

extension ChunkList.Chunk {
    /// The first position that is not in the chunk any more.
    var pastEnd: MessagePosition {
        end.id == Int64.max ? end : MessagePosition(createdAt: end.createdAt, id: end.id + 1)
    }

    /// The last position before the chunk.
    var beforeStart: MessagePosition {
        start.id == Int64.min ? start : MessagePosition(createdAt: start.createdAt, id: start.id - 1)
    }
}
