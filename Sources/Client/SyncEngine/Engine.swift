import SyncBytes
import SyncModel
import SyncStore
import SyncStreams

/// The state machine behind every collection. It has no thread, clock, socket or random source of its own.
/// It routes inputs to the machines that own their part of the state (session, channels, timelines, outbox, actions),
/// commits what is to be stored, and hands out what came of it. It holds no rule of chat itself.
///
/// One entrance for each fact: what becomes known about messages goes through `record(message:)`, about channels
/// through `record(channels:)`, wherever it came from. Each is one transaction; collections are told after it.
public final class Engine {
    private let options: EngineOptions
    private let rules: any ServiceRules
    private let capabilities: ServiceCapabilities
    private let storage: Storage
    private let random: RandomSource

    private var timers = TimerQueue()
    private var inFlight = InFlight()
    private var parts = AnswerParts()
    private var session: Session
    private var sync: ChannelSync
    private var lists = ChannelLists()
    private var typing = Typing()
    private var collections = MessageCollections()
    private var outbox = Outbox()
    private var serviceActions = ServiceActions()
    private var unreadTotals = UnreadTotals()
    private let streamPoint = StreamPoint()
    private var deliveries = DeliveryMarks()
    private var mutes = MuteTimers()
    private var retention = Retention()
    private var streams = StreamFeeds()
    private var database: DatabaseCalls?
    private var resources: ResourceCalls?
    private var isPaused = false
    /// Keys of channels that were open at a sign-out may be in the file.
    private var hasSignedOut = false
    /// The host is told of calls and no more of lists, and nothing is asked.
    private var isClosing = false
    private var isClosed = false
    private var syncState: ClientNotice.SyncState?

    private var hostOutputs: [HostOutput] = []
    private var serviceCommands: [ServiceCommand] = []
    private var databaseCommands: [TransportCommand] = []

    init(
        options: EngineOptions, cache: CacheStore, intents: IntentStore, rules: any ServiceRules,
        capabilities: ServiceCapabilities, now: Moment
    ) {
        self.options = options
        self.rules = rules
        self.capabilities = capabilities
        storage = Storage(cache: cache, intents: intents)
        random = RandomSource(seed: options.seed)
        session = Session(token: options.accessToken)
        sync = ChannelSync(storage)
        database = options.database.map { DatabaseCalls($0, storage, random) }
        resources = options.database.map { _ in ResourceCalls(random) }
        var turn = turn(at: now)
        database?.load(&turn)
        outbox.load(&turn)
        lists.setComplete(sync.isComplete, &turn)
        let lost = storage.setAsideDamagedIntents()
        if lost.count > 0 { turn.tell(.storageError(message: lost.message, lost: lost)) }
        carryOut(&turn)
        tellStorageFailure()
    }

    // MARK: Inputs

    func handle(_ command: HostCommand, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        route(command, &turn)
        finish(&turn)
    }

    /// Something the service told of its own accord.
    func receive(_ event: ServiceEvent, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        route(event, &turn)
        finish(&turn)
    }

    /// Something came from the network for the realtime database.
    func receive(database input: TransportInput, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        database?.receive(input, &turn)
        finish(&turn)
    }

    /// The service's answer to a request. One nobody waits for came after the session was given up.
    func receive(_ reply: ServiceReply, for id: UInt64, now: Moment) {
        guard !isClosed else { return }
        let ask = inFlight.take(id)
        var turn = turn(at: now)
        // Also in the answer to something that is forgotten meanwhile.
        if case .failure(let failure) = reply, case .rateLimited(let pause) = failure.kind {
            inFlight.pause(for: pause, now: now.monotonic)
            turn.add(.timer(.heldRequests, at: inFlight.pausedUntil))
        }
        if let ask { route(reply, to: ask, &turn) }
        finish(&turn)
    }

    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    var nextDeadline: Int64? { timers.next }

    /// Does what is due.
    func advance(now: Moment) {
        var turn = turn(at: now)
        while !isClosed, let key = timers.takeDue(at: now.heard) {
            route(key, &turn)
            carryOut(&turn)
            // Other inputs have their turn between two parts of something large.
            if key.isPart { break }
        }
        settle(&turn)
    }

    func takeHostOutputs() -> [HostOutput] {
        defer { hostOutputs = [] }
        return hostOutputs
    }

    func takeDatabaseCommands() -> [TransportCommand] {
        defer { databaseCommands = [] }
        return databaseCommands
    }

    func takeServiceCommands() -> [ServiceCommand] {
        defer { serviceCommands = [] }
        return serviceCommands
    }

    // MARK: Routing: the host

    private func route(_ command: HostCommand, _ turn: inout Turn) {
        switch command {
        case .call(let id, let call): route(call, id, &turn)
        case .post(let post): route(post, &turn)
        }
    }

