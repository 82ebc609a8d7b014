import SyncModel
import SyncStore

extension Engine {
    static let messagePageSize = 100
    private static let strayLimit = 1000

    // MARK: Opening and closing

    func openMessageView(_ id: UInt64, _ url: String, _ filter: MessageFilter, _ viewpoint: Int64) {
        let view = MessageView(id: id, channelURL: url, filter: filter, viewpoint: viewpoint)
        messageViews[id] = view
        attach(view)
    }

    /// Gives a view its channel's timeline; `nil` when the store fails.
    @discardableResult
    func attach(_ view: MessageView) -> Timeline? {
        let url = view.channelURL
        guard let timeline = timelines[url] ?? makeTimeline(url) else { return nil }
        timeline.views.append(view)
        showOwnMessages(view)
        if connection.isLoggedIn, cachedChannel(url) == nil { refreshChannel(url, source: .channelRefresh) }
        pump(timeline)
        return timeline
    }

    private func makeTimeline(_ url: String) -> Timeline? {
        let key = stored { () throws(StoreError) in try cache.channelKey(url) }
        guard let key else { return nil }
        lastTimeline += 1
        let timeline = Timeline(number: lastTimeline, channelURL: url, channelKey: key)
        timeline.chunks = stored { () throws(StoreError) in try storedChunks(channel: key) } ?? ChunkList()
        timelines[url] = timeline
        return timeline
    }

    func timeline(number: UInt64) -> Timeline? { timelines.values.first { $0.number == number } }

    func release(_ timeline: Timeline) {
        timeline.generation += 1
        timers.cancel(.messageSync(timeline.number))
        timelines[timeline.channelURL] = nil
    }

    func leaveSession(_ timeline: Timeline) {
        timeline.forgetNewest()
        timeline.abandonRequests()
        timeline.step = .changes
        timeline.strays = []
        timeline.hasLostStrays = false
        timeline.backoff.reset()
        timers.cancel(.messageSync(timeline.number))
        finishWaitingFetches(timeline, short: "offline")
    }

    /// The cached messages are gone: every view is emptied and sync begins again.
    func startOver(_ timeline: Timeline, source: EventSource) {
        timeline.abandonRequests()
        timeline.forgetNewest()
        timeline.chunks = ChunkList()
        timeline.step = .changes
        timeline.strays = []
        for view in timeline.views {
            finishFetches(of: view, .ok, short: "reset")
            empty(view, viewpoint: view.viewpoint)
            emitChange(view, .succeeded, .clear, source, [])
        }
        pump(timeline)
    }

    func channelGone(_ timeline: Timeline, source: EventSource) {
        timeline.abandonRequests()
        timeline.forgetNewest()
        timeline.chunks = ChunkList()
        // Should it come back, everything begins anew.
        timeline.step = .changes
        timeline.strays = []
        timers.cancel(.messageSync(timeline.number))
        for view in timeline.views {
            empty(view, viewpoint: view.viewpoint)
            view.hasPrevious = false
            view.hasNext = false
            emitChange(view, .succeeded, .clear, source, [])
            emit(.event(.collection(
                id: view.id, type: "channel_removed", members: [("channel_url", jsonText(timeline.channelURL))])))
            finishFetches(of: view, .notFound)
        }
    }

    // MARK: Background sync

    /// Lets the timeline do whatever it can do next. Calling it once too often does no harm.
    func pump(_ timeline: Timeline) {
        guard canSync, timelines[timeline.channelURL] === timeline, !timeline.isStepRunning else { return }
        switch timeline.step {
        case .changes: readChanges(timeline)
        case .gap: checkGap(timeline)
        case .sync:
            runPrevious(timeline)
            runNext(timeline)
        }
    }

    private func changesKey(_ timeline: Timeline) -> String { "messages.changes.\(timeline.channelKey)" }

