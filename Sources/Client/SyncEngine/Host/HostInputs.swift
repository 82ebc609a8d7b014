import SyncModel
import SyncStreams

/// Passes commands of hosts to the machines that carry them out, and requests of streams to what feeds them.
final class HostInputs {
    private let machines: Machines
    private let requests: Requests
    private let life: SessionLife
    /// The user has signed out, and the file may still have keys of channels that were open then.
    private(set) var hasSignedOut = false

    private var collections: MessageCollections { machines.collections }
    private var lists: ChannelLists { machines.lists }
    private var outbox: Outbox { machines.outbox }
    private var timelines: Timelines { machines.timelines }

    init(_ machines: Machines, _ requests: Requests, _ life: SessionLife) {
        self.machines = machines
        self.requests = requests
        self.life = life
    }

    func take(_ command: HostCommand, _ turn: inout Turn) {
        switch command {
        case .call(let id, let call): take(call, id, &turn)
        case .post(let post): take(post, &turn)
        }
    }

    private func take(_ call: HostCall, _ id: CallID, _ turn: inout Turn) {
        switch call {
        case .connect: machines.session.connect(call: id, &turn)
        case .signOut: signOut(id, &turn)
        case .clearCache(let url): clearCache(url, id, &turn)
        case .openCached(let collection, let url, let filter, let viewpoint):
            let window = MessageWindow(id: collection, filter: filter, viewpoint: viewpoint)
            collections.openCached(window, url, call: id, &turn)
        case .fetch(let collection, let direction): fetch(collection, direction, id, &turn)
        case .fetchAllNext(let collection):
            let timeline = collections.opened(collection, id, .fetchAllNext, &turn)
            timeline?.collections.fetch(collection, .next, isOfAll: true, call: id, &turn)
        case .fetchFailed(let collection): fetchOwn(failed: true, collection, id, &turn)
        case .fetchPending(let collection): fetchOwn(failed: false, collection, id, &turn)
        case .start(let collection):
            collections.opened(collection, id, .start, &turn)?.collections.start(collection, call: id, &turn)
        case .own(let own, let collection):
            outbox.hostCalls.route(own, in: collection, id, collections, &turn)
        case .action(let action): take(action, id, &turn)
        case .database(let request): machines.database?.handle(request, call: id, &turn)
        case .resource(let request): machines.resources?.handle(request, call: id, &turn)
        case .stream(let request, let stream): machines.streams.handle(request, of: stream, call: id, &turn)
        }
    }

    private func take(_ post: HostPost, _ turn: inout Turn) {
        switch post {
        case .disconnect: if machines.session.disconnect(&turn) == .ended { life.ended(&turn) }
        case .setToken(let token): machines.session.setToken(token, &turn)
        case .setForeground(let isForeground):
            machines.session.setForeground(isForeground, &turn)
            if isForeground { machines.database?.setForeground(true, &turn) }
        case .resumeSync: life.setPaused(false, &turn)
        case .pauseSync: life.setPaused(true, &turn)
        case .openChannelCollection(let id, let query): openChannels(id, query, &turn)
        case .openMessageCollection(let id, let url, let filter, let viewpoint):
            collections.open(MessageWindow(id: id, filter: filter, viewpoint: viewpoint), url, &turn)
        case .openSearchCollection(let id, let query): machines.search.open(id, query)
        case .openStream(let id, let spec, let function, let place):
            machines.streams.open(id, spec, function, place, &turn)
        case .removeCollection(let id): removeCollection(id, &turn)
        case .resetViewpoint(let id, let viewpoint): collections.resetViewpoint(id, viewpoint, &turn)
        case .resync(let collections): resync(collections, &turn)
        case .tookMessages(let count): machines.notices.drained(count)
        }
    }

    /// An action: for the service, or one that this library does alone.
    private func take(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        guard case .library(let own) = action.action else { return machines.actions.ask(action, call: call, &turn) }
        switch own {
        case .clearChannels: clearChannels(action, call, &turn)
        case .cancel: cancel(.host(UInt64(clamping: action.integer("request") ?? 0)), action, call, &turn)
        case .resendFailedMessages: outbox.hostCalls.resendFailed(action, call, &turn)
        case .removeFailedMessages: outbox.hostCalls.removeFailed(action, call, &turn)
        case .setLimit: setLimit(action, call, &turn)
        case .setDraft: machines.drafts.set(action, call: call, &turn)
        case .acknowledge: machines.notices.acknowledge(action, call, &turn)
        case .evict: machines.budget.evict(action, call, &turn)
        case .export: machines.export.begin(action, call, &turn)
        case .encrypt: EncryptionCalls.take(action, isFirst: true, call, &turn)
        case .rekey: EncryptionCalls.take(action, isFirst: false, call, &turn)
        case .options: ServiceActions.done(action, call, .ok, result: turn.options.described, &turn)
        case .statistics:
            let result = Statistics(own: outbox.all, waitingCalls: machines.actions.count)
                .json(channel: action.text("channel_url").map { ChannelURL($0) }, turn.context)
            ServiceActions.done(action, call, result == nil ? .storage : .ok, result: result, &turn)
        case .serviceInfo: machines.actions.ask(action, call: call, &turn)
        }
    }

