import SyncModel
import SyncStore

/// Pages and realtime messages going into the cache and into views.
extension Engine {
    // MARK: Pages

    // Each gives whether what came could be stored.

    func takePrevious(_ page: MessagePage, from edge: MessagePosition, _ timeline: Timeline) -> Bool {
        let lowest = page.messages.first?.position ?? edge
        let isShort = page.messages.count < Engine.messagePageSize
        let isStuck = lowest >= edge
        let reachedFirst = isShort || isStuck
        let chunk = ChunkList.Chunk(
            start: min(lowest, edge), end: max(edge, page.messages.last?.position ?? edge), reachedFirst: reachedFirst)
        return commit(page.messages, covering: chunk, timeline, source: .sync)
    }

    func takeAround(_ page: MessagePage, anchor: MessagePosition, _ timeline: Timeline) -> Bool {
        let older = page.messages.filter { $0.position <= anchor }.count
        let newer = page.messages.count - older
        var chunk = ChunkList.Chunk(start: .init(createdAt: 0, id: 0), end: .init(createdAt: 0, id: 0))
        if let first = page.messages.first, let last = page.messages.last {
            chunk = ChunkList.Chunk(start: first.position, end: last.position)
        }
        chunk.reachedFirst = older < Engine.messagePageSize
        chunk.reachedNewest = newer < Engine.messagePageSize
        return commit(page.messages, covering: chunk, timeline, source: .sync)
    }

    /// Takes in what follows the end of a chunk.
    func take(
        _ messages: [MessageRecord], after edge: MessagePosition, reachedNewest: Bool, _ timeline: Timeline,
        source: EventSource
    ) -> Bool {
        let fill = messages.filter { $0.position.createdAt >= edge.createdAt }
        let chunk = ChunkList.Chunk(
            start: min(edge, fill.first?.position ?? edge), end: max(edge, fill.last?.position ?? edge),
            reachedNewest: reachedNewest)
        return commit(fill, covering: chunk, timeline, source: source)
    }

    /// Commits a page: its rows, the deletions inside the range it covers, and the range, in one transaction. Then
    /// tells the views.
    private func commit(
        _ messages: [MessageRecord], covering range: ChunkList.Chunk, _ timeline: Timeline, source: EventSource
    ) -> Bool {
        var added = range
        if added.reachedNewest, timeline.hasLostStrays {
            // Some of what came by socket meanwhile was let go: one more page has to bring it.
            added.reachedNewest = false
            timeline.hasLostStrays = false
        }
        var rows = newest(messages, timeline)
        var sureEnd = timeline.sureEnd
        if added.reachedNewest {
            let known = Set(rows.map(\.id))
            let inOrder = timeline.strays.filter { !timeline.outOfOrder.contains($0.id) }.map(\.position)
            sureEnd = (inOrder + [added.end, rows.last?.position, sureEnd].compactMap { $0 }).max()
            let strays = timeline.strays.filter { !known.contains($0.id) && $0.position > range.start }
            rows = (rows + strays).sorted { $0.position < $1.position }
            timeline.strays = []
            if let last = rows.last { added.end = max(added.end, last.position) }
        }
        var chunks = timeline.chunks
        chunks.cover(added)
        let key = timeline.channelKey
        let present = Set(rows.map(\.id))
        let gone: [Int64]? = stored { () throws(StoreError) in
            try cache.transaction { () throws(StoreError) in
                let covered = try cache.messagePositions(
                    channel: key, from: added.reachedFirst ? .first : added.start,
                    through: added.reachedNewest ? .last : added.end)
                let gone = covered.filter { position in
                    !present.contains(position.id) && isCovered(position, by: messages, range)
                        && timeline.editedMeanwhile[position.id] == nil
                }.map(\.id)
                try cache.deleteMessages(ids: gone, channel: key)
                try cache.upsert(rows, channel: key)
                try save(chunks, channel: key, sureEnd: sureEnd)
                return gone
            }
        }
        guard let gone else { return false }
        timeline.chunks = chunks
        timeline.sureEnd = sureEnd
        timeline.outOfOrder.subtract(messages.map(\.id))
        timeline.cached += Int64(rows.count)
        for row in rows where !row.requestID.isEmpty { outboxSaw(row, channelURL: timeline.channelURL) }
        if !gone.isEmpty { removeFromViews(Set(gone), timeline, source: source) }
        for view in timeline.views { merge(rows, into: view, timeline, source: source) }
        for view in timeline.views {
            for direction in [HostCommand.Direction.previous, .next] { serve(view, in: timeline, direction) }
            updateEdges(view, timeline)
        }
        tellProgress(timeline)
        return true
    }