    private func route(_ call: HostCall, _ id: CallID, _ turn: inout Turn) {
        switch call {
        case .connect: session.connect(call: id, &turn)
        case .signOut: signOut(id, &turn)
        case .clearCache(let url): clearCache(url, id, &turn)
        case .openCached(let collection, let url, let filter, let viewpoint):
            let window = MessageWindow(id: collection, filter: filter, viewpoint: viewpoint)
            collections.openCached(window, url, call: id, &turn)
        case .fetch(let collection, let direction): fetch(collection, direction, id, &turn)
        case .fetchAllNext(let collection):
            collections.opened(collection, id, .fetchAllNext, &turn)?.fetchAllNext(collection, call: id, &turn)
        case .fetchFailed(let collection): fetchOwn(failed: true, collection, id, &turn)
        case .fetchPending(let collection): fetchOwn(failed: false, collection, id, &turn)
        case .start(let collection):
            collections.opened(collection, id, .start, &turn)?.start(collection, call: id, &turn)
        case .own(let own, let collection):
            OwnMessageCalls.route(own, in: collection, id, &outbox, collections.channelURL, &turn)
        case .action(let action): route(action, id, &turn)
        case .database(let request): database?.handle(request, call: id, &turn)
        case .resource(let request): resources?.handle(request, call: id, &turn)
        case .stream(let request, let stream): streams.handle(request, of: stream, call: id, &turn)
        }
    }

    private func route(_ post: HostPost, _ turn: inout Turn) {
        switch post {
        case .disconnect: if session.disconnect(&turn) == .ended { sessionEnded(&turn) }
        case .setToken(let token): session.setToken(token, &turn)
        case .setForeground(let isForeground):
            session.setForeground(isForeground, &turn)
            if isForeground { database?.setForeground(true, &turn) }
        case .resumeSync: setPaused(false, &turn)
        case .pauseSync: setPaused(true, &turn)
        case .openChannelCollection(let id, let query):
            lists.open(id, query)
            sync.pump(&turn)
        case .openMessageCollection(let id, let url, let filter, let viewpoint):
            collections.open(MessageWindow(id: id, filter: filter, viewpoint: viewpoint), url, &turn)
        case .openStream(let id, let spec, let function, let place): streams.open(id, spec, function, place, &turn)
        case .removeCollection(let id): removeCollection(id, &turn)
        case .resetViewpoint(let id, let viewpoint): collections.resetViewpoint(id, viewpoint, &turn)
        case .resync(let collections): resync(collections, &turn)
        }
    }

    /// An action: the service's, or one that this library does alone.
    private func route(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        switch action.action {
        case .clearChannels: clearChannels(action, call, &turn)
        case .cancel: cancel(.host(UInt64(clamping: action.integer("request") ?? 0)), action, call, &turn)
        case .resendFailedMessages: OwnMessageCalls.resendFailed(action, call, &outbox, &turn)
        case .removeFailedMessages: OwnMessageCalls.removeFailed(action, call, &outbox, &turn)
        case .setLimit: setLimit(action, call, &turn)
        case .options: ServiceActions.done(action, call, .ok, result: options.described, &turn)
        case .statistics:
            let result = Statistics(own: outbox.all, waitingCalls: serviceActions.count).json(turn.context)
            ServiceActions.done(action, call, result == nil ? .storage : .ok, result: result, &turn)
        default: serviceActions.ask(action, call: call, &turn)
        }
    }

    private func cancel(_ other: CallID, _ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        if inFlight.withdraw(action: other) { actionWithdrawn(other) }
        turn.add(.timer(.action(call: other), at: nil))
        let stream = streams.endFetch(other, .canceled, &turn)
        let fetch = stream.asked ?? other
        let isFound = serviceActions.giveUp(other, .canceled, &turn) || lists.cancel(fetch, &turn)
            || timelines.sorted.contains { $0.end(fetch, .canceled, &turn) }
            || outbox.cancel(other, &turn) || session.cancel(other, &turn) || stream.isFound
            || database?.cancel(other, .canceled, &turn) ?? false
            || resources?.cancel(other, .canceled, &turn) ?? false
        ServiceActions.done(action, call, isFound ? .ok : .notFound, &turn)
    }

    private func setPaused(_ paused: Bool, _ turn: inout Turn) {
        guard isPaused != paused else { return }
        isPaused = paused
        turn.context.isPaused = paused
        if paused {
            for timeline in timelines.sorted { timeline.finishFetches(.paused, &turn) }
            lists.continueFetches(isInterrupted: true, &turn)
        } else {
            resumeSync(&turn)
        }
        outbox.pumpAll(&turn)
    }

    private func clearCache(_ url: ChannelURL?, _ call: CallID, _ turn: inout Turn) {
        let isDone = storage.clearMessages(of: url)
        if isDone { startOver(url.map { timelines.of($0) } ?? timelines.sorted, &turn) }
        turn.complete(Completion(call: call, name: .clearCache, status: isDone ? .ok : .storage))
    }

    private func clearChannels(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let isDone = ChannelSync.forgetStored(storage)
        if isDone { channelsForgotten(&turn) }
        ServiceActions.done(action, call, isDone ? .ok : .storage, &turn)
    }

