import SyncModel
import SyncStore

/// The message collections: which channel or thread each of them shows, and the timelines of these.
final class MessageCollections: Machine {
    private(set) var timelines = Timelines()
    private var places: [CollectionID: HistoryID] = [:]
    /// Collections whose channel could not be read when they were opened; the next fetch tries again.
    private var unopened: [CollectionID: MessageWindow] = [:]

    func channelURL(of collection: CollectionID) -> ChannelURL? { places[collection]?.channelURL }

    /// Channels of which a collection shows messages, or will.
    var openChannels: Set<ChannelURL> { Set(places.values.map(\.channelURL)) }

    func timeline(of collection: CollectionID) -> Timeline? { places[collection].flatMap { timelines[$0] } }

    func open(_ window: MessageWindow, _ channelURL: ChannelURL, _ turn: inout Turn) {
        let place = HistoryID(channelURL, parentID: window.filter.parentID)
        places[window.id] = place
        open(window, place, &turn)
    }

    /// A collection that will show nothing: only its channel is noted.
    func place(_ id: CollectionID, _ channelURL: ChannelURL, _ filter: MessageFilter) {
        places[id] = HistoryID(channelURL, parentID: filter.parentID)
    }

    /// Opens a collection if its channel is cached. Otherwise nothing is opened, and later calls of the collection end
    /// with `removed`.
    func openCached(
        _ window: MessageWindow, _ channelURL: ChannelURL, call: CallID, _ turn: inout Turn
    ) {
        let cached = turn.storage.cached { (cache) throws(StoreError) in try cache.channels.channel(channelURL) }
        var status = cached == nil ? Status.storage : .notFound
        if case .some(.some) = cached {
            open(window, channelURL, &turn)
            status = unopened[window.id] == nil ? .ok : .storage
            if status != .ok { _ = remove(window.id, &turn) }
        }
        let info = timeline(of: window.id)?.windows[window.id]?.info
        turn.complete(Completion(call: call, name: .openCached, status: status, info: info))
    }

    private func open(
        _ window: MessageWindow, _ place: HistoryID, _ turn: inout Turn
    ) {
        let known = timelines[place]
        let stored = known ?? turn.storage.committed { (cache) throws(StoreError) in
            var history = try CachedHistory.read(place, turn.capabilities, cache)
            // The stored chunks do not count any more; the first batch removes them from the file.
            if turn.context.stream == .broken { history.streamBroke() }
            if !window.id.isPrefetch {
                try cache.counts.use(channel: try cache.channels.key(place.channelURL), at: turn.now.wall)
            }
            return Timeline(place, history: history, parent: try CachedHistory.parent(of: history, cache))
        }
        guard let timeline = stored else {
            unopened[window.id] = window
            return
        }
        unopened[window.id] = nil
        timelines[place] = timeline
        turn.add(.collectionOpened(window.id, window.filter, place, isFirst: known == nil))
        var window = window
        window.setChannel(turn.storage.channel(place.channelURL).map { turn.shown($0).json })
        timeline.collections.open(window, &turn)
    }

    /// Removes a collection. Returns its channel or thread; `nil` when it never showed anything.
    func remove(_ id: CollectionID, _ turn: inout Turn) -> HistoryID? {
        unopened[id] = nil
        guard let place = places.removeValue(forKey: id), let timeline = timelines[place] else { return nil }
        timeline.collections.close(id, &turn)
        if timeline.windows.isEmpty {
            if !id.isPrefetch { noteUse(of: place.channelURL, &turn) }
            turn.add(.timer(.timeline(place), at: nil))
            timelines[place] = nil
        }
        return place
    }

    /// A collection gets a page: notes that its channel is in use.
    func noteUse(of id: CollectionID, _ turn: inout Turn) {
        if let url = channelURL(of: id) { noteUse(of: url, &turn) }
    }

    /// Notes that the channel was in use until now.
    private func noteUse(of url: ChannelURL, _ turn: inout Turn) {
        let now = turn.now.wall
        let _: Void? = turn.storage.committed { (cache) throws(StoreError) in
            guard let key = try cache.channels.keyIfKnown(url) else { return }
            try cache.counts.use(channel: key, at: now)
        }
    }

    /// The stream skips messages of a channel. `false` when that could not be stored.
    func take(holeIn url: ChannelURL, _ older: String, _ page: MessagePage, _ turn: inout Turn) -> Bool {
        let context = turn.context
        let done: Void? = turn.storage.committed { (cache) throws(StoreError) in
            try MessageCommit.storeHole(url, older: older, page, timelines, context, cache)
        }
        let areStored = timelines.of(url).map { $0.take(hole: older, page, &turn) }
        return done != nil && areStored.allSatisfy { $0 }
    }

    func resetViewpoint(
        _ id: CollectionID, _ viewpoint: Int64, _ turn: inout Turn
    ) {
        unopened[id]?.reset(to: viewpoint)
        timeline(of: id)?.collections.resetViewpoint(id, viewpoint, &turn)
    }

    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        timelines.sorted.contains { $0.collections.end(call, status, short: status == .timeout ? .error : nil, &turn) }
    }

    func continueFetch(_ call: CallID, _ turn: inout Turn) {
        for timeline in timelines.sorted { timeline.collections.continueFetch(call, &turn) }
    }

    func sessionEnded(_ turn: inout Turn) {
        for timeline in timelines.sorted { timeline.sessionEnded(&turn) }
    }

    func end(_ turn: inout Turn) {
        for timeline in timelines.sorted { timeline.end(&turn) }
    }

    /// The timeline of a collection, which is opened if necessary; without one, the call is completed with an error.
    func opened(
        _ id: CollectionID, _ call: CallID, _ name: Completion.Name, _ turn: inout Turn
    ) -> Timeline? {
        guard let place = places[id] else {
            turn.complete(Completion(call: call, name: name, status: .removed))
            return nil
        }
        if let window = unopened[id] { open(window, place, &turn) }
        guard unopened[id] == nil, let timeline = timelines[place] else {
            turn.complete(Completion(call: call, name: name, status: .storage))
            return nil
        }
        return timeline
    }
}