    private func readChanges(_ timeline: Timeline) {
        guard let read = stored({ () throws(StoreError) in try cache.value(changesKey(timeline)) }) else {
            return retry(timeline, after: nil)
        }
        let since = read.flatMap(ChangePoint.init(storedText:))
        if since == nil, !timeline.chunks.chunks.isEmpty {
            // What is cached may have changed since anybody knows when.
            let done: Void? = stored { () throws(StoreError) in
                try cache.clearMessages(channel: timeline.channelKey)
            }
            guard done != nil else { return retry(timeline, after: nil) }
            return startOver(timeline, source: .messageChangelog)
        }
        guard let since, !timeline.chunks.chunks.isEmpty else {
            // Nothing is cached yet: changes count from this login, which is before the first page.
            let start = ChangePoint.time(connection.info.loginTime).storedText
            guard stored({ () throws(StoreError) in try cache.setValue(changesKey(timeline), start) }) != nil else {
                return retry(timeline, after: nil)
            }
            timeline.step = .gap
            return pump(timeline)
        }
        timeline.isStepRunning = true
        askMessages(timeline, .messageChanges(channelURL: timeline.channelURL, since: since)) { [self] reply in
            timeline.isStepRunning = false
            switch reply {
            case .messageChanges(let changes): take(changes, since: since, timeline)
            case .failure(let failure) where failure.kind == .pageTokenExpired:
                // Nobody can tell which cached messages changed: they have to be asked for again.
                stored { () throws(StoreError) in try cache.clearMessages(channel: timeline.channelKey) }
                startOver(timeline, source: .messageChangelog)
            case .failure(let failure): failed(timeline, failure)
            default: retry(timeline, after: nil)
            }
        }
    }

    private func take(_ changes: MessageChanges, since: ChangePoint, _ timeline: Timeline) {
        let next = changes.next.isEmpty ? since : ChangePoint.token(changes.next)
        let updated = newest(changes.updated, timeline)
        let done: Bool? = stored { () throws(StoreError) in
            try cache.transaction { () throws(StoreError) in
                try cache.deleteMessages(ids: changes.deletedIDs, channel: timeline.channelKey)
                var held: [MessageRecord] = []
                for message in updated where try cache.message(id: message.id, channel: timeline.channelKey) != nil {
                    held.append(message)
                }
                try cache.upsert(held, channel: timeline.channelKey)
                try cache.setValue(changesKey(timeline), next.storedText)
            }
            return true
        }
        guard done != nil else { return retry(timeline, after: nil) }
        timeline.backoff.reset()
        removeFromViews(Set(changes.deletedIDs), timeline, source: .messageChangelog)
        for message in updated { updateInViews(message, timeline, source: .messageChangelog) }
        if !changes.hasMore || next == since { timeline.step = .gap }
        pump(timeline)
    }

    /// Asks what was missed while away, behind the newest message held.
    private func checkGap(_ timeline: Timeline) {
        let wantsNewest = timeline.views.contains { $0.isFollowing || $0.viewpoint == Int64.max }
        guard wantsNewest, let chunk = timeline.chunks.chunks.last, !chunk.reachedNewest,
            let held = stored({ () throws(StoreError) in
                // Of what the service is asked for, only this is held; less than one, when it has been deleted.
                try cache.messageCount(
                    channel: timeline.channelKey,
                    from: MessagePosition(createdAt: chunk.end.createdAt, id: Int64.min), through: chunk.end)
            })
        else {
            timeline.step = .sync
            return pump(timeline)
        }
        timeline.isStepRunning = true
        let request = ServiceRequest.messageGap(
            channelURL: timeline.channelURL, from: chunk.start.createdAt, after: chunk.end.createdAt, held: held)
        askMessages(timeline, request) { [self] reply in
            timeline.isStepRunning = false
            switch reply {
            case .gap(let gap):
                if gap.isHuge {
                    hugeGap(timeline)
                } else if !take(
                    gap.messages, after: chunk.end, reachedNewest: !gap.hasMore, timeline, source: .messageFill)
                {
                    return retry(timeline, after: nil)
                }
                timeline.backoff.reset()
                timeline.step = .sync
                pump(timeline)
            case .failure(let failure): failed(timeline, failure)
            default: retry(timeline, after: nil)
            }
        }
    }

    private func hugeGap(_ timeline: Timeline) {
        for view in timeline.views where view.isFollowing && view.isLoaded {
            // An own message out of order stands behind the gap, of which nothing else is shown.
            if let home = timeline.home(of: view) {
                let end = timeline.chunks.chunks[home].end
                let behind = Set(view.shown.filter { $0.position > end }.map(\.id))
                removeFromViews(behind, timeline, source: .messageFill, only: view)
            }
            view.isFollowing = false
            view.hasNext = true
            emit(.event(.collection(id: view.id, type: "huge_gap", members: [("has_next", jsonText(true))])))
        }
    }

    /// Views whose fetch waits come first, then in the order they were opened.
    private func byUrgency(_ timeline: Timeline, _ direction: HostCommand.Direction) -> [MessageView] {
        timeline.views.filter { $0.fetches[direction] != nil } + timeline.views.filter { $0.fetches[direction] == nil }
    }