    /// Stores how far the cache is complete whatever comes.
    private func save(_ chunks: ChunkList, channel key: Int64, sureEnd: MessagePosition?) throws(StoreError) {
        var sure = chunks
        sure.forgetNewest(sureEnd: sureEnd)
        try cache.setChunks(channel: key, sure.chunks.map {
            StoredChunk(start: $0.start, end: $0.end, reachedFirst: $0.reachedFirst)
        })
    }

    func storedChunks(channel key: Int64) throws(StoreError) -> ChunkList {
        ChunkList(try cache.chunks(channel: key).map {
            ChunkList.Chunk(start: $0.start, end: $0.end, reachedFirst: $0.reachedFirst)
        })
    }

    /// Whether the page speaks for a position: it lies strictly inside what was asked and answered, not at a far edge
    /// where messages of the same time may have been cut off.
    private func isCovered(_ position: MessagePosition, by page: [MessageRecord], _ range: ChunkList.Chunk) -> Bool {
        let low = page.first?.position ?? range.start
        // An answer without any row says nothing about the edge it was asked from.
        if page.isEmpty { return range.reachedFirst ? position < range.start : position > range.end }
        let high = page.last?.position ?? range.end
        return (low <= position || range.reachedFirst) && (position <= high || range.reachedNewest)
    }

    private func tellProgress(_ timeline: Timeline) {
        let chunk = timeline.chunks.chunks.last
        let isComplete =
            timeline.chunks.chunks.count == 1 && chunk?.reachedFirst == true && chunk?.reachedNewest == true
        tell("sync_progress", [
            ("channel_url", jsonText(timeline.channelURL)), ("done", jsonText(timeline.cached)),
            ("complete", jsonText(isComplete)),
        ])
    }

    /// A page as it would be had it been made now: without what was deleted since, with what was changed since.
    func newest(_ messages: [MessageRecord], _ timeline: Timeline) -> [MessageRecord] {
        let isUntouched =
            timeline.deletedMeanwhile.isEmpty && timeline.editedMeanwhile.isEmpty && timeline.patchesMeanwhile.isEmpty
        if isUntouched { return messages }
        return messages.compactMap { message in
            if timeline.deletedMeanwhile.contains(message.id) { return nil }
            var result = message
            if let edited = timeline.editedMeanwhile[message.id], edited.updatedAt >= message.updatedAt {
                result = edited
            }
            for patch in timeline.patchesMeanwhile where patch.id == message.id {
                if let json = patch.edit(result.json) { result.json = json }
            }
            return result
        }
    }

    // MARK: Realtime

