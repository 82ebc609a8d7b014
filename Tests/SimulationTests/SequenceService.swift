import SyncModel
import TestSupport

/// The machine of a service whose changes are in its stream, as one process has it, and the network between it and
/// `SequenceServer`: answers take time, get lost before and after the request was carried out, and are overtaken by the
/// stream, which leaves messages out, goes on from a point or refuses it.
final class SequenceService: ChatService {
    let capabilities = ServiceCapabilities(
        channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false, placement: .bySequence,
        hasRelations: true)
    let rules: any ServiceRules = FoldingRules()

    private enum Due {
        case login(SessionStart)
        case poll
        /// `told`: how far the stream was when it was asked. Pages go no further, as the stream's token bounds them.
        case arrive(UInt64, ServiceRequest, told: Int)
        case reply(UInt64, ServiceReply)
    }

    private let server: SequenceServer
    private var random: SeededGenerator
    private var agenda: [(time: Int64, order: Int, due: Due)] = []
    private var lastOrder = 0
    private var outputs: [ServiceOutput] = []
    private var now = Moment(monotonic: 0, wall: 0)
    private var open: Set<UInt64> = []
    private var lastKept = 0
    /// Up to where the stream has told; `nil`: it begins again.
    private(set) var position: Int?
    private(set) var isOnline = false
    /// The first answer of a session does not wait for something to happen.
    private var owesAnswer = false
    /// Until when it wants to be asked nothing.
    private var pausedUntil: Int64 = 0
    var isFaulty = true
    private(set) var violation: Violation?
    /// What the service left out, refused or lost, for who wants to know whether a run met it.
    var seen: Set<String> = []
    /// Whether history is held, in a direction behind an edge that a page is asked for from without a bound.
    var isHeldBehind: ((ChannelURL, HistoryEdge, PageDirection) -> Bool)?

    init(_ server: SequenceServer, seed: UInt64) {
        self.server = server
        random = SeededGenerator(seed: seed)
    }

    /// Whether it has told everything and nothing is on its way.
    var isQuiet: Bool {
        isOnline && position == server.log.count && !owesAnswer
            && !agenda.contains { if case .poll = $0.due { false } else { true } }
    }

    // MARK: What the engine wants

    func connect(_ start: SessionStart, now: Moment) {
        self.now = now
        if start.kept != server.lastKept, start.kept != server.mayBeKept {
            violation = Violation(
                description: "what was kept is \(start.kept ?? "-") at login, not \(server.lastKept ?? "-")")
        }
        plan(.login(start), in: delay())
    }

    func resume(from point: String?, now: Moment) {
        self.now = now
        server.note?("  resume from \(point ?? "the beginning")")
        seen.insert("resume")
        position = point.flatMap { Int($0) }
        owesAnswer = true
    }

    func kept(_ isStored: Bool, now: Moment) {
        if isStored { server.lastKept = server.mayBeKept }
    }

    func disconnect(now: Moment) { end() }

    func ask(_ request: ServiceRequest, id: UInt64, timeout: Int64, now: Moment) {
        self.now = now
        open.insert(id)
        server.note?("  asks \(id): \(request)".prefix(200).description)
        if now.monotonic < pausedUntil {
            violation = violation ?? Violation(description: "asked during a pause: \(request)")
        }
        check(request)
        plan(.reply(id, SequenceService.failure(.timedOut, 800_180)), in: max(timeout, 1))
        guard isFaulty, random.chance(6) else {
            return plan(.arrive(id, request, told: position ?? server.log.count), in: delay())
        }
        seen.insert("lost request")
    }

    func cancel(_ id: UInt64, now: Moment) { open.remove(id) }

    func receive(_ input: TransportInput, now: Moment) {}

    private func check(_ request: ServiceRequest) {
        guard case .messages(let url, let edge, let direction, _, _, let until) = request else { return }
        if edge.token.isEmpty { violation = violation ?? Violation(description: "a page is asked for without a token") }
        // What has waited out a pause was asked before it.
        if until == nil, pausedUntil == 0, isHeldBehind?(url, edge, direction) == true {
            violation = violation ?? Violation(description: "a page of \(url) is asked for beyond what is held")
        }
    }

    // MARK: Time

    private func delay() -> Int64 { 1 + random.below(Int64(random.chance(15) ? 1_500 : 150)) }

    private func plan(_ due: Due, in delay: Int64) {
        lastOrder += 1
        agenda.append((now.monotonic + delay, lastOrder, due))
        agenda.sort { ($0.time, $0.order) < ($1.time, $1.order) }
    }

    var nextDeadline: Int64? { agenda.first?.time }

    func takeOutputs() -> [ServiceOutput] {
        defer { outputs = [] }
        return outputs
    }

    func advance(now: Moment) {
        self.now = now
        // One at a time, so that the engine has its say between them.
        guard let first = agenda.first, first.time <= now.monotonic else { return }
        agenda.removeFirst()
        switch first.due {
        case .login(let start): login(start)
        case .poll:
            if position != nil { tell() } else { tellAnew() }
            plan(.poll, in: 1 + random.below(Int64(random.chance(20) ? 3_000 : 300)))
        case .arrive(let id, let request, let told): arrive(id, request, told)
        case .reply(let id, let reply):
            guard open.remove(id) != nil else { return }
            server.note?("answer \(id): \(reply.brief)")
            if case .failure(let failure) = reply, case .rateLimited(let pause) = failure.kind {
                pausedUntil = now.monotonic + pause
            }
            outputs.append(.reply(id: id, reply))
        }
    }

