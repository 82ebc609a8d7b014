import SyncBytes
import SyncModel
import SyncStore
import SyncStreams

/// The state machine behind every collection. It has no thread, clock, socket or random source of its own.
///
/// It takes the inputs and hands them on: those of the host to `HostInputs`, those of the service to `ServiceEvents`
/// and `Requests`. It carries out the effects that machines ask for, in their order, and hands out the results (events
/// for the host, commands for the service); facts go to `FactRecorder`. It holds no rule of chat itself.
public final class Engine {
    private let options: EngineOptions
    private let rules: any ServiceRules
    private let capabilities: ServiceCapabilities
    private let storage: Storage
    private let random: RandomSource
    private let files: any FileLooking

    private let machines: Machines
    private let recorder: FactRecorder
    private let events: ServiceEvents
    private let requests: Requests
    private let life: SessionLife
    private let host: HostInputs
    private var timers = TimerQueue()
    /// While this is true, the host is told how calls end, but of no change of a list, and no request is sent.
    private var isClosing = false
    private var isClosed = false
    private var syncState: ClientNotice.SyncState?

    private var hostOutputs: [HostOutput] = []
    /// What streams are told of a batch, held back until the batch is stored; `nil` while no batch is taken in.
    private var heldNotices: [(stream: UInt64, notice: FedNotice)]?
    private var serviceCommands: [ServiceCommand] = []
    private var databaseCommands: [TransportCommand] = []

    init(
        options: EngineOptions, cache: CacheStore, intents: IntentStore, rules: any ServiceRules,
        capabilities: ServiceCapabilities, files: any FileLooking, now: Moment
    ) {
        self.options = options
        self.rules = rules
        self.capabilities = capabilities
        self.files = files
        storage = Storage(cache: cache, intents: intents)
        random = RandomSource(seed: options.seed)
        machines = Machines(options, storage, random)
        recorder = FactRecorder(machines)
        events = ServiceEvents(machines, recorder)
        requests = Requests(machines, recorder, events)
        life = SessionLife(machines, requests)
        host = HostInputs(machines, requests, life)
        var turn = turn(at: now)
        machines.database?.load(&turn)
        machines.outbox.load(&turn)
        machines.drafts.load(&turn)
        machines.notices.load(&turn)
        machines.lists.setComplete(machines.sync.isComplete, &turn)
        machines.search.load(&turn)
        machines.search.look(&turn)
        let lost = storage.setAsideDamagedIntents()
        if lost.count > 0 { turn.tell(.storageError(message: lost.message, lost: lost)) }
        machines.notices.tell(isSettled: false, &turn)
        carryOut(&turn)
        tellStorageFailure()
    }

    // MARK: Inputs

    func handle(_ command: HostCommand, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        host.take(command, &turn)
        finish(&turn)
    }

    /// Something that the service told without being asked.
    func receive(_ event: ServiceEvent, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        take(event, &turn)
        finish(&turn)
    }

    /// Something came from the network for the realtime database.
    func receive(database input: TransportInput, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        machines.database?.receive(input, &turn)
        finish(&turn)
    }

    /// The service's answer to a request.
    func receive(_ reply: ServiceReply, for id: UInt64, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        requests.receive(reply, for: id, &turn)
        finish(&turn)
    }

    /// Progress of a request that sends or receives a file.
    func receive(progress done: Int64, of total: Int64?, for id: UInt64, now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        requests.tell(progress: done, of: total, for: id, &turn)
        finish(&turn)
    }

    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    var nextDeadline: Int64? { timers.next }

    /// Does what is due.
    func advance(now: Moment) {
        var turn = turn(at: now)
        while !isClosed, let key = timers.takeDue(at: now.heard) {
            take(key, &turn)
            carryOut(&turn)
            // Between two parts of a large piece of work, other inputs have their turn.
            if key.isPart { break }
        }
        settle(&turn)
    }