    private func cancel(_ other: CallID, _ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        _ = requests.withdraw(action: other)
        turn.add(.timer(.action(call: other), at: nil))
        turn.add(.endFile(.call(other)))
        let isFound = machines.cancel(other, .canceled, &turn)
        ServiceActions.done(action, call, isFound ? .ok : .notFound, &turn)
    }

    /// A request of a stream to the list or place that feeds it.
    func take(_ ask: StreamAsk, of stream: UInt64, _ turn: inout Turn) {
        let (list, call) = (CollectionID.stream(stream), CallID.stream(stream))
        switch ask {
        case .openChannels(let query): openChannels(list, query, &turn)
        case .openMessages(let url, let filter, let viewpoint):
            collections.open(MessageWindow(id: list, filter: filter, viewpoint: viewpoint), url, &turn)
        case .fetch(let direction): fetch(list, direction, call, &turn)
        case .start: collections.opened(list, call, .start, &turn)?.collections.start(list, call: call, &turn)
        case .resetViewpoint(let viewpoint): collections.resetViewpoint(list, viewpoint, &turn)
        case .closeList: removeCollection(list, &turn)
        case .listen(let listen, let location): machines.database?.listen(location, for: listen, &turn)
        case .unlisten(let listen): machines.database?.unlisten(listen, &turn)
        }
    }

    /// Opens or closes the window that prefetches a channel; no host sees it.
    func take(_ step: Prefetch.Step, _ turn: inout Turn) {
        switch step {
        case .open(let id, let url):
            var window = MessageWindow(id: id, filter: MessageFilter(), viewpoint: Int64.max)
            window.most = turn.options.prefetch?.messages
            collections.open(window, url, &turn)
        case .close(let id): removeCollection(id, &turn)
        }
    }

    // MARK: Collections

    private func openChannels(_ id: CollectionID, _ query: ChannelQuery, _ turn: inout Turn) {
        lists.open(id, query)
        machines.sync.pump(&turn)
    }

    private func removeCollection(_ id: CollectionID, _ turn: inout Turn) {
        if case .host(let number) = id { machines.streams.close(number, &turn) }
        lists.close(id, &turn)
        machines.search.close(id, &turn)
        guard let place = collections.remove(id, &turn) else { return }
        if timelines[place] == nil {
            requests.dropMessages(of: place)
            machines.budget.collectionClosed()
        }
        outbox.lists.close(id, place.channelURL)
        if timelines.of(place.channelURL).isEmpty { machines.mutes.forget(place.channelURL, &turn) }
    }

    private func fetch(_ id: CollectionID, _ direction: PageDirection, _ call: CallID, _ turn: inout Turn) {
        if lists.contains(id) { return lists.fetch(id, call: call, &turn) }
        if machines.search.contains(id) { return machines.search.fetch(id, call: call, &turn) }
        collections.noteUse(of: id, &turn)
        collections.opened(id, call, .fetch, &turn)?.collections.fetch(id, direction, call: call, &turn)
    }

    private func fetchOwn(failed: Bool, _ id: CollectionID, _ call: CallID, _ turn: inout Turn) {
        let name = failed ? Completion.Name.fetchFailed : .fetchPending
        guard let timeline = collections.opened(id, call, name, &turn) else { return }
        outbox.lists.fetch(failed: failed, id, timeline.id.channelURL, call: call, &turn)
    }

    private func setLimit(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let id = CollectionID.host(UInt64(clamping: action.integer("collection") ?? 0))
        let limit = action.integer("limit") ?? 0
        if lists.contains(id), !ChannelQuery.limits.contains(limit) {
            let explanation = "limit: a list of channels takes 1 to \(ChannelQuery.limits.upperBound)"
            return ServiceActions.done(action, call, .invalidArgument, explanation: explanation, &turn)
        }
        let count = Int(clamping: limit)
        let info = lists.contains(id)
            ? lists.setLimit(id, count)
            : machines.search.setLimit(id, count) ?? collections.timeline(of: id)?.collections.setLimit(id, count)
        ServiceActions.done(action, call, info == nil ? .notFound : .ok, info: info, &turn)
    }

