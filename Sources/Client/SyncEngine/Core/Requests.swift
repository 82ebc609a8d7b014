import SyncModel

/// Sends requests to the service, and brings its answers to the machines that asked.
final class Requests {
    private let collections: MessageCollections
    private let sync: ChannelSync
    private let lists: ChannelLists
    private let outbox: Outbox
    private let actions: ServiceActions
    private let retention: Retention
    private let notices: Notices
    private let recorder: FactRecorder
    private let events: ServiceEvents
    private var inFlight = InFlight()
    private var parts = AnswerParts()

    init(_ machines: Machines, _ recorder: FactRecorder, _ events: ServiceEvents) {
        collections = machines.collections
        sync = machines.sync
        lists = machines.lists
        outbox = machines.outbox
        actions = machines.actions
        retention = machines.retention
        notices = machines.notices
        self.recorder = recorder
        self.events = events
    }

    /// Parts of an answer wait to be taken in.
    var hasParts: Bool { !parts.isEmpty }

    /// For the history of a failing seed.
    var description: String { inFlight.description }

    // MARK: Asking

    /// The command for the service; `nil` when the request waits for the end of a pause.
    func ask(_ ask: Ask, _ request: ServiceRequest, _ turn: inout Turn) -> ServiceCommand? {
        if case .channelPage = ask { sync.collectionAsked() }
        if case .action(let call, _) = ask { sync.actionAsked(call) }
        switch ask {
        case .send(_, let url), .sendByRequest(_, let url):
            for timeline in collections.timelines.of(url) { timeline.sendBegan() }
        default: break
        }
        if let id = inFlight.add(ask, request, now: turn.now.monotonic) { return command(id, request, turn.options) }
        turn.add(.timer(.heldRequests, at: inFlight.pausedUntil))
        if case .action(let call, _) = ask {
            let timeout = request.timeout ?? turn.options.requestTimeout
            turn.add(.timer(.action(call: call), at: turn.now.monotonic + timeout))
        }
        return nil
    }

    /// `waited`: how long an action was held back; this time counts towards its deadline.
    private func command(
        _ id: UInt64, _ request: ServiceRequest, _ options: EngineOptions, waited: Int64 = 0
    ) -> ServiceCommand {
        var timeout = request.timeout ?? (request.hasFile ? options.fileTimeout : options.requestTimeout)
        if case .action = request { timeout = max(1, timeout - waited) }
        return .ask(id: id, request, timeout: timeout)
    }

    /// The service wants a pause.
    var isPaused: Bool { inFlight.pausedUntil != nil }

    /// A request that was held back, once the pause is over.
    enum Held {
        case command(ServiceCommand)
        /// A send in this channel. It was not sent yet, so the outbox decides again: the reasons for it may have
        /// changed.
        case send(ChannelURL)
        /// A file of a message, of which the outbox decides again, too.
        case upload(RequestID)
    }

    /// Leaves out requests that a timeline has given up meanwhile: their answers would be dropped.
    func takeHeld(_ turn: Turn) -> [InFlight.Held] {
        inFlight.takeHeld(now: turn.now.monotonic).filter { held in
            guard case .messages(let ask, let place)? = inFlight.ask(held.id),
                ask.generation != collections.timelines[place]?.generation
            else { return true }
            _ = inFlight.take(held.id)
            return false
        }
    }

    func resume(_ held: InFlight.Held, _ turn: Turn) -> Held {
        switch inFlight.ask(held.id) {
        case .send(_, let url)?, .sendByRequest(_, let url)?:
            _ = inFlight.take(held.id)
            return .send(url)
        case .upload(let requestID, _, _)?:
            _ = inFlight.take(held.id)
            return .upload(requestID)
        default: break
        }
        return .command(command(held.id, held.request, turn.options, waited: turn.now.monotonic - held.since))
    }

    // MARK: Giving up

    /// Takes back an action that waits for the end of a pause; `false` when it was sent already.
    func withdraw(action call: CallID) -> Bool {
        guard inFlight.withdraw(action: call) else { return false }
        _ = sync.actionEnded(call)
        actions.answered(call)
        return true
    }

