import SyncModel
import SyncStore
import SyncStreams

/// The state machine behind every collection. It has no thread, clock, socket or random source of its own.
///
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

    private var now: Moment
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
    private var deliveries = DeliveryMarks()
    private var mutes = MuteTimers()
    private var retention = Retention()
    private var streams = StreamFeeds()
    private var database: DatabaseCalls?
    private var resources: ResourceCalls?
    private var isPaused = false
    private var isClosed = false
    private var syncState: ClientNotice.SyncState?

    private var hostOutputs: [HostOutput] = []
    private var serviceCommands: [ServiceCommand] = []
    private var transportCommands: [TransportCommand] = []

    init(
        options: EngineOptions, cache: CacheStore, intents: IntentStore, rules: any ServiceRules,
        capabilities: ServiceCapabilities, now: Moment
    ) {
        self.options = options
        self.rules = rules
        self.capabilities = capabilities
        self.now = now
        storage = Storage(cache: cache, intents: intents)
        random = RandomSource(seed: options.seed)
        session = Session(token: options.accessToken)
        sync = ChannelSync(storage)
        database = options.database.map { DatabaseCalls($0, storage, random) }
        resources = options.database.map { _ in ResourceCalls(random) }
        var effects = Effects()
        database?.load(context, &effects)
        outbox.load(context, &effects)
        lists.setComplete(sync.isComplete, context, &effects)
        carryOut(effects)
        tellStorageFailure()
    }

    // MARK: Inputs

    func handle(_ command: HostCommand, now: Moment) {
        self.now = now
        guard !isClosed else { return }
        var effects = Effects()
        route(command, &effects)
        carryOut(effects)
        settle()
    }

    /// Something the service told of its own accord.
    func receive(_ event: ServiceEvent, now: Moment) {
        self.now = now
        guard !isClosed else { return }
        var effects = Effects()
        route(event, &effects)
        carryOut(effects)
        settle()
    }

    /// Something came from the network that is not the service's.
    func receive(_ input: TransportInput, now: Moment) {
        self.now = now
        guard !isClosed else { return }
        var effects = Effects()
        database?.receive(input, context, &effects)
        carryOut(effects)
        settle()
    }

    /// The service's answer to a request. One nobody waits for came after the session was given up.
    func receive(_ reply: ServiceReply, for id: UInt64, now: Moment) {
        self.now = now
        guard !isClosed else { return }
        let ask = inFlight.take(id)
        var effects = Effects()
        // Also in the answer to something that is forgotten meanwhile.
        if case .failure(let failure) = reply, case .rateLimited(let pause) = failure.kind {
            inFlight.pause(for: pause, now: now.monotonic)
            effects.add(.timer(.heldRequests, at: inFlight.pausedUntil))
        }
        if let ask { route(reply, to: ask, &effects) }
        carryOut(effects)
        settle()
    }

    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    var nextDeadline: Int64? { timers.next }

    /// Does what is due.
    func advance(now: Moment) {
        self.now = now
        while !isClosed, let key = timers.takeDue(at: now.monotonic) {
            var effects = Effects()
            route(key, &effects)
            carryOut(effects)
            // Other inputs have their turn between two parts of something large.
            if key.isPart { break }
        }
        settle()
    }

    func takeHostOutputs() -> [HostOutput] {
        defer { hostOutputs = [] }
        return hostOutputs
    }

    func takeTransportCommands() -> [TransportCommand] {
        defer { transportCommands = [] }
        return transportCommands
    }

    func takeServiceCommands() -> [ServiceCommand] {
        defer { serviceCommands = [] }
        return serviceCommands
    }

    // MARK: Routing: the host

    private func route(_ command: HostCommand, _ effects: inout Effects) {
        switch command {
        case .connect(let call): session.connect(call: call, &effects)
        case .disconnect: if session.disconnect(&effects) == .ended { sessionEnded(&effects) }
        case .setToken(let token): session.setToken(token, &effects)
        case .setForeground(let isForeground):
            session.setForeground(isForeground, context, &effects)
            if isForeground { database?.setForeground(true, context, &effects) }
        case .signOut(let call): signOut(call, &effects)
        case .resumeSync: setPaused(false, &effects)
        case .pauseSync: setPaused(true, &effects)
        case .clearCache(let url, let call): clearCache(url, call, &effects)
        case .openChannelCollection(let id, let query):
            lists.open(id, query)
            sync.pump(context, &effects)
        case .openMessageCollection(let id, let url, let filter, let viewpoint):
            collections.open(
                MessageWindow(id: id, filter: filter, viewpoint: viewpoint), url, context, &effects)
        case .openCached(let id, let url, let filter, let viewpoint, let call):
            collections.openCached(
                MessageWindow(id: id, filter: filter, viewpoint: viewpoint), url, call: call, context, &effects)
        case .openStream(let id, let spec, let function): streams.open(id, spec, function, context, &effects)
        case .stream(let request, let id, let call): streams.handle(request, of: id, call: call, context, &effects)
        case .removeCollection(let id): removeCollection(id, &effects)
        case .fetch(let id, let direction, let call): fetch(id, direction, call, &effects)
        case .fetchAllNext(let id, let call):
            collections.opened(id, call, .fetchAllNext, context, &effects)?
                .fetchAllNext(id, call: call, context, &effects)
        case .fetchFailed(let id, let call): fetchOwn(failed: true, id, call, &effects)
        case .fetchPending(let id, let call): fetchOwn(failed: false, id, call, &effects)
        case .start(let id, let call):
            collections.opened(id, call, .start, context, &effects)?.start(id, call: call, context, &effects)
        case .resetViewpoint(let id, let viewpoint):
            collections.resetViewpoint(id, viewpoint, context, &effects)
        case .action(let action, let call): route(action, call, &effects)
        case .database(let request, let call): database?.handle(request, call: call, context, &effects)
        case .resource(let request, let call): resources?.handle(request, call: call, context, &effects)
        case .resync(let collections): resync(collections, &effects)
        case .close: close(&effects)
        default: OwnMessageCalls.route(command, &outbox, collections.channelURL, context, &effects)
        }
    }

    /// An action: the service's, or one that this library does alone.
    private func route(_ action: ActionCall, _ call: UInt64, _ effects: inout Effects) {
        switch action.action {
        case .clearChannels: clearChannels(action, call, &effects)
        case .cancel: cancel(UInt64(clamping: action.integer("request") ?? 0), action, call, &effects)
        case .resendFailedMessages: OwnMessageCalls.resendFailed(action, call, &outbox, context, &effects)
        case .removeFailedMessages: OwnMessageCalls.removeFailed(action, call, &outbox, context, &effects)
        case .setLimit: setLimit(action, call, &effects)
        case .options: ServiceActions.done(action, call, .ok, result: options.described, &effects)
        case .statistics:
            let result = Statistics(own: outbox.all, waitingCalls: serviceActions.count).json(context)
            ServiceActions.done(action, call, result == nil ? .storage : .ok, result: result, &effects)
        default: serviceActions.ask(action, call: call, context, &effects)
        }
    }

    private func cancel(_ other: UInt64, _ action: ActionCall, _ call: UInt64, _ effects: inout Effects) {
        if inFlight.withdraw(action: other) { _ = sync.actionEnded(other) }
        effects.add(.timer(.action(call: other), at: nil))
        let stream = streams.endFetch(other, .canceled, context, &effects)
        let fetch = stream.asked ?? other
        let isFound = serviceActions.giveUp(other, .canceled, &effects) || lists.cancel(fetch, &effects)
            || timelines.sorted.contains { $0.end(fetch, .canceled, &effects) }
            || outbox.cancel(other, context, &effects) || session.cancel(other, &effects) || stream.isFound
            || database?.cancel(other, .canceled, context, &effects) ?? false
            || resources?.cancel(other, .canceled, &effects) ?? false
        ServiceActions.done(action, call, isFound ? .ok : .notFound, &effects)
    }

    private func setPaused(_ paused: Bool, _ effects: inout Effects) {
        guard isPaused != paused else { return }
        isPaused = paused
        if paused {
            for timeline in timelines.sorted { timeline.finishFetches(.paused, &effects) }
            lists.continueFetches(context, isInterrupted: true, &effects)
        } else {
            resumeSync(&effects)
        }
        outbox.pumpAll(context, &effects)
    }

    private func clearCache(_ url: String?, _ call: UInt64, _ effects: inout Effects) {
        let isDone = storage.clearMessages(of: url)
        if isDone { startOver(url.map { timelines.of($0) } ?? timelines.sorted, &effects) }
        effects.complete(Completion(call: call, name: .clearCache, status: isDone ? .ok : .storage))
    }

    private func clearChannels(_ action: ActionCall, _ call: UInt64, _ effects: inout Effects) {
        let isDone = ChannelSync.forgetStored(storage)
        if isDone { channelsForgotten(&effects) }
        ServiceActions.done(action, call, isDone ? .ok : .storage, &effects)
    }

    private func signOut(_ call: UInt64, _ effects: inout Effects) {
        // What the end of the session leaves to be stored comes before everything stored is gone.
        var ending = Effects()
        if session.signOut(&ending) == .ended { sessionEnded(&ending) }
        resources?.end(.canceled, &ending)
        carryOut(ending)
        let areIntentsGone = outbox.giveUpAll(context, &effects)
        let isCacheGone = storage.forgetAll(open: timelines.sorted.map(\.id.channelURL))
        if isCacheGone {
            for timeline in timelines.sorted { timeline.setChannel(nil) }
            startOver(timelines.sorted, &effects)
            channelsForgotten(&effects)
        }
        // Writes that are still on the disk stay what they are: known, and sent before later ones.
        if areIntentsGone { database?.signOut(context, &effects) }
        let isDone = areIntentsGone && isCacheGone
        effects.complete(Completion(call: call, name: .signOut, status: isDone ? .ok : .storage))
    }

    private func startOver(_ timelines: [Timeline], _ effects: inout Effects) {
        for timeline in timelines { timeline.startOver(Cause(.cacheCleared), context, &effects) }
    }

    private func channelsForgotten(_ effects: inout Effects) {
        parts.dropAll()
        inFlight.dropChannelAsks()
        lists.startOver(Cause(.cacheCleared), &effects)
        sync.startOver(context, &effects)
    }

    private func setLimit(_ action: ActionCall, _ call: UInt64, _ effects: inout Effects) {
        let id = UInt64(clamping: action.integer("collection") ?? 0)
        let limit = action.integer("limit") ?? 0
        if lists.contains(id), !ChannelQuery.limits.contains(limit) {
            let explanation = "limit: a list of channels takes 1 to \(ChannelQuery.limits.upperBound)"
            return ServiceActions.done(action, call, .invalidArgument, explanation: explanation, &effects)
        }
        let count = Int(clamping: limit)
        let info = lists.contains(id)
            ? lists.setLimit(id, count) : collections.timeline(of: id)?.setLimit(id, count)
        ServiceActions.done(action, call, info == nil ? .notFound : .ok, info: info, &effects)
    }

    private func removeCollection(_ id: UInt64, _ effects: inout Effects) {
        streams.close(id, context, &effects)
        lists.close(id, &effects)
        guard let place = collections.remove(id, &effects) else { return }
        if timelines[place] == nil { inFlight.dropMessageAsks(of: place) }
        outbox.close(id, place.channelURL)
        if timelines.of(place.channelURL).isEmpty { mutes.forget(place.channelURL, &effects) }
    }

    private func fetch(_ id: UInt64, _ direction: PageDirection, _ call: UInt64, _ effects: inout Effects) {
        if lists.contains(id) { return lists.fetch(id, call: call, context, &effects) }
        collections.opened(id, call, .fetch, context, &effects)?.fetch(id, direction, call: call, context, &effects)
    }

    private func fetchOwn(failed: Bool, _ id: UInt64, _ call: UInt64, _ effects: inout Effects) {
        let name = failed ? Completion.Name.fetchFailed : .fetchPending
        guard let timeline = collections.opened(id, call, name, context, &effects) else { return }
        outbox.fetch(failed: failed, id, timeline.id.channelURL, call: call, context, &effects)
    }

    private func resync(_ lost: [UInt64: Int], _ effects: inout Effects) {
        for (id, dropped) in lost.sorted(by: { $0.key < $1.key }) {
            lists.resync(id, dropped: dropped, &effects)
            streams.resync(id, dropped: dropped, &effects)
            guard let timeline = collections.timeline(of: id) else { continue }
            timeline.resync(id, dropped: dropped, &effects)
            outbox.resync(id, timeline.id.channelURL, &effects)
        }
    }

    private func close(_ effects: inout Effects) {
        session.end(&effects)
        lists.finishFetches(.closed, &effects)
        for timeline in timelines.sorted { timeline.end(&effects) }
        outbox.end(context, &effects)
        serviceActions.end(&effects)
        streams.end(context, &effects)
        resources?.end(.closed, &effects)
        database?.end(context, &effects)
        _ = inFlight.takeAll()
        parts.dropAll()
        timers.cancelAll()
        effects.tell(.closed)
        isClosed = true
    }

    // MARK: Routing: the service

    private func route(_ event: ServiceEvent, _ effects: inout Effects) {
        switch event {
        case .connected(let info): if session.connected(info, now, &effects) == .began { sessionBegan(&effects) }
        case .disconnected(let failure, let retryAfter):
            let turn = session.disconnected(failure, retryAfter: retryAfter, context, &effects)
            if turn == .ended { sessionEnded(&effects) }
        case .messageReceived(let url, let message):
            effects.add(.typingStopped(channelURL: url, userID: message.senderID))
            deliveries.arrived(message, in: url, context, &effects)
            effects.add(.messages(MessageFact(
                channelURL: url, kind: .arrived(message, isInOrder: true),
                cause: Cause(.eventMessageReceived, rules.facts(of: event, userID: options.userID)))))
        case .messageUpdated(let url, let message): edited(message, in: url, &effects)
        case .messageDeleted(let url, let id):
            effects.add(.messages(MessageFact(
                channelURL: url, kind: .deleted(ids: [id]), cause: Cause(.eventMessageDeleted))))
        case .messagePatched(let url, let id, let patch):
            if case .reaction(let reaction) = patch { serviceActions.note(reaction, of: id, in: url, context) }
            effects.add(.messages(MessageFact(
                channelURL: url, kind: .patched(id: id, patch),
                cause: Cause(patch.source, rules.facts(of: event, userID: options.userID)))))
        case .channel(let url, let event): route(event, of: url, &effects)
        case .unreadCounts(let counts): unreadTotals.take(counts, &effects)
        case .channelAnswered: route(answered: event, [], &effects)
        }
    }

    private func edited(
        _ message: MessageRecord, in url: String, mayOvertake: Bool = false, _ effects: inout Effects
    ) {
        effects.add(.messages(MessageFact(
            channelURL: url, kind: .edited([message]), cause: Cause(.eventMessageUpdated), mayOvertake: mayOvertake)))
    }

    private func route(_ event: ChannelEvent, of url: String, _ effects: inout Effects) {
        switch event {
        case .removed(let cause):
            sync.touch(url)
            effects.add(.channels(ChannelFact(removed: [url], cause: cause)))
        case .typing: typing.take(event, in: url, context, &effects)
        default:
            if case .entered = event { for timeline in timelines.of(url) { timeline.entered(context, &effects) } }
            let outcome = ChannelFacts.outcome(of: event, in: storage.channel(url), context)
            record(outcome, url, context.cause(of: event, in: url), &effects)
        }
    }

    /// What a fact did to a channel.
    private func record(
        _ outcome: ChannelFacts.Outcome, _ url: String, _ cause: Cause, _ effects: inout Effects
    ) {
        switch outcome {
        case .nothing: break
        case .mayCross: sync.touch(url)
        case .mustBeAsked:
            sync.touch(url)
            sync.want(url, cause, context, &effects)
        case .changed(let channel):
            sync.touch(url)
            effects.add(.channels(ChannelFact(changed: [channel], cause: cause)))
        case .overtaken(let channel):
            if let channel { effects.add(.channels(ChannelFact(changed: [channel], cause: cause))) }
            sync.recheck(url, cause, context, &effects)
        }
    }

    private func route(_ reply: ServiceReply, to ask: Ask, _ effects: inout Effects) {
        switch (ask, reply) {
        case (.channelListing, .channels(let page)), (.channelPage, .channels(let page)):
            parts.add(ask, page.channels, next: page.next)
            takePart(&effects)
        case (.channelChanges, .channelChanges(let changes)):
            parts.add(
                ask, changes.updated, removed: changes.deletedURLs, next: changes.next, hasMore: changes.hasMore)
            takePart(&effects)
        case (.channelListing, _), (.channelChanges, _), (.channelPage, _):
            let failure = if case .failure(let failure) = reply { failure } else { ServiceFailure?.none }
            sync.failed(ask, failure, context, &effects)
            if case .channelPage(let collection) = ask { lists.pageFailed(collection, context, &effects) }
            lists.setComplete(sync.isComplete, context, &effects)
        case (.channel(let url), _):
            let cached = storage.channel(url)
            guard let fact = sync.channelArrived(url, reply, isCached: cached != nil, context, &effects) else { return }
            sync.touch(url)
            // Where nobody said that something changed, an answer that shows no change is no news.
            if fact.cause.source == .channelRefresh, let cached, fact.changed == [cached] {
                return sync.channelTaken(url, true, context, &effects)
            }
            let isStored = record(channels: fact, &effects)
            sync.channelTaken(url, isStored, context, &effects)
        case (.messages(let ask, let place), _): receive(reply, to: ask, place, &effects)
        case (.send(let requestID, let url), _):
            outbox.receive(reply, for: requestID, in: url, context, &effects)
            pumpOutbox(url, &effects)
        case (.told, _): break
        case (.unreadCounts, .unreadCounts(let counts)): unreadTotals.take(counts, &effects)
        // The next command that counts, or the next login, tells them.
        case (.unreadCounts, _): break
        case (.retention, _): receive(retention: reply, &effects)
        case (.action(let call, let action), _):
            let crossed = sync.actionEnded(call)
            // What became known by it is there when the host learns that it is done.
            if case .action(let answer) = reply {
                for event in answer.events where !serviceActions.isOvertaken(event, of: call) {
                    route(answered: event, crossed, &effects)
                }
                // No command tells what these leave to be read over all channels.
                if action.action == .resetHistory || action.action == .setCountPreference {
                    effects.add(.ask(.unreadCounts, .unreadCounts))
                }
            }
            serviceActions.receive(reply, for: action, call: call, context, &effects)
        }
    }

    /// What became known by the answer to an action. `crossed`: channels that facts touched since it was asked.
    private func route(answered event: ServiceEvent, _ crossed: Set<String>, _ effects: inout Effects) {
        if case .messageUpdated(let url, let message) = event {
            return edited(message, in: url, mayOvertake: true, &effects)
        }
        let about: (url: String, cause: Cause)? =
            switch event {
            case .channelAnswered(let channel, let cause): (channel.url, cause)
            case .channel(let url, let event): crossed.contains(url) ? (url, context.cause(of: event, in: url)) : nil
            default: nil
            }
        guard let (url, cause) = about else { return route(event, &effects) }
        let outcome = ChannelFacts.outcome(
            ofAnswer: event, isCrossed: crossed.contains(url), in: storage.channel(url), context)
        record(outcome, url, cause, &effects)
    }

    private func receive(retention reply: ServiceReply, _ effects: inout Effects) {
        guard let fact = retention.arrived(reply, context, &effects) else { return }
        let isStored = record(channels: fact, &effects)
        for channel in fact.changed where isStored {
            sync.touch(channel.url)
            // How many of what is left are unread, only the service knows.
            if rules.hasUnread(channel) { sync.want(channel.url, fact.cause, context, &effects) }
        }
        retention.taken(isStored, context, &effects)
    }

    private func receive(_ reply: ServiceReply, to ask: MessageAsk, _ place: HistoryID, _ effects: inout Effects) {
        guard let timeline = timelines[place],
            let fact = timeline.receive(reply, to: ask, context, &effects)
        else { return }
        let isStored = record(message: fact, &effects)
        guard case .messageChanges(let changes) = reply else { return timeline.resume(context, &effects) }
        timeline.changesTaken(isStored, changes, to: ask, context, &effects)
    }

    /// Takes in one part of an answer about channels; the next one has its turn after other inputs.
    private func takePart(_ effects: inout Effects) {
        guard let part = parts.takeNext() else { return }
        let isStored = record(channels: sync.arrived(part, context), &effects)
        let isSynced = sync.taken(part, isStored, context, &effects)
        if case .channelPage(let collection) = part.ask {
            if !isStored { lists.pageNotStored(collection, &effects) }
        } else if part.isLast, sync.isComplete {
            lists.setComplete(true, context, &effects)
        }
        if isSynced { outbox.synced(context, &effects) }
        if !isStored { parts.dropRest(of: part.ask) }
        if !parts.isEmpty { effects.add(.timer(.answerParts, at: now.monotonic)) }
    }

    // MARK: Session

    private func sessionBegan(_ effects: inout Effects) {
        for timeline in timelines.sorted {
            timeline.sessionBegan()
            if let channel = storage.channel(timeline.id.channelURL) { mutes.note(channel, context, &effects) }
        }
        sync.sessionBegan(context)
        retention.sessionBegan(context)
        for timeline in timelines.sorted where storage.channel(timeline.id.channelURL) != nil {
            sync.collectionStarted(timeline.id.channelURL, context, &effects)
        }
        lists.setComplete(sync.isComplete, context, &effects)
        resumeSync(&effects)
        outbox.clearSettled(context)
        outbox.sessionBegan(context, &effects)
    }

    /// Everything that depends on the session ends: what is in flight fails, and "newest" is forgotten.
    private func sessionEnded(_ effects: inout Effects) {
        let failure = ServiceReply.failure(rules.failure(.connectionClosed))
        parts.dropAll()
        for ask in inFlight.takeAll() {
            switch ask {
            case .send, .action: route(failure, to: ask, &effects)
            // Lists, timelines and channel sync end what they asked all at once.
            case .channelListing, .channelChanges, .channel, .channelPage, .messages, .told, .retention,
                .unreadCounts: break
            }
        }
        sync.sessionEnded(&effects)
        retention.sessionEnded(&effects)
        for timeline in timelines.sorted { timeline.sessionEnded(&effects) }
        lists.continueFetches(context, isInterrupted: true, &effects)
        outbox.sessionEnded(context, &effects)
        serviceActions.sessionEnded(&effects)
        deliveries.sessionEnded(&effects)
        mutes.sessionEnded(&effects)
    }

    /// Background work begins or goes on: after a login, and when the host ends a pause.
    private func resumeSync(_ effects: inout Effects) {
        sync.pump(context, &effects)
        retention.pump(context, &effects)
        lists.continueFetches(context, &effects)
        for timeline in timelines.sorted { timeline.resume(context, &effects) }
        streams.syncResumed()
    }

    private func pumpOutbox(_ url: String, _ effects: inout Effects) {
        outbox.pump(url, context, &effects)
    }

    // MARK: Time

    private func route(_ key: TimerQueue.Key, _ effects: inout Effects) {
        switch key {
        case .heldRequests:
            for held in inFlight.takeHeld(now: now.monotonic) {
                if case .send(_, let url) = inFlight.ask(held.id) {
                    // It has not gone out: what it was decided on may be another way now.
                    _ = inFlight.take(held.id)
                    var more = Effects()
                    outbox.pauseEnded(url, context, &more)
                    carryOut(more)
                    continue
                }
                ask(held.id, held.request, waited: now.monotonic - held.since)
            }
        case .action(let call):
            if resources?.cancel(call, .timeout, &effects) == true { break }
            guard inFlight.withdraw(action: call) else { break }
            _ = sync.actionEnded(call)
            _ = serviceActions.giveUp(call, .timeout, &effects)
        case .reconnect: session.retry(&effects)
        case .background:
            if session.suspend(&effects) == .ended { sessionEnded(&effects) }
            database?.setForeground(false, context, &effects)
        case .answerParts: takePart(&effects)
        case .channelSync: sync.pump(context, &effects)
        case .timeline(let place): timelines[place]?.resume(context, &effects)
        case .outbox(let url): pumpOutbox(url.text, &effects)
        case .fetch(let call):
            let fetch = streams.endFetch(call, .timeout, context, &effects).asked ?? call
            if lists.fetchTimedOut(fetch, context, &effects) { break }
            _ = timelines.sorted.contains { $0.end(fetch, .timeout, short: .error, &effects) }
        case .fetchAll(let call):
            for timeline in timelines.sorted { timeline.continueFetch(call, context, &effects) }
        case .ownTyping: serviceActions.endTyping(context, &effects)
        case .deliveries: deliveries.markDue(context, &effects)
        case .mutes:
            for url in mutes.takeDue(context, &effects) { sync.want(url, Cause(.eventUserUnmuted), context, &effects) }
        case .retention: retention.pump(context, &effects)
        case .typing: typing.expire(now: now.monotonic, &effects)
        case .ownAges: outbox.expire(context, &effects)
        case .streams: streams.advance(context, &effects)
        case .database: database?.advance(context, &effects)
        }
    }

    // MARK: Facts

    /// The one entrance for what becomes known about messages: cache, timeline, channel and outbox, in one transaction.
    /// `false` when it could not be stored.
    @discardableResult
    private func record(message fact: MessageFact, _ effects: inout Effects) -> Bool {
        let url = fact.channelURL
        let context = context
        let cached = storage.channel(url)
        var completion: Completion?
        if case .arrived(let message, _) = fact.kind, !message.requestID.isEmpty {
            completion = outbox.confirm(message, in: url, context, &effects)
        }
        let timelines = timelines
        let offset = cached?.messageOffset ?? storage.formerMessageOffset(url)
        let fact = fact.visible(from: offset, loginTime: context.loginTime) { id in
            timelines.of(url).contains { $0.history.hasDeleted(id) }
        }
        let outcome = ChannelFacts.outcome(of: fact, in: cached, context)
        let shown: [MessageCommit.Part] = timelines.of(url).compactMap { timeline in
            fact.concerning(timeline.id).map { (timeline, $0) }
        }
        let committed = storage.committed { (cache) throws(StoreError) in
            try MessageCommit(fact, shown, outcome, replacing: cached, timelines, context, cache)
        }
        if let committed {
            for (entry, recorded) in zip(shown, committed.recorded) {
                entry.timeline.show(entry.fact, recorded, context, &effects)
            }
            show(outcome, committed.channels, fact, &effects)
        } else {
            for entry in shown { entry.timeline.lose(entry.fact, context, &effects) }
            // What the channel is now was not stored either.
            sync.touch(url)
            sync.want(url, fact.cause, context, &effects)
        }
        if let completion { effects.complete(completion) }
        return committed != nil
    }

    private func show(
        _ outcome: ChannelFacts.Outcome, _ commit: ChannelCommit?, _ fact: MessageFact, _ effects: inout Effects
    ) {
        let cause = fact.channelCause(userID: options.userID)
        guard case .changed(let channel) = outcome, let commit else {
            return record(outcome, fact.channelURL, cause, &effects)
        }
        sync.touch(fact.channelURL)
        show(ChannelFact(changed: [channel], cause: cause), commit, &effects)
    }

    /// The one entrance for what becomes known about channels. `false` when it could not be stored.
    @discardableResult
    private func record(channels fact: ChannelFact, _ effects: inout Effects) -> Bool {
        let committed = storage.committed { (cache) throws(StoreError) in
            let commit = try ChannelCommit(fact.changed, replacing: nil, cache) { timelines.of($0).map(\.history) }
            for url in fact.removed { try cache.deleteChannel(url) }
            for (key, value) in fact.progress { try cache.setValue(key, value) }
            return commit
        }
        guard let committed else { return false }
        show(fact, committed, &effects)
        return true
    }

    private func show(_ fact: ChannelFact, _ commit: ChannelCommit, _ effects: inout Effects) {
        for cut in commit.cuts { timelines[cut.id]?.adopt(cut: cut.history, before: cut.order, context, &effects) }
        for timeline in commit.replaced.flatMap({ timelines.of($0) }) {
            timeline.startOver(fact.cause, context, &effects)
        }
        typing.forget(fact.removed)
        lists.show(fact, context, &effects)
        // What waits in a channel that is gone is refused by the service, and told so.
        for url in fact.changed.map(\.url) + fact.removed { outbox.channelChanged(url, context, &effects) }
        for channel in fact.changed {
            let shown = timelines.of(channel.url)
            guard !shown.isEmpty else { continue }
            mutes.note(channel, context, &effects)
            let json = context.shown(channel).json
            for timeline in shown { timeline.tellChannel(json, fact.cause, &effects) }
        }
        for timeline in fact.removed.flatMap({ timelines.of($0) }) { timeline.channelGone(fact.cause, &effects) }
    }

    /// What an event or an answer said of channels could not be stored, and it is not said twice.
    private func askAgain(_ fact: ChannelFact, _ effects: inout Effects) {
        for url in fact.changed.map(\.url) + fact.removed {
            sync.touch(url)
            sync.want(url, fact.cause, context, &effects)
        }
    }

    private func showAgain(_ url: String, _ cause: Cause, _ effects: inout Effects) {
        guard let channel = storage.channel(url) else { return }
        show(ChannelFact(changed: [channel], cause: cause), ChannelCommit(), &effects)
    }

    private func collectionOpened(
        _ id: UInt64, _ filter: MessageFilter, _ place: HistoryID, isFirst: Bool, _ effects: inout Effects
    ) {
        let url = place.channelURL
        if isFirst, outbox.isSending(in: url) { timelines[place]?.sendBegan() }
        outbox.open(id, url, filter, context, &effects)
        if let channel = storage.channel(url) {
            mutes.note(channel, context, &effects)
            sync.collectionStarted(url, context, &effects)
        } else if context.isLoggedIn {
            sync.want(url, Cause(.channelRefresh), context, &effects)
        }
    }

    // MARK: Effects

    private func carryOut(_ effects: Effects) {
        for effect in effects.list {
            var more = Effects()
            switch effect {
            case .event(let event):
                if let id = StreamFeeds.stream(of: event) {
                    streams.take(event, of: id, context, &more)
                } else {
                    hostOutputs.append(.event(event))
                }
            case .completion(let completion):
                if let id = StreamFeeds.stream(of: completion) {
                    streams.take(completion, of: id, context, &more)
                } else {
                    hostOutputs.append(.completion(completion))
                }
            case .timer(let key, let deadline): if !isClosed { timers.set(key, at: deadline) }
            case .connect(let token):
                serviceCommands.append(.connect(token: token, retentionTime: Retention.knownTime(storage)))
            case .closeConnection: serviceCommands.append(.disconnect)
            case .transport(let command): transportCommands.append(command)
            case .order(let operation, let id): database?.order(operation, for: id, context, &more)
            case .unheard(let listen): streams.takeUnheard(listen, context, &more)
            case .ordered(let input): resources?.receive(input, context, &more)
            case .ask(let ask, let request): self.ask(ask, request, &more)
            case .messages(let fact): record(message: fact, &more)
            case .channels(let fact): if !record(channels: fact, &more) { askAgain(fact, &more) }
            case .ownMessageSeen(let message, let url):
                // A page brought it, no acknowledgement: the channel does not know of it either.
                if outbox.holds(message.requestID, in: url) { sync.want(url, Cause(.eventMessageSent), context, &more) }
                if let completion = outbox.confirm(message, in: url, context, &more) {
                    // The page was one history's: the channel's or a thread's. The message may belong to both.
                    let kind = MessageFact.Kind.arrived(message, isInOrder: false)
                    record(message: MessageFact(channelURL: url, kind: kind, cause: Cause(.eventMessageSent)), &more)
                    more.complete(completion)
                }
            case .sendEnded(let url, let isInDoubt):
                for timeline in timelines.of(url) { timeline.sendEnded(isInDoubt: isInDoubt, context, &more) }
                if isInDoubt { sync.want(url, Cause(.channelRefresh), context, &more) }
            case .overlaid(let url, let id):
                for timeline in timelines.of(url) { timeline.showAgain(id, Cause(.localAction), context, &more) }
                if storage.channel(url)?.lastMessage?.id.isByteEqual(to: id) == true {
                    showAgain(url, Cause(.localAction), &more)
                }
            case .typingStopped(let url, let userID): typing.stopped(url, userID: userID, context, &more)
            case .shownAgain(let url, let cause): showAgain(url, cause, &more)
            case .collectionOpened(let id, let filter, let place, let isFirst):
                collectionOpened(id, filter, place, isFirst: isFirst, &more)
            }
            carryOut(more)
        }
    }

    private func ask(_ ask: Ask, _ request: ServiceRequest, _ effects: inout Effects) {
        if case .channelPage = ask { sync.collectionAsked() }
        if case .action(let call, _) = ask { sync.actionAsked(call) }
        if case .send(_, let url) = ask { for timeline in timelines.of(url) { timeline.sendBegan() } }
        if let id = inFlight.add(ask, request, now: now.monotonic) {
            self.ask(id, request)
        } else {
            effects.add(.timer(.heldRequests, at: inFlight.pausedUntil))
            guard case .action(let call, _) = ask else { return }
            effects.add(.timer(.action(call: call), at: now.monotonic + (request.timeout ?? options.requestTimeout)))
        }
    }

    /// `waited`: how long an action was held back, which its deadline includes.
    private func ask(_ id: UInt64, _ request: ServiceRequest, waited: Int64 = 0) {
        var timeout = request.timeout ?? options.requestTimeout
        if case .action = request { timeout = max(1, timeout - waited) }
        serviceCommands.append(.ask(id: id, request, timeout: timeout))
    }

    /// The end of every input: what is done with leaves the disk, and the host is told of the state of sync.
    private func settle() {
        feedStreams()
        if !isClosed, outbox.hasSettled { outbox.clearSettled(context) }
        tellStorageFailure()
        guard !isClosed else { return }
        let isBusy = sync.isBusy || retention.isBusy || timers.hasSyncWork || outbox.isSending || !parts.isEmpty
            || timelines.isBusy
        let state: ClientNotice.SyncState = isPaused ? .paused : isBusy ? .running : .idle
        guard state != syncState else { return }
        syncState = state
        hostOutputs.append(.event(.client(.syncState(state))))
    }

    /// Streams ask collections like hosts, when what these told has arrived.
    private func feedStreams() {
        while case let commands = streams.takeCommands(), !commands.isEmpty {
            for command in commands {
                var effects = Effects()
                route(command, &effects)
                carryOut(effects)
            }
        }
    }

    private func tellStorageFailure() {
        guard let failure = storage.takeUntoldFailure() else { return }
        hostOutputs.append(.event(.client(.storageError(message: failure.message))))
    }

    // MARK: Looking

    private var context: Context {
        Context(
            now: now, storage: storage, options: options, rules: rules, capabilities: capabilities, random: random,
            connection: session.connection, loggedInAt: session.loggedInAt, isPaused: isPaused, typing: typing,
            overlays: serviceActions.overlays)
    }

    private var timelines: Timelines { collections.timelines }

    // MARK: For the simulator's checks

    /// Every message collection of the host with its channel, in the order of their numbers.
    var shownMessages: [(channelURL: String, window: MessageWindow)] {
        timelines.sorted.flatMap { timeline in timeline.windows.all.map { (timeline.id.channelURL, $0) } }
            .filter { !StreamFeeds.isOwn($0.window.id) }
            .sorted { $0.window.id < $1.window.id }
    }

    var shownChannels: [ChannelWindow] { lists.all.filter { !StreamFeeds.isOwn($0.id) } }

    /// What the list shows that feeds a stream over channels or messages.
    func feed(of stream: UInt64) -> [(id: String, json: [UInt8])]? {
        let own = stream | StreamFeed.mark
        if let list = lists.all.first(where: { $0.id == own }) { return list.window.rows.map { ($0.id, $0.json) } }
        guard let messages = timelines.sorted.flatMap(\.windows.all).first(where: { $0.id == own }) else { return nil }
        let rows = messages.window.rows.map { ($0.id, $0.json) }
        return messages.filter.isReversed ? rows.reversed() : rows
    }

    /// A stream as it has been told.
    func shownStream(_ id: UInt64) -> StreamBatch? { streams.whole(id) }

    func shownOwnMessages(_ collection: UInt64) -> (pending: [OwnRow], failed: [OwnRow]) {
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

    /// Operations on resources that the database has not answered.
    var resourcesInFlight: Int { resources?.inFlight ?? 0 }

    /// What the service has been asked and has not answered.
    var underWay: String { inFlight.description }
}