    private func signOut(_ call: CallID, _ turn: inout Turn) {
        // What the end of the session leaves to be stored comes before everything stored is gone.
        if session.signOut(&turn) == .ended { sessionEnded(&turn) }
        resources?.end(.canceled, &turn)
        carryOut(&turn)
        let areIntentsGone = outbox.giveUpAll(&turn)
        var failures = areIntentsGone ? [] : [storage.failureMessage]
        let isCacheGone = storage.forgetAll(open: timelines.sorted.map(\.id.channelURL))
        if !isCacheGone { failures.append(storage.failureMessage) }
        if isCacheGone {
            for timeline in timelines.sorted { timeline.setChannel(nil) }
            startOver(timelines.sorted, &turn)
            channelsForgotten(&turn)
        }
        // Writes that are still on the disk stay what they are: known, and sent before later ones.
        if areIntentsGone { database?.signOut(&turn) }
        hasSignedOut = true
        failures += storage.emptyLogs()
        turn.complete(Completion(signOut: call, failures: failures))
    }

    private func startOver(_ timelines: [Timeline], _ turn: inout Turn) {
        for timeline in timelines { timeline.startOver(Cause(.cacheCleared), refills: false, &turn) }
    }

    private func channelsForgotten(_ turn: inout Turn) {
        parts.dropAll()
        inFlight.dropChannelAsks()
        lists.startOver(Cause(.cacheCleared), &turn)
        sync.startOver(&turn)
    }

    private func setLimit(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let id = CollectionID.host(UInt64(clamping: action.integer("collection") ?? 0))
        let limit = action.integer("limit") ?? 0
        if lists.contains(id), !ChannelQuery.limits.contains(limit) {
            let explanation = "limit: a list of channels takes 1 to \(ChannelQuery.limits.upperBound)"
            return ServiceActions.done(action, call, .invalidArgument, explanation: explanation, &turn)
        }
        let count = Int(clamping: limit)
        let info = lists.contains(id) ? lists.setLimit(id, count) : collections.timeline(of: id)?.setLimit(id, count)
        ServiceActions.done(action, call, info == nil ? .notFound : .ok, info: info, &turn)
    }

    private func removeCollection(_ id: CollectionID, _ turn: inout Turn) {
        if case .host(let number) = id { streams.close(number, &turn) }
        lists.close(id, &turn)
        guard let place = collections.remove(id, &turn) else { return }
        if timelines[place] == nil { inFlight.dropMessageAsks(of: place) }
        outbox.close(id, place.channelURL)
        if timelines.of(place.channelURL).isEmpty { mutes.forget(place.channelURL, &turn) }
    }

    private func fetch(_ id: CollectionID, _ direction: PageDirection, _ call: CallID, _ turn: inout Turn) {
        if lists.contains(id) { return lists.fetch(id, call: call, &turn) }
        collections.opened(id, call, .fetch, &turn)?.fetch(id, direction, call: call, &turn)
    }

    private func fetchOwn(failed: Bool, _ id: CollectionID, _ call: CallID, _ turn: inout Turn) {
        let name = failed ? Completion.Name.fetchFailed : .fetchPending
        guard let timeline = collections.opened(id, call, name, &turn) else { return }
        outbox.fetch(failed: failed, id, timeline.id.channelURL, call: call, &turn)
    }

    private func resync(_ lost: [CollectionID: Int], _ turn: inout Turn) {
        for (id, dropped) in lost.sorted(by: { $0.key < $1.key }) {
            lists.resync(id, dropped: dropped, &turn)
            if case .host(let number) = id { streams.resync(number, dropped: dropped, &turn) }
            guard let timeline = collections.timeline(of: id) else { continue }
            timeline.resync(id, dropped: dropped, &turn)
            outbox.resync(id, timeline.id.channelURL, &turn)
        }
    }

    // MARK: Closing

    /// The last input. What waits is not computed for lists that nobody will see: promises are stored, together.
    func close(_ waiting: [HostCommand], now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        isClosing = true
        streams.end(&turn)
        outbox.stopShowing()
        database?.stopTelling()
        carryOut(&turn)
        let told = takeHostOutputs()
        let isStored = storage.together { for command in waiting { close(command, &turn) } }
        if !isStored { hostOutputs = [] }
        end(&turn)
        carryOut(&turn)
        if hasSignedOut { storage.forgetEmptyKeys() }
        if !isStored { hostOutputs = waiting.results(notStored: takeHostOutputs()) }
        tellStorageFailure()
        hostOutputs = told + hostOutputs + [.event(.client(.closed))]
    }

    /// What becomes of one command that waited.
    private func close(_ command: HostCommand, _ turn: inout Turn) {
        switch command {
        case .post(.openMessageCollection(let id, let url, let filter, _)): collections.place(id, url, filter)
        case .post: break
        case .call(let id, .openCached(let collection, let url, let filter, _)):
            if storage.channel(url) != nil { collections.place(collection, url, filter) }
            turn.complete(Completion(call: id, name: .openCached, status: .closed))
        case .call(let id, let call) where call.profile.isDoneWhenClosing: route(call, id, &turn)
        case .call(let id, let call): turn.complete(call.completion(id, .closed))
        }
        carryOut(&turn)
        guard case .call(let id, .resource) = command else { return }
        // What is not stored by now waits for an answer that will not come.
        _ = resources?.cancel(id, .closed, &turn)
        carryOut(&turn)
    }

    private func end(_ turn: inout Turn) {
        session.end(&turn)
        lists.finishFetches(.closed, &turn)
        for timeline in timelines.sorted { timeline.end(&turn) }
        outbox.end(&turn)
        serviceActions.end(&turn)
        resources?.end(.closed, &turn)
        database?.end(&turn)
        _ = inFlight.takeAll()
        parts.dropAll()
        timers.cancelAll()
        isClosed = true
    }