    /// Nobody needs this file any more. Returns the command that cancels its request, if the service was asked.
    func end(fileOf owner: FileOwner) -> ServiceCommand? {
        let id = inFlight.end { ask in
            switch ask {
            case .upload(let requestID, _, _): owner == .message(requestID)
            case .action(let call, let action): action.action == .file(.downloadFile) && owner == .call(call)
            default: false
            }
        }
        return id.map { .cancel(id: $0) }
    }

    /// Answers about channels are not wanted any more.
    func dropChannels() {
        parts.dropAll()
        inFlight.dropChannelAsks()
    }

    /// Nobody shows a channel or thread any more.
    func dropMessages(of place: HistoryID) { inFlight.dropMessageAsks(of: place) }

    /// Requests in flight fail with the session, except messages that are sent without a connection.
    func sessionEnded(_ turn: inout Turn) {
        let failure = ServiceReply.failure(turn.rules.failure(.connectionClosed))
        parts.dropAll()
        let keepsSends = turn.maySendByRequest
        let ended = inFlight.takeAll { ask in
            if keepsSends, case .sendByRequest = ask { true } else { false }
        }
        for ask in ended {
            switch ask {
            case .send, .sendByRequest, .lookup, .action: route(failure, to: ask, &turn)
            case .upload(let requestID, _, _): outbox.uploads.end(requestID)
            // Lists, timelines and channel sync end their requests by themselves, all at once.
            case .channelListing, .channelChanges, .channel, .channelPage, .messages, .told, .retention,
                .unreadCounts, .notices: break
            }
        }
    }

    /// No answer is wanted any more.
    func end() {
        _ = inFlight.takeAll()
        parts.dropAll()
    }

    // MARK: Answers