    private func say(_ event: ServiceEvent) {
        server.note?("told \(event.brief)")
        outputs.append(.event(event))
    }

    // MARK: Sessions

    private static func failure(_ kind: ServiceFailure.Kind, _ code: Int) -> ServiceReply {
        .failure(ServiceFailure(kind: kind, code: code, message: "\(kind)"))
    }

    private func login(_ start: SessionStart) {
        if isFaulty, random.chance(12) {
            return say(.disconnected(
                ServiceFailure(kind: .unreachable, code: 800_120, message: "refused"), retryAfter: nil))
        }
        let point = start.resume.flatMap { Int($0) }
        let isContinued = point != nil && !(isFaulty && random.chance(20))
        if point != nil { seen.insert(isContinued ? "goes on" : "refused point") }
        position = isContinued ? point : nil
        (isOnline, owesAnswer, pausedUntil) = (true, true, 0)
        say(.connected(SessionInfo(
            userID: SequenceServer.me, loginTime: server.now, reconnect: ReconnectPolicy(base: 1_000, limit: 4_000),
            isContinued: isContinued)))
        lastKept += 1
        server.mayBeKept = "kept \(now.monotonic) \(lastKept)"
        outputs.append(.event(.keep(server.mayBeKept ?? "")))
        plan(.poll, in: delay())
    }

    /// The connection breaks; the server may still get what is on its way.
    func lose() {
        guard isOnline else { return }
        end()
        say(.disconnected(ServiceFailure(kind: .unreachable, code: 800_200, message: "lost"), retryAfter: nil))
    }

    /// Nobody hears any more what comes. A request that is on its way may still arrive.
    func end() {
        for entry in agenda {
            guard case .arrive(_, .sendMessage(let url, let requestID, let body), _) = entry.due, random.chance(50)
            else { continue }
            seen.insert("late send")
            _ = server.accept(requestID, url, body)
        }
        (agenda, open, isOnline) = ([], [], false)
    }

    // MARK: The stream

    /// One answer of the stream: events of all channels, of which it may leave out messages.
    private func tell() {
        guard let start = position, owesAnswer || start < server.log.count else { return }
        let end = min(server.log.count, start + Int(random.below(Int64(12))) + (owesAnswer ? 0 : 1))
        owesAnswer = false
        var events: [ServiceEvent] = []
        for url in server.urls {
            let told = server.log[start..<end].filter { $0.url == url }.map(\.event)
            let count = told.count { if case .messageReceived = $0 { true } else { false } }
            guard count > 3, random.chance(50) else {
                events += told
                continue
            }
            seen.insert("hole")
            events.append(.hole(
                channelURL: url, older: "t\(start)", newer: server.newest(url, since: start, to: end)))
            events += told.filter { if case .messageReceived = $0 { false } else { true } }
        }
        position = end
        say(.batch(events, resume: "\(end)"))
    }

    /// Nobody knows what was told before.
    private func tellAnew() {
        let end = server.log.count
        owesAnswer = false
        position = end
        say(.batch(
            server.urls.map { url in
                .hole(channelURL: url, older: "", newer: server.newest(url, since: 0, to: end))
            }, resume: "\(end)"))
    }

    // MARK: Answers

    private func arrive(_ id: UInt64, _ request: ServiceRequest, _ told: Int) {
        if isFaulty, random.chance(5) {
            return plan(.reply(id, SequenceService.failure(.unavailable, 500_901)), in: delay())
        }
        if isFaulty, random.chance(2) {
            seen.insert("pause")
            return plan(.reply(id, SequenceService.failure(.rateLimited(retryAfter: 2_000), 500_910)), in: delay())
        }
        let reply = answer(request, told)
        if isFaulty, random.chance(6) { return _ = seen.insert("lost answer") }
        plan(.reply(id, reply), in: delay())
    }

    private func answer(_ request: ServiceRequest, _ told: Int) -> ServiceReply {
        switch request {
        case .messages(let url, let edge, let direction, _, _, let until):
            server.page(url, from: edge, direction, until: until, told: told).map { .messages($0) }
                ?? SequenceService.failure(.refused, 400_111)
        case .messagesAround(let url, let time, _, _): .messages(server.around(url, time, told: told))
        case .edge(let url, let id, let direction, _):
            server.token(beside: id, url, direction).map { .edge(token: $0) }
                ?? SequenceService.failure(.notFound, 400_300)
        case .listChannels: .channels(ChannelPage(channels: server.urls.map { server.channel($0) }, next: ""))
        case .getChannel(let url): .channel(server.channel(url))
        case .sendMessage(let url, let requestID, let body): .accepted(server.accept(requestID, url, body))
        case .getMessage(let url, let id):
            server.messages(url).first { $0.id == id }.map { .message($0) }
                ?? SequenceService.failure(.notFound, 400_300)
        case .unreadCounts: .unreadCounts(UnreadCounts(all: 0, byCustomType: [:], time: 0))
        case .retention: .retention(RetentionPage())
        case .markDelivered: .done
        default: unexpected(request)
        }
    }

    private func unexpected(_ request: ServiceRequest) -> ServiceReply {
        violation = violation ?? Violation(description: "a service with changes in its stream is asked \(request)")
        return SequenceService.failure(.refused, 400_111)
    }
}