    /// The last input. Commands that wait change no list any more, since nobody will see it; what they promise to keep
    /// (own messages, writes to the database) is stored, in one transaction.
    func close(_ waiting: [HostCommand], now: Moment) {
        guard !isClosed else { return }
        var turn = turn(at: now)
        isClosing = true
        host.stopShowing(&turn)
        carryOut(&turn)
        let told = takeHostOutputs()
        let isStored = storage.together {
            for command in waiting { close(command, &turn) }
            // Intents that these commands have settled leave the file in the same transaction, or not at all.
            machines.outbox.clearSettled(turn.context)
        }
        if !isStored { hostOutputs = [] }
        machines.end(&turn)
        requests.end()
        timers.cancelAll()
        isClosed = true
        carryOut(&turn)
        if host.hasSignedOut { storage.forgetEmptyKeys() }
        if !isStored { hostOutputs = waiting.results(notStored: takeHostOutputs()) }
        tellStorageFailure()
        hostOutputs = told + hostOutputs + [.event(.client(.closed))]
    }

    private func close(_ command: HostCommand, _ turn: inout Turn) {
        host.close(command, &turn)
        carryOut(&turn)
        guard case .call(let id, .resource) = command else { return }
        // An operation that is not stored by now waits for an answer that will not come.
        _ = machines.resources?.cancel(id, .closed, &turn)
        carryOut(&turn)
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

    private func turn(at now: Moment) -> Turn {
        Turn(Context(
            now: now, storage: storage, options: options, rules: rules, capabilities: capabilities, random: random,
            files: files, connection: machines.session.connection, loggedInAt: machines.session.loggedInAt,
            isPaused: life.isPaused, stream: machines.streamPoint.state,
            typing: machines.typing.typing, drafts: machines.drafts.texts, overlays: machines.actions.overlays,
            maySendByRequest: machines.session.maySendByRequest(options)))
    }

    // MARK: The service

    private func take(_ event: ServiceEvent, _ turn: inout Turn) {
        switch event {
        case .connected(let info):
            if machines.session.connected(info, turn.now, &turn) == .began { life.began(info, &turn) }
        case .disconnected(let failure, let retryAfter):
            if machines.session.disconnected(failure, retryAfter: retryAfter, &turn) == .ended { life.ended(&turn) }
        case .batch(let events, let point): take(events, to: point, &turn)
        case .keep(let value): serviceCommands.append(.kept(storage.keep(value)))
        case .messageReceived, .messageUpdated, .messageDeleted, .messagePatched, .messageRelations, .channel,
            .unreadCounts, .channelAnswered, .hole:
            events.take(event, &turn)
        }
    }

    /// Lists of messages are told what a batch changed only when the batch is stored.
    private func take(_ batch: [ServiceEvent], to point: String, _ turn: inout Turn) {
        let before = hostOutputs.count
        heldNotices = []
        let isStored = machines.streamPoint.take(batch, point, machines.timelines, &turn) { event, turn in
            take(event, &turn)
            carryOut(&turn)
        }
        let notices = heldNotices ?? []
        heldNotices = nil
        if !isStored {
            let told = hostOutputs[before...].filter { !$0.isOfMessages }
            hostOutputs.replaceSubrange(before..., with: told)
        }
        for (stream, notice) in notices where isStored || !notice.isOfMessages {
            machines.streams.take(notice, of: stream, &turn)
        }
        if isStored { machines.outbox.synced(&turn) }
    }

    // MARK: Time

    private func take(_ key: TimerQueue.Key, _ turn: inout Turn) {
        switch key {
        case .heldRequests: sendHeld(&turn)
        case .action(let call):
            if machines.resources?.cancel(call, .timeout, &turn) == true { break }
            if machines.export.cancel(call, .timeout, &turn) { break }
            guard requests.withdraw(action: call) else { break }
            _ = machines.actions.cancel(call, .timeout, &turn)
        case .reconnect: machines.session.retry(&turn)
        case .background:
            if machines.session.suspend(&turn) == .ended { life.ended(&turn) }
            machines.database?.setForeground(false, &turn)
        case .answerParts: requests.takePart(&turn)
        case .channelSync: machines.sync.pump(&turn)
        case .timeline(let place): machines.timelines[place]?.resume(&turn)
        case .outbox(let url): machines.outbox.pump(url, &turn)
        // These need nothing here: `settle` looks at files, old messages and channels to prefetch after every input.
        case .uploads, .aging, .prefetch: break
        case .fetch(let call): _ = machines.cancel(call, .timeout, &turn)
        case .fetchAll(let call): machines.collections.continueFetch(call, &turn)
        case .ownTyping: machines.actions.endTyping(&turn)
        case .deliveries: machines.deliveries.markDue(&turn)
        case .mutes:
            for url in machines.mutes.takeDue(&turn) { machines.sync.want(url, Cause(.eventUserUnmuted), &turn) }
        case .retention: machines.retention.pump(&turn)
        case .notices: machines.notices.pump(&turn)
        case .resume:
            if turn.isLoggedIn, let point = machines.streamPoint.resume(storage) {
                serviceCommands.append(.resume(from: point))
            }
        case .typing: machines.typing.expire(now: turn.now.monotonic, &turn)
        case .ownAges: machines.outbox.expire(&turn)
        case .drafts: machines.drafts.store(&turn)
        case .streams: machines.streams.advance(&turn)
        case .database: machines.database?.advance(&turn)
        case .export: machines.export.work(&turn)
        case .search: machines.search.work(&turn)
        case .trim:
            let open = machines.collections.openChannels
            let wasFull = turn.context.isCacheFull
            machines.budget.work(isOpen: { open.contains($0) }, &turn)
            guard wasFull, !turn.context.isCacheFull else { break }
            for timeline in machines.timelines.sorted { timeline.resume(&turn) }
        }
    }

    /// The end of a pause that the service asked for.
    private func sendHeld(_ turn: inout Turn) {
        for held in requests.takeHeld(turn) {
            switch requests.resume(held, turn) {
            case .command(let command): serviceCommands.append(command)
            // `settle` decides again whether to send the file, at the end of this input.
            case .upload(let requestID): machines.outbox.uploads.end(requestID)
            case .send(let url):
                machines.outbox.pauseEnded(url, &turn)
                carryOut(&turn)
            }
        }
    }

    // MARK: Effects

    /// Effects that follow from an effect are carried out before the next one.
    private func carryOut(_ turn: inout Turn) {
        for effect in turn.takeEffects() {
            carryOut(effect, &turn)
            carryOut(&turn)
        }
    }

    private func carryOut(_ effect: Effect, _ turn: inout Turn) {
        switch effect {
        case .event(let event): if !isClosing || !event.isOfList { hostOutputs.append(.event(event)) }
        case .completion(let completion): hostOutputs.append(.completion(completion))
        case .feed(let stream, let notice):
            if heldNotices?.append((stream, notice)) == nil { machines.streams.take(notice, of: stream, &turn) }
        case .timer(let key, let deadline): if !isClosing { timers.set(key, at: deadline) }
        case .connect(let token): serviceCommands.append(.connect(machines.streamPoint.begin(token, storage)))
        case .closeConnection: serviceCommands.append(.disconnect)
        case .database(let command): if !isClosing || command.isEnd { databaseCommands.append(command) }
        case .order(let operation, let id): machines.database?.order(operation, for: id, &turn)
        case .ordered(let input): machines.resources?.receive(input, &turn)
        case .ask(let ask, let request):
            if !isClosing, let command = requests.ask(ask, request, &turn) { serviceCommands.append(command) }
        case .messages(let fact): recorder.record(message: fact, &turn)
        case .channels(let fact): recorder.recordOrAsk(channels: fact, &turn)
        case .ownMessageSeen(let message, let url): recorder.ownMessageSeen(message, in: url, &turn)
        case .leftOut(let url): machines.outbox.sentMessages.leftOut(in: url, &turn)
        case .sendEnded(let url, let isInDoubt):
            for timeline in machines.timelines.of(url) { timeline.sendEnded(isInDoubt: isInDoubt, &turn) }
            if isInDoubt { machines.sync.want(url, Cause(.channelRefresh), &turn) }
        case .keyRefused:
            machines.session.keyRefused(&turn)
            machines.outbox.pumpAll(&turn)
        case .draftsSent(let places): machines.drafts.sent(places, &turn)
        case .sendNext(let url): machines.outbox.pump(url, &turn)
        case .endFile(let owner): if let command = requests.end(fileOf: owner) { serviceCommands.append(command) }
        case .overlaid(let url, let id): recorder.overlaid(id, in: url, &turn)
        case .typingStopped(let url, let userID): machines.typing.stopped(url, userID: userID, &turn)
        case .shownAgain(let url, let cause): recorder.showAgain(url, cause, &turn)
        case .collectionOpened(let id, let filter, let place, let isFirst):
            host.opened(id, filter, place, isFirst: isFirst, &turn)
        case .forgetUser(let call): host.forgetUser(call, &turn)
        }
    }

    /// The end of an input: carries out the effects that are left.
    private func finish(_ turn: inout Turn) {
        carryOut(&turn)
        settle(&turn)
    }

    /// The end of every input: intents that are settled leave the file, background work goes on, and the host is told
    /// of the state of sync.
    private func settle(_ turn: inout Turn) {
        feedStreams(&turn)
        let outbox = machines.outbox
        if !isClosed, !isClosing, outbox.ownFiles.isBusy {
            outbox.ownFiles.pump(&turn)
            carryOut(&turn)
        }
        if !isClosed { outbox.clearSettled(turn.context) }
        if !isClosed, !isClosing {
            machines.budget.look(&turn)
            machines.search.look(&turn)
            if machines.prefetch.isWanted(options) { prefetch(&turn) }
            machines.notices.tell(isSettled: machines.sync.isSettled, &turn)
            carryOut(&turn)
        }
        tellStorageFailure()
        guard !isClosed else { return }
        let isBusy = machines.sync.isBusy || machines.retention.isBusy || machines.notices.isBusy || timers.hasSyncWork
            || outbox.isSending && turn.isLoggedIn || requests.hasParts || machines.timelines.isBusy
            || turn.isLoggedIn && machines.streamPoint.state != .goesOn
        if outbox.sentMessages.hasLeaving, turn.canSync, !isBusy {
            outbox.sentMessages.leaveAll(&turn)
            carryOut(&turn)
        }
        let state: ClientNotice.SyncState = life.isPaused ? .paused : isBusy ? .running : .idle
        guard state != syncState else { return }
        syncState = state
        hostOutputs.append(.event(.client(.syncState(state))))
    }

    private func prefetch(_ turn: inout Turn) {
        let (timelines, lists) = (machines.timelines, machines.lists)
        let isAwaited = requests.isPaused || machines.actions.count > 0 || lists.isAwaited || timelines.areAwaited
        let around = Prefetch.Surroundings(
            timelines: timelines, isSettled: machines.sync.isSettled,
            isInForeground: machines.session.isInForeground, isAwaited: isAwaited)
        for step in machines.prefetch.look(around, &turn) {
            host.take(step, &turn)
            carryOut(&turn)
        }
        carryOut(&turn)
    }

    /// Carries out what streams ask of their collections, until no stream asks for more.
    private func feedStreams(_ turn: inout Turn) {
        while case let asks = machines.streams.takeAsks(), !asks.isEmpty {
            for (stream, ask) in asks {
                host.take(ask, of: stream, &turn)
                carryOut(&turn)
            }
        }
    }

    private func tellStorageFailure() {
        guard let failure = storage.takeUntoldFailure() else { return }
        hostOutputs.append(.event(.client(.storageError(message: failure.message))))
    }

    // MARK: For the simulator's checks

    /// Every message collection with its channel, those that feed streams too.
    var messageWindows: [(channelURL: ChannelURL, window: MessageWindow)] {
        machines.timelines.sorted.flatMap { timeline in timeline.windows.all.map { (timeline.id.channelURL, $0) } }
    }

    var channelWindows: [ChannelWindow] { machines.lists.all }

    var searchWindows: [SearchWindow] { machines.search.windows }

    /// A stream's list as it was told to the host.
    func shownStream(_ id: UInt64) -> StreamBatch? { machines.streams.whole(id) }

    func shownOwnMessages(_ collection: CollectionID) -> (pending: [OwnRow], failed: [OwnRow]) {
        machines.outbox.windows.shown(collection, machines.collections.channelURL(of: collection) ?? "")
    }

    /// Every own message that the service has not accepted yet.
    var ownMessages: [Intent] { machines.outbox.all }

    /// Every draft as it is shown.
    var drafts: [(place: HistoryID, json: [UInt8])] { machines.drafts.texts.all }

    /// Actions that collections show before they are answered.
    var overlays: Overlays { machines.actions.overlays }

    /// No request is under way, and no work is planned except what only the host or the service can cause.
    var isAtRest: Bool {
        syncState != .running && !machines.outbox.ownFiles.isUploading && serviceCommands.isEmpty && hostOutputs.isEmpty
            && !requests.hasParts
            && !timers.hasWork
    }

    /// The service is asked for this channel, or will be.
    func isPlanned(channel url: ChannelURL) -> Bool { machines.sync.isPlanned(url) }

    /// Operations on resources that the database has not answered.
    var resourcesInFlight: Int { machines.resources?.inFlight ?? 0 }

    /// Requests that the service has not answered, as text.
    var underWay: String { requests.description }
}