    /// A message came by socket or as the answer to an own send. In order means that everything older has come, too.
    func arrived(_ message: MessageRecord, in timeline: Timeline, source: EventSource, isInOrder: Bool = true) {
        // A late answer to an own send may lie inside what is covered already: the service had the message all along.
        if isInOrder { timeline.outOfOrder.remove(message.id) } else { timeline.outOfOrder.insert(message.id) }
        guard let place = timeline.chunks.index(covering: message.position) else {
            if !timeline.strays.contains(where: { $0.id == message.id }) {
                timeline.strays.append(message)
                if timeline.strays.count > 1000 {
                    timeline.strays.removeFirst()
                    timeline.hasLostStrays = true
                }
                tellNewMessage(message, timeline, views: timeline.views)
            }
            return
        }
        var chunk = timeline.chunks.chunks[place]
        chunk.end = max(chunk.end, message.position)
        var sureEnd = timeline.sureEnd
        if isInOrder, let sure = sureEnd { sureEnd = max(sure, message.position) }
        var chunks = timeline.chunks
        chunks.cover(chunk)
        let key = timeline.channelKey
        let isKnown: Bool? = stored { () throws(StoreError) in
            try cache.transaction { () throws(StoreError) in
                let isKnown = try cache.message(id: message.id, channel: key) != nil
                if !isKnown { try cache.upsert([message], channel: key) }
                if chunks != timeline.chunks || sureEnd != timeline.sureEnd {
                    try save(chunks, channel: key, sureEnd: sureEnd)
                }
                return isKnown
            }
        }
        guard let isKnown else {
            // It could not be stored: what follows it is not contiguous with the cache any more.
            timeline.forgetNewest()
            timeline.nextRun = .idle
            return pump(timeline)
        }
        timeline.chunks = chunks
        timeline.sureEnd = sureEnd
        if isKnown { return }
        // A page under way may be older than this message, and must not take it for deleted.
        if timeline.inFlight > 0 { timeline.editedMeanwhile[message.id] = message }
        let views = timeline.views.filter { !(timeline.home(of: $0) == place && $0.spans(message.position)) }
        for view in timeline.views where !views.contains(where: { $0 === view }) {
            merge([message], into: view, timeline, source: source)
        }
        tellNewMessage(message, timeline, views: views)
        for view in views { updateEdges(view, timeline) }
    }

    private func tellNewMessage(_ message: MessageRecord, _ timeline: Timeline, views: [MessageView]) {
        for view in views where view.filter.matches(message) {
            emit(.event(.collection(id: view.id, type: "new_message", members: [
                ("channel_url", jsonText(timeline.channelURL)), ("message", message.json),
            ])))
        }
    }

    func edited(_ message: MessageRecord, in timeline: Timeline, source: EventSource) {
        if timeline.inFlight > 0 { timeline.editedMeanwhile[message.id] = message }
        if let index = timeline.strays.firstIndex(where: { $0.id == message.id }) { timeline.strays[index] = message }
        let key = timeline.channelKey
        let isHeld: Bool? = stored { () throws(StoreError) in
            guard let held = try cache.message(id: message.id, channel: key), held.updatedAt <= message.updatedAt else {
                return false
            }
            try cache.upsert([message], channel: key)
            return true
        }
        if isHeld == true { updateInViews(message, timeline, source: source) }
    }

    func patched(_ id: Int64, in timeline: Timeline, source: EventSource, _ edit: @escaping ([UInt8]) -> [UInt8]?) {
        if timeline.inFlight > 0 { timeline.patchesMeanwhile.append((id, edit)) }
        if let index = timeline.strays.firstIndex(where: { $0.id == id }),
            let json = edit(timeline.strays[index].json)
        {
            timeline.strays[index].json = json
        }
        let changed: MessageRecord?? = stored { () throws(StoreError) in
            guard var held = try cache.message(id: id, channel: timeline.channelKey), let json = edit(held.json) else {
                return nil
            }
            held.json = json
            try cache.upsert([held], channel: timeline.channelKey)
            return held
        }
        if let changed = changed ?? nil { updateInViews(changed, timeline, source: source) }
    }

    func deleted(_ ids: [Int64], in timeline: Timeline, source: EventSource) {
        if timeline.inFlight > 0 { timeline.deletedMeanwhile.formUnion(ids) }
        timeline.strays.removeAll { ids.contains($0.id) }
        stored { () throws(StoreError) in try cache.deleteMessages(ids: ids, channel: timeline.channelKey) }
        removeFromViews(Set(ids), timeline, source: source)
    }

    /// History was reset or retired: what is older goes from the cache. Part of the transaction that stores the time.
    func cutStoredHistory(_ url: String, before time: Int64) throws(StoreError) -> ChunkList {
        let key = try cache.channelKey(url)
        let timeline = timelines[url]
        var chunks = if let timeline { timeline.chunks } else { try storedChunks(channel: key) }
        chunks.cut(before: time)
        try cache.deleteMessages(channel: key, olderThan: time)
        try save(chunks, channel: key, sureEnd: timeline?.sureEnd)
        return chunks
    }