    private func resync(_ lost: [CollectionID: Int], _ turn: inout Turn) {
        machines.notices.tellAgain()
        for (id, dropped) in lost.sorted(by: { $0.key < $1.key }) {
            lists.resync(id, dropped: dropped, &turn)
            machines.search.resync(id, dropped: dropped, &turn)
            if case .host(let number) = id { machines.streams.resync(number, dropped: dropped, &turn) }
            guard let timeline = collections.timeline(of: id) else { continue }
            timeline.windows.resync(id, dropped: dropped, &turn)
            if let window = timeline.windows[id] { timeline.parent.tell(window, Cause(.overflow), &turn) }
            outbox.lists.resync(id, timeline.id.channelURL, &turn)
        }
    }

    /// A message collection begins to show its channel or thread. `isFirst`: no other collection shows it yet.
    func opened(
        _ id: CollectionID, _ filter: MessageFilter, _ place: HistoryID, isFirst: Bool, _ turn: inout Turn
    ) {
        let url = place.channelURL
        if isFirst, outbox.isSending(in: url) { timelines[place]?.sendBegan() }
        // For a prefetched channel, neither own messages nor the channel are shown.
        if id.isPrefetch { return }
        outbox.lists.open(id, url, filter, &turn)
        if let channel = turn.storage.channel(url) {
            machines.mutes.note(channel, &turn)
            machines.sync.collectionStarted(url, &turn)
        } else {
            machines.sync.unknownStarted(url, &turn)
        }
    }

    // MARK: Forgetting

    private func clearCache(_ url: ChannelURL?, _ call: CallID, _ turn: inout Turn) {
        let isDone = turn.storage.clearMessages(of: url)
        if isDone {
            startOver(url.map { timelines.of($0) } ?? timelines.sorted, &turn)
            machines.search.cleared(&turn)
        }
        turn.complete(Completion(call: call, name: .clearCache, status: isDone ? .ok : .storage))
    }

    private func clearChannels(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let isDone = ChannelSync.forgetStored(turn.storage)
        if isDone { channelsForgotten(&turn) }
        ServiceActions.done(action, call, isDone ? .ok : .storage, &turn)
    }

    private func startOver(_ timelines: [Timeline], _ turn: inout Turn) {
        for timeline in timelines { timeline.startOver(Cause(.cacheCleared), refills: false, &turn) }
    }

    private func channelsForgotten(_ turn: inout Turn) {
        requests.dropChannels()
        lists.startOver(Cause(.cacheCleared), &turn)
        machines.sync.startOver(&turn)
    }

    /// The end of the session still stores something, so it comes before everything stored is removed.
    private func signOut(_ call: CallID, _ turn: inout Turn) {
        if machines.session.signOut(&turn) == .ended { life.ended(&turn) }
        machines.resources?.end(.canceled, &turn)
        machines.export.end(.canceled, &turn)
        turn.add(.forgetUser(call: call))
    }

    func forgetUser(_ call: CallID, _ turn: inout Turn) {
        let areIntentsGone = outbox.hostCalls.giveUpAll(&turn)
        var failures = areIntentsGone ? [] : [turn.storage.failureMessage]
        let isCacheGone = turn.storage.forgetAll(open: timelines.sorted.map(\.id.channelURL))
        if !isCacheGone { failures.append(turn.storage.failureMessage) }
        if isCacheGone {
            for timeline in timelines.sorted { timeline.forgetChannel() }
            startOver(timelines.sorted, &turn)
            channelsForgotten(&turn)
            machines.notices.forgetAll(&turn)
            machines.search.cleared(&turn)
        }
        // If writes are still on the disk, they stay known here, and are sent before later ones.
        if areIntentsGone {
            machines.database?.signOut(&turn)
            machines.drafts.forgetAll(&turn)
        }
        hasSignedOut = true
        failures += turn.storage.emptyLogs()
        turn.complete(Completion(signOut: call, failures: failures))
    }

    // MARK: Closing

    /// The client begins to close: lists are not told anything any more.
    func stopShowing(_ turn: inout Turn) {
        machines.streams.end(&turn)
        outbox.lists.stopShowing()
        machines.database?.stopTelling()
    }

    /// Handles a command that waited when the client closes: what must be kept is stored, and lists are not computed,
    /// since nobody will see them.
    func close(_ command: HostCommand, _ turn: inout Turn) {
        switch command {
        case .post(.openMessageCollection(let id, let url, let filter, _)): collections.place(id, url, filter)
        case .post: break
        case .call(let id, .openCached(let collection, let url, let filter, _)):
            if turn.storage.channel(url) != nil { collections.place(collection, url, filter) }
            turn.complete(Completion(call: id, name: .openCached, status: .closed))
        case .call(let id, let call) where call.profile.isDoneWhenClosing: take(call, id, &turn)
        case .call(let id, let call): turn.complete(call.completion(id, .closed))
        }
    }
}
