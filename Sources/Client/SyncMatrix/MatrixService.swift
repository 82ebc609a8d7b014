import SyncJSON
import SyncModel

/// A Matrix homeserver as a chat service: bytes and the time in, bytes and events out.
///
/// One thread at a time. What happens comes by one request after the other to `/sync`, each of which says from where
/// the next one goes on (`MatrixStream`). Everything else goes by exchanges of its own (`MatrixExchanges`), which end
/// with the session.
public final class MatrixService: ChatService {
    public let capabilities = ServiceCapabilities(
        channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false,
        missingActions: Set(Action.allCases).subtracting(MatrixQuestions.offered),
        placement: .bySequence, hasRelations: true)
    public let rules: any ServiceRules = MatrixRules()

    private let userID: UserID
    private var api: MatrixAPI
    private var stream = MatrixStream()
    private var exchanges = MatrixExchanges()
    private var memory = RoomMemory()
    /// All channels as the first answer of the stream had them, until they are listed.
    private var listed: [ChannelRecord]?
    private var outputs: [ServiceOutput] = []

    /// `homeserver`: with its scheme.
    public init(userID: UserID, homeserver: String) {
        self.userID = userID
        api = MatrixAPI(homeserver: homeserver)
    }

    // MARK: ChatService

    public func connect(_ start: SessionStart, now: Moment) {
        end()
        api.token = start.token
        stream.begin(since: start.resume)
        poll(now)
    }

    public func resume(from point: String?, now: Moment) {
        guard stream.isOpen else { return }
        if let exchange = stream.stop() { transport(.closeStream(exchange)) }
        stream.goOn(since: point)
        poll(now)
    }

    public func disconnect(now: Moment) { end() }

    public func ask(_ request: ServiceRequest, id: UInt64, timeout: Int64, now: Moment) {
        guard stream.isOnline else { return reply(id, .failure(rules.failure(.notConnected))) }
        carryOut(
            question(request, timeout: timeout, now), of: request, id: id, now.monotonic.addingClamped(timeout))
    }

    public func cancel(_ id: UInt64, now: Moment) {
        if let exchange = exchanges.remove(id: id) { transport(.cancel(exchange)) }
    }

    public func receive(_ input: TransportInput, now: Moment) {
        switch input {
        case .response(let exchange, let response): answered(exchange, .success(MatrixAnswer(response)), now)
        case .requestFailed(let exchange, let failure): answered(exchange, .failure(ServiceFailure(failure)), now)
        case .streamOpened: break
        case .streamBytes(let exchange, let bytes):
            if !stream.take(bytes, of: exchange, now: now.monotonic) { endSession(.tooLargeAnswer) }
        case .streamRefused(let exchange, let response):
            if stream.ended(exchange) != nil { refused(MatrixAnswer(response), now) }
        case .streamEnded(let exchange, let failure):
            guard let bytes = stream.ended(exchange) else { return }
            if let failure { endSession(ServiceFailure(failure)) } else { heard(bytes, now) }
        // This service opens no sockets, and sends no files.
        case .socketOpened, .socketText, .socketClosed, .progress: break
        }
    }

    public var nextDeadline: Int64? { Moment.earlier(stream.deadline, exchanges.nextDeadline) }

    public func advance(now: Moment) {
        switch stream.due(now) {
        case .nothing: break
        case .poll: poll(now)
        case .silent: endSession(.timedOut)
        }
        for expired in exchanges.removeExpired(now: now.heard) {
            transport(.cancel(expired.exchange))
            reply(expired.id, .failure(.timedOut))
        }
    }

    public func takeOutputs() -> [ServiceOutput] {
        defer { outputs = [] }
        return outputs
    }

    private func reply(_ id: UInt64, _ reply: ServiceReply) { outputs.append(.reply(id: id, reply)) }
    private func transport(_ command: TransportCommand) { outputs.append(.transport(command)) }

    // MARK: Session