    // MARK: Routing: the service

    private func route(_ event: ServiceEvent, _ turn: inout Turn) {
        switch event {
        case .connected(let info): if session.connected(info, turn.now, &turn) == .began { sessionBegan(info, &turn) }
        case .disconnected(let failure, let retryAfter):
            if session.disconnected(failure, retryAfter: retryAfter, &turn) == .ended { sessionEnded(&turn) }
        case .messageReceived(let url, let message):
            turn.add(.typingStopped(channelURL: url, userID: message.senderID))
            deliveries.arrived(message, in: url, &turn)
            turn.add(.messages(.received(message, url, by: event, turn.context)))
        case .messageUpdated(let url, let message): turn.add(.messages(.edited(message, url)))
        case .messageDeleted(let url, let id): turn.add(.messages(.deleted(id, url)))
        case .messagePatched(let url, let id, let patch):
            serviceActions.note(patch, of: id, in: url, turn.context)
            turn.add(.messages(.patched(id, patch, url, by: event, turn.context)))
        case .channel(let url, let event): route(event, of: url, &turn)
        case .unreadCounts(let counts): unreadTotals.take(counts, &turn)
        case .channelAnswered: route(answered: event, [], &turn)
        case .batch(let events, let point):
            let isStored = streamPoint.take(events, point, timelines, &turn) { event, turn in
                route(event, &turn)
                carryOut(&turn)
            }
            if isStored { outbox.synced(&turn) }
        case .hole(let url, let older, let page):
            guard collections.take(holeIn: url, older, page, &turn) else { return streamPoint.lost(&turn) }
            turn.add(.leftOut(channelURL: url))
        case .keep(let value): serviceCommands.append(.kept(storage.keep(value)))
        }
    }

    private func route(_ event: ChannelEvent, of url: ChannelURL, _ turn: inout Turn) {
        switch event {
        case .removed(let cause):
            sync.touch(url)
            turn.add(.channels(ChannelFact(removed: [url], cause: cause)))
        case .typing: typing.take(event, in: url, &turn)
        default:
            if case .entered = event { for timeline in timelines.of(url) { timeline.entered(&turn) } }
            let outcome = ChannelFacts.outcome(of: event, in: storage.channel(url), turn.context)
            record(outcome, url, turn.cause(of: event, in: url), &turn)
        }
    }

    /// What a fact did to a channel.
    private func record(
        _ outcome: ChannelFacts.Outcome, _ url: ChannelURL, _ cause: Cause, _ turn: inout Turn
    ) {
        switch outcome {
        case .nothing: break
        case .mayCross: sync.touch(url)
        case .mustBeAsked:
            sync.touch(url)
            sync.want(url, cause, &turn)
        case .changed(let channel):
            sync.touch(url)
            turn.add(.channels(ChannelFact(changed: [channel], cause: cause)))
        case .overtaken(let channel):
            if let channel { turn.add(.channels(ChannelFact(changed: [channel], cause: cause))) }
            sync.recheck(url, cause, &turn)
        }
    }

    private func route(_ reply: ServiceReply, to ask: Ask, _ turn: inout Turn) {
        switch (ask, reply) {
        case (.channelListing, .channels(let page)), (.channelPage, .channels(let page)):
            parts.add(ask, page.channels, next: page.next)
            takePart(&turn)
        case (.channelChanges, .channelChanges(let changes)):
            parts.add(
                ask, changes.updated, removed: changes.deletedURLs, next: changes.next, hasMore: changes.hasMore)
            takePart(&turn)
        case (.channelListing, _), (.channelChanges, _), (.channelPage, _):
            let failure = if case .failure(let failure) = reply { failure } else { ServiceFailure?.none }
            sync.failed(ask, failure, &turn)
            if case .channelPage(let collection) = ask { lists.pageFailed(collection, &turn) }
            lists.setComplete(sync.isComplete, &turn)
        case (.channel(let url), _):
            let cached = storage.channel(url)
            guard let fact = sync.channelArrived(url, reply, isCached: cached != nil, &turn) else { return }
            sync.touch(url)
            // Where nobody said that something changed, an answer that shows no change is no news.
            if fact.cause.source == .channelRefresh, let cached, fact.changed == [cached] {
                return sync.channelTaken(url, true, &turn)
            }
            let isStored = record(channels: fact, &turn)
            sync.channelTaken(url, isStored, &turn)
        case (.messages(let ask, let place), _): receive(reply, to: ask, place, &turn)
        case (.send(let requestID, let url), _):
            outbox.receive(reply, for: requestID, in: url, &turn)
            turn.add(.sendNext(channelURL: url))
        case (.lookup(let lookup), _):
            outbox.receive(reply, to: lookup, &turn)
            turn.add(.sendNext(channelURL: lookup.channelURL))
        case (.told, _): break
        case (.unreadCounts, .unreadCounts(let counts)): unreadTotals.take(counts, &turn)
        // The next command that counts, or the next login, tells them.
        case (.unreadCounts, _): break
        case (.retention, _): receive(retention: reply, &turn)
        case (.action(let call, let action), _):
            let crossed = sync.actionEnded(call)
            // What became known by it is there when the host learns that it is done.
            if case .action(let answer) = reply {
                for event in answer.events where !serviceActions.isOvertaken(event, of: call) {
                    guard case .messageUpdated(let url, let message) = event else {
                        route(answered: event, crossed, &turn)
                        continue
                    }
                    guard let newest = serviceActions.newest(message, of: call, rules) else { continue }
                    turn.add(.messages(.edited(newest, url, mayOvertake: true)))
                }
                // No command tells what these leave to be read over all channels.
                if action.action == .resetHistory || action.action == .setCountPreference {
                    turn.add(.ask(.unreadCounts, .unreadCounts))
                }
            }
            serviceActions.answered(call)
            serviceActions.receive(reply, for: action, call: call, &turn)
        }
    }