    /// An answer that nobody waits for belongs to a session that was given up, or to a request that was dropped.
    func receive(_ reply: ServiceReply, for id: UInt64, _ turn: inout Turn) {
        let ask = inFlight.take(id)
        // The pause counts also when nobody waits for this answer any more.
        if case .failure(let failure) = reply, case .rateLimited(let pause) = failure.kind {
            inFlight.pause(for: pause, now: turn.now.monotonic)
            turn.add(.timer(.heldRequests, at: inFlight.pausedUntil))
        }
        if let ask { route(reply, to: ask, &turn) }
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
        case (.channel(let url), _): receive(reply, of: url, &turn)
        case (.messages(let ask, let place), _): receive(reply, to: ask, place, &turn)
        case (.send(let requestID, let url), _):
            outbox.answers.receive(reply, for: requestID, in: url, &turn)
            turn.add(.sendNext(channelURL: url))
        case (.sendByRequest(let requestID, let url), _):
            outbox.answers.receive(reply, toRequestFor: requestID, in: url, &turn)
            turn.add(.sendNext(channelURL: url))
        case (.upload(let requestID, _, let file), _): outbox.ownFiles.receive(reply, for: requestID, file: file, &turn)
        case (.lookup(let lookup), _):
            outbox.answers.receive(reply, to: lookup, &turn)
            turn.add(.sendNext(channelURL: lookup.channelURL))
        case (.told, _): break
        case (.unreadCounts, .unreadCounts(let counts)): events.take(.unreadCounts(counts), &turn)
        // After a failure the next command that counts, or the next login, tells the counts.
        case (.unreadCounts, _): break
        case (.retention, _): receive(retention: reply, &turn)
        case (.notices(let url, let number), _): notices.receive(reply, to: number, of: url, &turn)
        case (.action(let call, let action), _): receive(reply, to: action, call, &turn)
        }
    }

    /// Progress of the file of a request.
    func tell(progress done: Int64, of total: Int64?, for id: UInt64, _ turn: inout Turn) {
        switch inFlight.ask(id) {
        case .upload(let requestID, let url, let file)?:
            guard outbox.uploads.running.contains(requestID) else { break }
            turn.tell(.uploadProgress(FileProgress(
                requestID: requestID, channelURL: url, file: file, done: done, total: total ?? done)))
        case .action(let call, _)?: turn.tell(.callProgress(CallProgress(.download, call, done: done, total: total)))
        default: break
        }
    }

    /// The answer about a channel that was asked for alone.
    private func receive(_ reply: ServiceReply, of url: ChannelURL, _ turn: inout Turn) {
        let cached = turn.storage.channel(url)
        guard let fact = sync.channelArrived(url, reply, isCached: cached != nil, &turn) else { return }
        sync.touch(url)
        // If no event said that the channel changed, an answer that shows no change is not told.
        if fact.cause.source == .channelRefresh, let cached, fact.changed == [cached] {
            return sync.channelTaken(url, true, &turn)
        }
        let isStored = recorder.record(channels: fact, &turn)
        sync.channelTaken(url, isStored, &turn)
    }

    private func receive(_ reply: ServiceReply, to action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let crossed = sync.actionEnded(call)
        // Facts in the answer are taken in before the host is told that the action is done.
        if case .action(let answer) = reply {
            for event in answer.events where !actions.isOvertaken(event, of: call) {
                guard case .messageUpdated(let url, let message) = event else {
                    events.take(answered: event, crossed, &turn)
                    continue
                }
                guard let newest = actions.newest(message, of: call, turn.rules) else { continue }
                turn.add(.messages(.edited(newest, url, mayOvertake: true)))
            }
            // The service sends no command with the unread counts over all channels after these two actions.
            if action.action == .channel(.resetHistory) || action.action == .property(.setCountPreference) {
                turn.add(.ask(.unreadCounts, .unreadCounts))
            }
        }
        actions.answered(call)
        actions.receive(reply, for: action, call: call, &turn)
    }

    private func receive(retention reply: ServiceReply, _ turn: inout Turn) {
        guard let fact = retention.arrived(reply, &turn) else { return }
        let isStored = recorder.record(channels: fact, &turn)
        for channel in fact.changed where isStored {
            sync.touch(channel.url)
            // Only the service knows how many of the remaining messages are unread.
            if turn.rules.hasUnread(channel) { sync.want(channel.url, fact.cause, &turn) }
        }
        retention.taken(isStored, &turn)
    }

    private func receive(_ reply: ServiceReply, to ask: MessageAsk, _ place: HistoryID, _ turn: inout Turn) {
        guard let timeline = collections.timelines[place] else { return }
        let isAwaited = ask.generation == timeline.generation && turn.context.stream == .goesOn
        let reply = isAwaited ? storingRelations(of: reply, timeline, &turn) : reply
        guard let fact = timeline.receive(reply, to: ask, &turn) else { return }
        let isStored = recorder.record(message: fact, &turn)
        guard let page = reply.logPage else { return timeline.resume(&turn) }
        timeline.changesTaken(isStored, page, to: ask, &turn)
    }

    /// What a page says of relations, and of messages that were deleted, is stored before the page, so that a stored
    /// message always has all of its known relations. If they cannot be stored, the page is asked for again. Not for a
    /// page that was given up: it is not known any more which relations were taken back since the page was made.
    private func storingRelations(of reply: ServiceReply, _ timeline: Timeline, _ turn: inout Turn) -> ServiceReply {
        guard turn.capabilities.hasRelations, case .messages(let page) = reply else { return reply }
        let url = timeline.id.channelURL
        let relations = timeline.history.crossings.applied(to: page.relations)
        var isStored = relations.isEmpty || recorder.record(relations: relations, in: url, Cause(.sync), &turn)
        if isStored, !page.deletedIDs.isEmpty {
            let deletions = MessageFact(
                channelURL: url, kind: .deleted(ids: page.deletedIDs), cause: Cause(.messageChangelog))
            isStored = recorder.record(message: deletions, &turn)
        }
        return isStored ? reply : .failure(turn.rules.failure(.connectionClosed))
    }

    /// Processes one part of an answer about channels; the next part follows after other inputs.
    func takePart(_ turn: inout Turn) {
        guard let part = parts.takeNext() else { return }
        let isStored = recorder.record(channels: sync.arrived(part, turn.context), &turn)
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
}