    private func end() {
        if let exchange = stream.stop() { transport(.closeStream(exchange)) }
        stream.close()
        // What changes something at the server is not canceled, so that it still gets there.
        for exchange in exchanges.removeAll() { transport(.cancel(exchange)) }
        memory = RoomMemory()
        listed = nil
    }

    private func endSession(_ failure: ServiceFailure) {
        end()
        var pause: Int64?
        if case .rateLimited(let wait) = failure.kind { pause = wait }
        outputs.append(.event(.disconnected(failure, retryAfter: pause)))
    }

    // MARK: The stream

    private func poll(_ now: Moment) {
        let (exchange, since, wait, timeout) = stream.poll(now)
        transport(.openStream(exchange, api.sync(since: since, wait: wait, timeout: timeout)))
    }

    /// The server does not go on from an old or foreign point with another error than with a wrong request.
    private func refused(_ answer: MatrixAnswer, _ now: Moment) {
        let failure = ServiceFailure(answer)
        guard failure.kind == .refused, !stream.isOnline, stream.since != nil else { return endSession(failure) }
        stream.begin(since: nil)
        poll(now)
    }

    private func heard(_ bytes: [UInt8], _ now: Moment) {
        // When what came could not be stored, the stream begins again within the session, and nobody lists.
        let isListing = stream.since == nil && !stream.isOnline
        let reader = SyncReader(userID: userID, heardAt: now.wall, since: stream.since, isListing: isListing)
        guard let answer = try? JSON.parse(bytes), answer.kind == .object, let news = reader.read(answer, &memory)
        else { return endSession(.malformed) }
        if isListing { listed = news.channels }
        if !stream.isOnline {
            outputs.append(.event(.connected(SessionInfo(
                userID: userID, loginTime: now.wall, isContinued: stream.since != nil))))
        }
        let hasNews = !news.events.isEmpty || !stream.isOnline || news.next != stream.since
        stream.heard(next: news.next, hasNews: hasNews, now)
        if hasNews { outputs.append(.event(.batch(news.events, resume: news.next))) }
        if case .poll = stream.due(now) { poll(now) }
    }

    // MARK: Exchanges

    private func question(_ request: ServiceRequest, timeout: Int64, _ now: Moment) -> MatrixStep {
        if case .listChannels = request, let channels = listed {
            listed = nil
            return .reply(.channels(ChannelPage(channels: channels, next: "")))
        }
        return MatrixQuestions(
            api: api, userID: userID, memory: memory, streamToken: stream.since ?? "", timeout: timeout, now: now
        ).question(request)
    }

    private func answered(_ exchange: UInt64, _ result: Result<MatrixAnswer, ServiceFailure>, _ now: Moment) {
        // Unknown: its deadline has passed, or its session has ended.
        guard let entry = exchanges.remove(exchange: exchange) else { return }
        let step: MatrixStep =
            switch result {
            case .success(let answer): entry.then(answer)
            case .failure(let failure): .reply(.failure(failure))
            }
        carryOut(step, of: entry.request, id: entry.id, entry.deadline)
    }

    private func carryOut(_ step: MatrixStep, of request: ServiceRequest, id: UInt64, _ deadline: Int64) {
        switch step {
        case .ask(let next, let then):
            transport(.send(next, id: exchanges.add(id, deadline: deadline, request, then)))
        case .reply(let outcome):
            note(outcome, of: request)
            guard case .failure(let failure) = outcome, failure.kind == .tokenRejected else {
                return reply(id, outcome)
            }
            // No request can succeed with this token any more.
            endSession(failure)
        }
    }

    /// A room that was found not to be encrypted stays so until the stream tells otherwise.
    private func note(_ outcome: ServiceReply, of request: ServiceRequest) {
        guard case .sendMessage(let url, _, _) = request, case .accepted = outcome else { return }
        if memory.isEncrypted[url] == nil { memory.isEncrypted[url] = false }
    }
}

extension ServiceFailure {
    fileprivate static let tooLargeAnswer = ServiceFailure(
        kind: .unavailable, code: MatrixCodes.tooLarge, message: "an answer of the stream is too large")
}