    private func runPrevious(_ timeline: Timeline) {
        guard timeline.previousRun != .asking, timeline.previousRun != .waiting else { return }
        // A host that waits at a place of which nothing is known comes before the long way back of another collection.
        let stranded = timeline.views.first { !$0.fetches.isEmpty && timeline.home(of: $0) == nil }
        if let stranded { return askAround(stranded, timeline) }
        for view in byUrgency(timeline, .previous) {
            guard let home = timeline.home(of: view) else { return askAround(view, timeline) }
            let chunk = timeline.chunks.chunks[home]
            if chunk.reachedFirst { continue }
            timeline.previousRun = .asking
            let edge = chunk.start.createdAt
            return askPage(timeline, around: edge, before: Engine.messagePageSize, after: 0) { [self] page in
                timeline.previousRun = .idle
                return takePrevious(page, from: chunk.start, timeline)
            }
        }
        timeline.previousRun = .done
    }

    private func runNext(_ timeline: Timeline) {
        guard timeline.nextRun != .asking, timeline.nextRun != .waiting else { return }
        for view in byUrgency(timeline, .next) {
            guard let home = timeline.home(of: view) else { continue }
            let chunk = timeline.chunks.chunks[home]
            if chunk.reachedNewest { continue }
            timeline.nextRun = .asking
            let edge = chunk.end.createdAt
            return askPage(timeline, around: edge, before: 0, after: Engine.messagePageSize) { [self] page in
                timeline.nextRun = .idle
                let newer = page.messages.filter { $0.position.createdAt > edge }.count
                // A page that is full may be cut; one that is not has reached the newest. One that brings nothing new
                // at all ends the run, whatever its size.
                let isShort = page.messages.count < Engine.messagePageSize
                let isStuck = newer == 0 && !page.messages.contains { $0.position > chunk.end }
                return take(
                    page.messages, after: chunk.end, reachedNewest: isShort || isStuck, timeline,
                    source: timeline.views.contains { $0.isFollowing } ? .messageFill : .sync)
            }
        }
        timeline.nextRun = .done
    }

    /// The first page of a viewpoint about which nothing is known.
    private func askAround(_ view: MessageView, _ timeline: Timeline) {
        guard timeline.previousRun != .asking, timeline.nextRun != .asking else { return }
        timeline.previousRun = .asking
        timeline.nextRun = .asking
        let isNewest = view.viewpoint == Int64.max
        let anchor = view.anchor
        askPage(
            timeline, around: view.viewpoint, before: Engine.messagePageSize,
            after: isNewest ? 0 : Engine.messagePageSize
        ) { [self] page in
            timeline.previousRun = .idle
            timeline.nextRun = .idle
            return takeAround(page, anchor: anchor, timeline)
        }
    }

    private func askPage(
        _ timeline: Timeline, around time: Int64, before: Int, after: Int, then: @escaping (MessagePage) -> Bool
    ) {
        let request = ServiceRequest.listMessages(
            channelURL: timeline.channelURL, around: time, before: before, after: after)
        askMessages(timeline, request) { [self] reply in
            switch reply {
            case .messages(let page):
                // What could not be stored is asked for again, but not at once.
                guard then(page) else { return retry(timeline, after: nil) }
                timeline.backoff.reset()
                pump(timeline)
            case .failure(let failure):
                timeline.previousRun = .idle
                timeline.nextRun = .idle
                failed(timeline, failure)
            default:
                timeline.previousRun = .idle
                timeline.nextRun = .idle
                retry(timeline, after: nil)
            }
        }
    }

    /// Asks about a channel's messages. The answer is dropped when the timeline has started over since.
    private func askMessages(_ timeline: Timeline, _ request: ServiceRequest, then: @escaping (ServiceReply) -> Void) {
        timeline.beginRequest()
        let generation = timeline.generation
        ask(request) { reply in
            guard timeline.generation == generation else { return }
            then(reply)
            // The reply may have made everything start over, and that has counted anew.
            if timeline.generation == generation { timeline.endRequest() }
        }
    }

    private func failed(_ timeline: Timeline, _ failure: ServiceFailure) {
        switch failure.kind {
        case .notFound: removeChannel(timeline.channelURL, source: .channelRefresh)
        case .refused:
            // Asking again gives the same answer; a later login may differ.
            timeline.previousRun = .done
            timeline.nextRun = .done
            finishWaitingFetches(timeline, short: "error")
        default: retry(timeline, after: failure)
        }
    }

    private func retry(_ timeline: Timeline, after failure: ServiceFailure?) {
        guard canSync else { return }
        timers.set(.messageSync(timeline.number), at: now.monotonic + pause(&timeline.backoff, after: failure))
    }
}