    /// It was held back, and does not go out.
    private func actionWithdrawn(_ call: CallID) {
        _ = sync.actionEnded(call)
        serviceActions.answered(call)
    }

    /// What became known by the answer to an action. `crossed`: channels that facts touched since it was asked.
    private func route(answered event: ServiceEvent, _ crossed: Set<ChannelURL>, _ turn: inout Turn) {
        let about: (url: ChannelURL, cause: Cause)? =
            switch event {
            case .channelAnswered(let channel, let cause): (channel.url, cause)
            case .channel(let url, let event): crossed.contains(url) ? (url, turn.cause(of: event, in: url)) : nil
            default: nil
            }
        guard let (url, cause) = about else { return route(event, &turn) }
        let outcome = ChannelFacts.outcome(
            ofAnswer: event, isCrossed: crossed.contains(url), in: storage.channel(url), turn.context)
        record(outcome, url, cause, &turn)
    }

    private func receive(retention reply: ServiceReply, _ turn: inout Turn) {
        guard let fact = retention.arrived(reply, &turn) else { return }
        let isStored = record(channels: fact, &turn)
        for channel in fact.changed where isStored {
            sync.touch(channel.url)
            // How many of what is left are unread, only the service knows.
            if rules.hasUnread(channel) { sync.want(channel.url, fact.cause, &turn) }
        }
        retention.taken(isStored, &turn)
    }

    private func receive(_ reply: ServiceReply, to ask: MessageAsk, _ place: HistoryID, _ turn: inout Turn) {
        guard let timeline = timelines[place], let fact = timeline.receive(reply, to: ask, &turn) else { return }
        let isStored = record(message: fact, &turn)
        guard let page = reply.logPage else { return timeline.resume(&turn) }
        timeline.changesTaken(isStored, page, to: ask, &turn)
    }

    /// Takes in one part of an answer about channels; the next one has its turn after other inputs.
    private func takePart(_ turn: inout Turn) {
        guard let part = parts.takeNext() else { return }
        let isStored = record(channels: sync.arrived(part, turn.context), &turn)
        let isSynced = sync.taken(part, isStored, &turn)
        if case .channelPage(let collection) = part.ask {
            if !isStored { lists.pageNotStored(collection, &turn) }
        } else if part.isLast, sync.isComplete {
            lists.setComplete(true, &turn)
        }
        if isSynced { outbox.synced(&turn) }
        if !isStored { parts.dropRest(of: part.ask) }
        if !parts.isEmpty { turn.add(.timer(.answerParts, at: turn.now.monotonic)) }
    }

    // MARK: Session

    private func sessionBegan(_ info: SessionInfo, _ turn: inout Turn) {
        if !info.isContinued { streamPoint.broke(timelines, turn.context) }
        for timeline in timelines.sorted {
            timeline.sessionBegan()
            if let channel = storage.channel(timeline.id.channelURL) { mutes.note(channel, &turn) }
        }
        sync.sessionBegan(turn.context)
        retention.sessionBegan(turn.context)
        // Also those of which nothing is cached: the messages of a thread do not say that its channel is gone.
        for timeline in timelines.sorted { sync.collectionStarted(timeline.id.channelURL, &turn) }
        lists.setComplete(sync.isComplete, &turn)
        resumeSync(&turn)
        outbox.clearSettled(turn.context)
        outbox.sessionBegan(&turn)
    }

    /// Everything that depends on the session ends: what is in flight fails, and "newest" is forgotten.
    private func sessionEnded(_ turn: inout Turn) {
        let failure = ServiceReply.failure(rules.failure(.connectionClosed))
        parts.dropAll()
        for ask in inFlight.takeAll() {
            switch ask {
            case .send, .lookup, .action: route(failure, to: ask, &turn)
            // Lists, timelines and channel sync end what they asked all at once.
            case .channelListing, .channelChanges, .channel, .channelPage, .messages, .told, .retention,
                .unreadCounts: break
            }
        }
        sync.sessionEnded(&turn)
        retention.sessionEnded(&turn)
        for timeline in timelines.sorted { timeline.sessionEnded(&turn) }
        lists.continueFetches(isInterrupted: true, &turn)
        outbox.sessionEnded(&turn)
        serviceActions.sessionEnded(&turn)
        deliveries.sessionEnded(&turn)
        mutes.sessionEnded(&turn)
    }