    /// And from the views.
    func cutShownHistory(_ url: String, before time: Int64, _ chunks: ChunkList) {
        guard let timeline = timelines[url] else { return }
        timeline.chunks = chunks
        timeline.strays.removeAll { $0.position.createdAt < time }
        // A page under way may hold what is gone now: it is asked for again.
        timeline.abandonRequests()
        for view in timeline.views {
            let old = Set(view.shown.filter { $0.position.createdAt < time }.map(\.id))
            removeFromViews(old, timeline, source: .eventMessageDeleted, only: view)
            updateEdges(view, timeline)
        }
        pump(timeline)
    }

    // MARK: Views

    /// Shows those of some stored messages that lie inside what a view shows: new ones are inserted, others updated.
    func merge(_ records: [MessageRecord], into view: MessageView, _ timeline: Timeline, source: EventSource) {
        let nearest = view.shown.isEmpty ? timeline.chunks.index(atOrBelow: view.anchor) : nil
        guard view.isLoaded, let home = timeline.home(of: view) ?? nearest else { return }
        let chunk = timeline.chunks.chunks[home]
        var inserted: [CollectionChange.Item] = []
        var updated: [CollectionChange.Item] = []
        for record in records
        where view.filter.matches(record) && chunk.covers(record.position) && view.spans(record.position) {
            let place = view.place(of: record.position)
            if place < view.shown.count, view.shown[place].position == record.position {
                if view.shown[place].json != record.json {
                    view.shown[place] = record.row
                    updated.append(CollectionChange.Item(index: place, message: record.id, json: record.json))
                }
            } else {
                view.emptiedAt = nil
                view.shown.insert(record.row, at: place)
                inserted.append(CollectionChange.Item(index: place, message: record.id, json: record.json))
            }
        }
        // Updates keep every place, so they may be told first only with the places they have after the inserts: tell
        // inserts first, then updates by their final place.
        if !inserted.isEmpty { emitChange(view, .succeeded, .insert, source, inserted) }
        if !updated.isEmpty {
            let items = updated.compactMap { item -> CollectionChange.Item? in
                guard case .message(let id) = item.key, let index = view.index(ofID: id) else { return nil }
                return CollectionChange.Item(index: index, message: id, json: item.json)
            }
            emitChange(view, .succeeded, .update, source == .messageFill ? .sync : source, items)
        }
        if !inserted.isEmpty { trim(view, growing: .next) }
    }

    /// The content of a stored message changed: it may also have begun or ceased to match a view's filter.
    func updateInViews(_ message: MessageRecord, _ timeline: Timeline, source: EventSource) {
        for view in timeline.views {
            if let index = view.index(of: message.position) {
                if view.filter.matches(message) {
                    guard view.shown[index].json != message.json else { continue }
                    view.shown[index] = message.row
                    let item = CollectionChange.Item(index: index, message: message.id, json: message.json)
                    emitChange(view, .succeeded, .update, source, [item])
                } else {
                    removeFromViews([message.id], timeline, source: source, only: view)
                }
            } else {
                merge([message], into: view, timeline, source: source)
            }
        }
    }

    func removeFromViews(_ ids: Set<Int64>, _ timeline: Timeline, source: EventSource, only: MessageView? = nil) {
        guard !ids.isEmpty else { return }
        for view in timeline.views where only == nil || only === view {
            var items: [CollectionChange.Item] = []
            // Emptied, the window goes on behind what it showed last.
            let last = view.shown.last?.position
            var index = view.shown.count
            while index > 0 {
                index -= 1
                let id = view.shown[index].id
                guard ids.contains(id) else { continue }
                view.shown.remove(at: index)
                items.append(CollectionChange.Item(index: index, message: id))
            }
            if view.shown.isEmpty, let last {
                view.emptyEdge = last
                view.emptiedAt = last
            }
            if !items.isEmpty { emitChange(view, .succeeded, .remove, source, items) }
        }
    }
}