    /// Background work begins or goes on: after a login, and when the host ends a pause.
    private func resumeSync(_ turn: inout Turn) {
        sync.pump(&turn)
        retention.pump(&turn)
        lists.continueFetches(&turn)
        for timeline in timelines.sorted { timeline.resume(&turn) }
        streams.syncResumed()
    }

    // MARK: Time

    private func route(_ key: TimerQueue.Key, _ turn: inout Turn) {
        switch key {
        case .heldRequests:
            for held in inFlight.takeHeld(now: turn.now.monotonic) {
                if case .send(_, let url) = inFlight.ask(held.id) {
                    // It has not gone out: what it was decided on may be another way now.
                    _ = inFlight.take(held.id)
                    outbox.pauseEnded(url, &turn)
                    carryOut(&turn)
                    continue
                }
                ask(held.id, held.request, waited: turn.now.monotonic - held.since)
            }
        case .action(let call):
            if resources?.cancel(call, .timeout, &turn) == true { break }
            guard inFlight.withdraw(action: call) else { break }
            actionWithdrawn(call)
            _ = serviceActions.giveUp(call, .timeout, &turn)
        case .reconnect: session.retry(&turn)
        case .background:
            if session.suspend(&turn) == .ended { sessionEnded(&turn) }
            database?.setForeground(false, &turn)
        case .answerParts: takePart(&turn)
        case .channelSync: sync.pump(&turn)
        case .timeline(let place): timelines[place]?.resume(&turn)
        case .outbox(let url): outbox.pump(url, &turn)
        case .fetch(let call):
            let fetch = streams.endFetch(call, .timeout, &turn).asked ?? call
            if lists.fetchTimedOut(fetch, &turn) { break }
            _ = timelines.sorted.contains { $0.end(fetch, .timeout, short: .error, &turn) }
        case .fetchAll(let call):
            for timeline in timelines.sorted { timeline.continueFetch(call, &turn) }
        case .ownTyping: serviceActions.endTyping(&turn)
        case .deliveries: deliveries.markDue(&turn)
        case .mutes:
            for url in mutes.takeDue(&turn) { sync.want(url, Cause(.eventUserUnmuted), &turn) }
        case .retention: retention.pump(&turn)
        case .resume:
            if turn.isLoggedIn, let point = streamPoint.resume(storage) { serviceCommands.append(.resume(from: point)) }
        case .typing: typing.expire(now: turn.now.monotonic, &turn)
        case .ownAges: outbox.expire(&turn)
        case .streams: streams.advance(&turn)
        case .database: database?.advance(&turn)
        }
    }

    // MARK: Facts

    /// The one entrance for what becomes known about messages: cache, timeline, channel and outbox, in one transaction.
    /// `false` when it could not be stored.
    @discardableResult
    private func record(message fact: MessageFact, _ turn: inout Turn) -> Bool {
        let url = fact.channelURL
        let cached = storage.channel(url)
        let own: MessageRecord? = if case .arrived(let message, _) = fact.kind { message } else { nil }
        let completion = own.flatMap { outbox.confirm($0, in: url, &turn) }
        let timelines = timelines
        let offset = cached?.messageOffset ?? storage.formerMessageOffset(url)
        let fact = fact.visible(from: offset, loginTime: turn.loginTime) { id in
            timelines.of(url).contains { $0.history.hasDeleted(id) }
        }
        let outcome = ChannelFacts.outcome(of: fact, in: cached, turn.context)
        let shown: [MessageCommit.Part] = timelines.of(url).compactMap { timeline in
            fact.concerning(timeline.id).map { (timeline, $0) }
        }
        let committed = storage.committed { (cache) throws(StoreError) in
            try MessageCommit(fact, shown, outcome, replacing: cached, timelines, turn.context, cache)
        }
        serviceActions.note(fact)
        if let committed {
            if let own { outbox.taken(own, in: url, &turn) }
            for (entry, recorded) in zip(shown, committed.recorded) {
                entry.timeline.show(entry.fact, recorded, &turn)
            }
            show(outcome, committed.channels, fact, &turn)
        } else {
            streamPoint.lost(&turn)
            for entry in shown { entry.timeline.lose(entry.fact, &turn) }
            // What the channel is now was not stored either.
            sync.touch(url)
            sync.want(url, fact.cause, &turn)
        }
        if let completion { turn.complete(completion) }
        return committed != nil
    }

    private func show(
        _ outcome: ChannelFacts.Outcome, _ commit: ChannelCommit?, _ fact: MessageFact, _ turn: inout Turn
    ) {
        let cause = fact.channelCause(userID: options.userID)
        guard case .changed(let channel) = outcome, let commit else {
            return record(outcome, fact.channelURL, cause, &turn)
        }
        sync.touch(fact.channelURL)
        show(ChannelFact(changed: [channel], cause: cause), commit, &turn)
    }

    /// The one entrance for what becomes known about channels. `false` when it could not be stored.
    @discardableResult
    private func record(channels fact: ChannelFact, _ turn: inout Turn) -> Bool {
        let committed = storage.committed { (cache) throws(StoreError) in
            let commit = try ChannelCommit(fact.changed, replacing: nil, capabilities, cache) {
                timelines.of($0).map(\.history)
            }
            for url in fact.removed { try cache.deleteChannel(url) }
            for (key, value) in fact.progress { try cache.setValue(key, value) }
            return commit
        }
        guard let committed else { return false }
        show(fact, committed, &turn)
        return true
    }

    private func show(_ fact: ChannelFact, _ commit: ChannelCommit, _ turn: inout Turn) {
        for cut in commit.cuts { timelines[cut.id]?.adopt(cut: cut.history, before: cut.order, &turn) }
        for timeline in commit.replaced.flatMap({ timelines.of($0) }) {
            timeline.startOver(fact.cause, refills: true, &turn)
        }
        typing.forget(fact.removed, &turn)
        lists.show(fact, &turn)
        // What waits in a channel that is gone is refused by the service, and told so.
        for url in fact.changed.map(\.url) + fact.removed { outbox.channelChanged(url, &turn) }
        for channel in fact.changed {
            let shown = timelines.of(channel.url)
            guard !shown.isEmpty else { continue }
            mutes.note(channel, &turn)
            let json = turn.shown(channel).json
            for timeline in shown { timeline.tellChannel(json, fact.cause, &turn) }
        }
        for timeline in fact.removed.flatMap({ timelines.of($0) }) { timeline.channelGone(fact.cause, &turn) }
    }

    /// What an event or an answer said of channels could not be stored, and it is not said twice.
    private func askAgain(_ fact: ChannelFact, _ turn: inout Turn) {
        for url in fact.changed.map(\.url) + fact.removed {
            sync.touch(url)
            sync.want(url, fact.cause, &turn)
        }
    }

    private func showAgain(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        guard let channel = storage.channel(url) else { return }
        show(ChannelFact(changed: [channel], cause: cause), ChannelCommit(), &turn)
    }

    private func collectionOpened(
        _ id: CollectionID, _ filter: MessageFilter, _ place: HistoryID, isFirst: Bool, _ turn: inout Turn
    ) {
        let url = place.channelURL
        if isFirst, outbox.isSending(in: url) { timelines[place]?.sendBegan() }
        outbox.open(id, url, filter, &turn)
        if let channel = storage.channel(url) {
            mutes.note(channel, &turn)
            sync.collectionStarted(url, &turn)
        } else {
            sync.unknownStarted(url, &turn)
        }
    }

    // MARK: Effects

    /// What comes of one effect is carried out before the next one.
    private func carryOut(_ turn: inout Turn) {
        for effect in turn.takeEffects() {
            switch effect {
            case .event(let event):
                if !isClosing || !event.isOfList { hostOutputs.append(.event(event)) }
            case .completion(let completion): hostOutputs.append(.completion(completion))
            case .feed(let stream, let notice): streams.take(notice, of: stream, &turn)
            case .timer(let key, let deadline): if !isClosing { timers.set(key, at: deadline) }
            case .connect(let token):
                serviceCommands.append(.connect(streamPoint.begin(token, storage)))
            case .closeConnection: serviceCommands.append(.disconnect)
            case .database(let command): if !isClosing || command.isEnd { databaseCommands.append(command) }
            case .order(let operation, let id): database?.order(operation, for: id, &turn)
            case .ordered(let input): resources?.receive(input, &turn)
            case .ask(let ask, let request): if !isClosing { self.ask(ask, request, &turn) }
            case .messages(let fact): record(message: fact, &turn)
            case .channels(let fact): if !record(channels: fact, &turn) { askAgain(fact, &turn) }
            case .ownMessageSeen(let message, let url):
                // A page brought it, no acknowledgement: the channel does not know of it either.
                if outbox.holds(message.requestID, in: url) { sync.want(url, Cause(.eventMessageSent), &turn) }
                if let completion = outbox.confirm(message, in: url, &turn) {
                    // The page was one history's: the channel's or a thread's. The message may belong to both.
                    let kind = MessageFact.Kind.arrived(message, isInOrder: false)
                    record(message: MessageFact(channelURL: url, kind: kind, cause: Cause(.eventMessageSent)), &turn)
                    turn.complete(completion)
                }
                outbox.taken(message, in: url, &turn)
            case .leftOut(let url): outbox.leftOut(in: url, &turn)
            case .sendEnded(let url, let isInDoubt):
                for timeline in timelines.of(url) { timeline.sendEnded(isInDoubt: isInDoubt, &turn) }
                if isInDoubt { sync.want(url, Cause(.channelRefresh), &turn) }
            case .sendNext(let url): outbox.pump(url, &turn)
            case .overlaid(let url, let id):
                for timeline in timelines.of(url) { timeline.showAgain(id, Cause(.localAction), &turn) }
                if storage.channel(url)?.lastMessage?.id == id {
                    showAgain(url, Cause(.localAction), &turn)
                }
            case .typingStopped(let url, let userID): typing.stopped(url, userID: userID, &turn)
            case .shownAgain(let url, let cause): showAgain(url, cause, &turn)
            case .collectionOpened(let id, let filter, let place, let isFirst):
                collectionOpened(id, filter, place, isFirst: isFirst, &turn)
            }
            carryOut(&turn)
        }
    }

    private func ask(_ ask: Ask, _ request: ServiceRequest, _ turn: inout Turn) {
        if case .channelPage = ask { sync.collectionAsked() }
        if case .action(let call, _) = ask { sync.actionAsked(call) }
        if case .send(_, let url) = ask { for timeline in timelines.of(url) { timeline.sendBegan() } }
        if let id = inFlight.add(ask, request, now: turn.now.monotonic) {
            self.ask(id, request)
        } else {
            turn.add(.timer(.heldRequests, at: inFlight.pausedUntil))
            guard case .action(let call, _) = ask else { return }
            turn.add(.timer(.action(call: call), at: turn.now.monotonic + (request.timeout ?? options.requestTimeout)))
        }
    }

    /// `waited`: how long an action was held back, which its deadline includes.
    private func ask(_ id: UInt64, _ request: ServiceRequest, waited: Int64 = 0) {
        var timeout = request.timeout ?? options.requestTimeout
        if case .action = request { timeout = max(1, timeout - waited) }
        serviceCommands.append(.ask(id: id, request, timeout: timeout))
    }

    /// The end of an input: what machines want is done.
    private func finish(_ turn: inout Turn) {
        carryOut(&turn)
        settle(&turn)
    }

    /// The end of every input: what is done with leaves the disk, and the host is told of the state of sync.
    private func settle(_ turn: inout Turn) {
        feedStreams(&turn)
        if !isClosed, outbox.hasSettled { outbox.clearSettled(turn.context) }
        tellStorageFailure()
        guard !isClosed else { return }
        let isBusy = sync.isBusy || retention.isBusy || timers.hasSyncWork || outbox.isSending || !parts.isEmpty
            || timelines.isBusy
        if outbox.hasLeaving, turn.canSync, !isBusy {
            outbox.leaveAll(&turn)
            carryOut(&turn)
        }
        let state: ClientNotice.SyncState = isPaused ? .paused : isBusy ? .running : .idle
        guard state != syncState else { return }
        syncState = state
        hostOutputs.append(.event(.client(.syncState(state))))
    }

    /// Streams ask what feeds them, when what that has told has arrived.
    private func feedStreams(_ turn: inout Turn) {
        while case let asks = streams.takeAsks(), !asks.isEmpty {
            for (stream, ask) in asks {
                route(ask, of: stream, &turn)
                carryOut(&turn)
            }
        }
    }

    private func route(_ ask: StreamAsk, of stream: UInt64, _ turn: inout Turn) {
        let (list, call) = (CollectionID.stream(stream), CallID.stream(stream))
        switch ask {
        case .openChannels(let query):
            lists.open(list, query)
            sync.pump(&turn)
        case .openMessages(let url, let filter, let viewpoint):
            collections.open(MessageWindow(id: list, filter: filter, viewpoint: viewpoint), url, &turn)
        case .fetch(let direction): fetch(list, direction, call, &turn)
        case .start: collections.opened(list, call, .start, &turn)?.start(list, call: call, &turn)
        case .resetViewpoint(let viewpoint): collections.resetViewpoint(list, viewpoint, &turn)
        case .closeList: removeCollection(list, &turn)
        case .listen(let listen, let location): database?.listen(location, for: listen, &turn)
        case .unlisten(let listen): database?.unlisten(listen, &turn)
        }
    }

    private func tellStorageFailure() {
        guard let failure = storage.takeUntoldFailure() else { return }
        hostOutputs.append(.event(.client(.storageError(message: failure.message))))
    }

    private func turn(at now: Moment) -> Turn {
        Turn(Context(
            now: now, storage: storage, options: options, rules: rules, capabilities: capabilities, random: random,
            connection: session.connection, loggedInAt: session.loggedInAt, isPaused: isPaused, typing: typing,
            overlays: serviceActions.overlays))
    }

    private var timelines: Timelines { collections.timelines }

    // MARK: For the simulator's checks

    /// Every message collection with its channel, those that feed streams too.
    var messageWindows: [(channelURL: ChannelURL, window: MessageWindow)] {
        timelines.sorted.flatMap { timeline in timeline.windows.all.map { (timeline.id.channelURL, $0) } }
    }

    var channelWindows: [ChannelWindow] { lists.all }

    /// A stream as it has been told.
    func shownStream(_ id: UInt64) -> StreamBatch? { streams.whole(id) }

    func shownOwnMessages(_ collection: CollectionID) -> (pending: [OwnRow], failed: [OwnRow]) {
        outbox.windows.shown(collection, collections.channelURL(of: collection) ?? "")
    }

    /// Every own message that is not the service's yet.
    var ownMessages: [Intent] { outbox.all }

    /// Actions that collections show before they are answered.
    var overlays: Overlays { serviceActions.overlays }

    /// Nothing is under way and nothing is planned but what only the host or the service can cause.
    var isAtRest: Bool {
        syncState != .running && serviceCommands.isEmpty && hostOutputs.isEmpty && parts.isEmpty && !timers.hasWork
    }

    /// The service is asked what a channel is now, or will be.
    func isPlanned(channel url: ChannelURL) -> Bool { sync.isPlanned(url) }

    /// Operations on resources that the database has not answered.
    var resourcesInFlight: Int { resources?.inFlight ?? 0 }

    /// What the service has been asked and has not answered.
    var underWay: String { inFlight.description }
}
