import SyncJSON
import SyncModel

/// The Sendbird Platform as a chat service: bytes and the time in, bytes and events out.
///
/// One thread at a time. The session is an explicit state (`SessionState`), requests without a reply are in
/// `PendingRequests`. When the session ends both are reset: earlier requests get no reply any more.
public final class SendbirdService: ChatService {
    public let capabilities = ServiceCapabilities()
    public let rules: any ServiceRules = SendbirdRules()

    /// Time for the socket to open and the login to be answered, and for a new session key, in milliseconds.
    private static let loginTimeout: Int64 = 20_000
    private static let renewalTimeout: Int64 = 60_000

    private let encoder: RequestEncoder
    private let decoder: FrameDecoder
    private var credentials = Credentials()
    private var retentionTime: Int64 = 0
    private var session = SessionState.offline
    private var pending = PendingRequests()
    /// Numbers are never used twice, so that late input from an old socket is recognised.
    private var lastSocket: UInt64 = 0
    private var outputs: [ServiceOutput] = []
    /// The last failure by which the service asked for a pause, and until when the pause lasts.
    private var pause: (failure: ServiceFailure, until: Int64)?

    /// Hosts are given with their scheme; `nil` means the service's own for the app. `appVersion` is the host's.
    /// `isSessionExpiring`: session keys run out, and the host gives a new access token when one is needed.
    public init(
        appID: String, userID: UserID, apiHost: String?, wsHost: String?, libraryVersion: String,
        appVersion: String = "", systemVersion: String = "", isSessionExpiring: Bool = false
    ) {
        encoder = RequestEncoder(
            appID: appID, userID: userID, apiHost: apiHost, wsHost: wsHost, libraryVersion: libraryVersion,
            appVersion: appVersion, systemVersion: systemVersion, isSessionExpiring: isSessionExpiring)
        decoder = FrameDecoder(userID: userID)
    }

    /// Reads a message object that the host got from the service over a connection of its own, in either dialect.
    public static func message(_ document: JSON) -> MessageRecord? {
        guard document.kind == .object else { return nil }
        return document.serialized().withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return (try? MessageCodec.read(from: &reader)).flatMap { $0 }
        }
    }

    // MARK: ChatService

    public func connect(_ start: SessionStart, now: Moment) {
        let token = start.token
        retentionTime = start.retentionTime
        resetSession(closingSocket: true)
        credentials.setToken(token)
        openSocket(deadline: now.monotonic.addingClamped(SendbirdService.loginTimeout))
    }

    public func disconnect(now: Moment) { resetSession(closingSocket: true, keepsSends: false) }

    public func ask(_ request: ServiceRequest, id: UInt64, timeout: Int64, now: Moment) {
        let entry = PendingRequests.Entry(id: id, request: request, timeout: timeout, now: now.monotonic)
        if case .sendMessageByRequest = request {
            guard !credentials.sessionKey.isEmpty else { return reply(id, .failure(.keyRefused)) }
            return send(entry, now)
        }
        guard case .online = session else { return reply(id, .failure(rules.failure(.notConnected))) }
        send(entry, now)
    }

    public func cancel(_ id: UInt64, now: Moment) {
        guard let exchange = pending.remove(id: id)?.exchange else { return }
        transport(.discard(exchange))
    }

    public func receive(_ input: TransportInput, now: Moment) {
        switch input {
        case .progress(let exchange, let done, let total):
            if let id = pending.extend(exchange: exchange, now: now.monotonic) {
                outputs.append(.progress(id: id, done: done, total: total))
            }
        case .response(let id, let response): receiveAnswer(exchange: id, .success(response), now)
        case .requestFailed(let id, let failure): receiveAnswer(exchange: id, .failure(ServiceFailure(failure)), now)
        case .socketOpened(let socket):
            if case .opening(let login) = session, login.socket == socket { session = .loggingIn(login) }
        case .socketText(let socket, let text): receiveText(text, on: socket, now)
        case .socketClosed(let socket, let failure):
            if session.socket == socket { socketClosed(failure) }
        // This service opens no streams.
        case .streamOpened, .streamBytes, .streamRefused, .streamEnded: break
        }
    }

    public var nextDeadline: Int64? { Moment.earlier(session.deadline, pending.nextDeadline) }

    public func advance(now: Moment) {
        if let deadline = session.deadline, deadline <= now.heard { sessionDeadlineReached(now) }
        let expired = pending.removeExpired(now: now.heard)
        for entry in expired.entries {
            if let exchange = entry.exchange { transport(.cancel(exchange)) }
            if case .uploadFile = entry.request {
                reply(entry.id, .failure(.uploadTimedOut))
                continue
            }
            let reason = entry.awaitsAcknowledgement ? "the service did not acknowledge" : "no answer came in time"
            reply(entry.id, .failure(.timedOut(reason)))
        }
        if let exchange = expired.renewal {
            transport(.cancel(exchange))
            finishRenewal(.failure(.timedOut("the session key was not renewed in time")), now)
        }
    }

    public func takeOutputs() -> [ServiceOutput] {
        defer { outputs = [] }
        return outputs
    }

    private func reply(_ id: UInt64, _ reply: ServiceReply) { outputs.append(.reply(id: id, reply)) }
    private func transport(_ command: TransportCommand) { outputs.append(.transport(command)) }

    // MARK: Session

    private func openSocket(deadline: Int64) {
        lastSocket += 1
        let login = encoder.login(credentials, retentionTime: retentionTime)
        session = .opening(SessionState.Login(
            socket: lastSocket, deadline: deadline, usesSessionKey: !credentials.sessionKey.isEmpty))
        transport(.openSocket(lastSocket, url: login.url, headers: login.headers))
    }

    /// Messages that are sent by requests outlive the session, unless the host ends it.
    private func resetSession(closingSocket: Bool, keepsSends: Bool = true) {
        if closingSocket, let socket = session.socket { transport(.closeSocket(socket)) }
        session = .offline
        // Requests that change something are not canceled, so that they still reach the service. They end by their own
        // deadline.
        let ended = pending.removeAll { request in
            if keepsSends, case .sendMessageByRequest = request { true } else { false }
        }
        for exchange in ended { transport(.cancel(exchange)) }
    }

    private func endSession(_ failure: ServiceFailure, retryAfter: Int64? = nil, closingSocket: Bool = true) {
        resetSession(closingSocket: closingSocket)
        outputs.append(.event(.disconnected(failure, retryAfter: retryAfter)))
    }

    private func socketClosed(_ failure: TransportFailure) {
        if case .refused(let status) = failure.kind, status == 401 || status == 403, session.login != nil {
            return loginRefused(
                ServiceFailure(kind: .tokenRejected, code: FailureCodes.tokenRejected, message: failure.message),
                closingSocket: false)
        }
        if failure.kind == .textTooLarge, let entry = pending.removeLargestSend() {
            // If the message were sent again, it would end every session.
            reply(entry.id, .failure(.tooLargeToSend(entry.request.bodySize)))
        }
        endSession(
            ServiceFailure(kind: .unreachable, code: FailureCodes.connectionClosed, message: failure.message),
            closingSocket: false)
    }

    /// A session key may have expired while offline: then once more with the access token, by the same deadline.
    private func loginRefused(_ failure: ServiceFailure, closingSocket: Bool = true) {
        guard let login = session.login else { return }
        guard failure.kind == .tokenRejected, login.usesSessionKey, !credentials.accessToken.isEmpty else {
            return endSession(failure, closingSocket: closingSocket)
        }
        resetSession(closingSocket: closingSocket)
        credentials.forgetSessionKey()
        openSocket(deadline: login.deadline)
    }

    private func loggedIn(_ answer: LoginAnswer, _ now: Moment) {
        credentials.adopt(sessionKey: answer.sessionKey)
        credentials.adopt(fileKey: answer.fileKey)
        guard !answer.isRenewal, let login = session.login else { return }
        guard var info = answer.info else {
            return endSession(ServiceFailure(
                kind: .unavailable, code: FailureCodes.malformed, message: "the login has no time of the service"))
        }
        let interval = max(answer.pingInterval, 1000)
        session = .online(SessionState.Online(
            socket: login.socket, pingInterval: interval, pongTimeout: max(answer.pongTimeout, 1000),
            keepAlive: .pingDue(at: now.monotonic.addingClamped(interval))))
        info.takesMessagesByRequest = !credentials.sessionKey.isEmpty
        outputs.append(.event(.connected(info)))
    }

    /// The login took too long, a ping has to be sent, or nothing was received after one.
    private func sessionDeadlineReached(_ now: Moment) {
        if case .online(var online) = session, case .pingDue = online.keepAlive {
            online.keepAlive = .pongDue(by: now.monotonic.addingClamped(online.pongTimeout))
            session = .online(online)
            return transport(.sendText(encoder.ping(time: now.wall), socket: online.socket))
        }
        endSession(ServiceFailure(
            kind: .unreachable, code: FailureCodes.peerSilent, message: "the service gave no sign of life"))
    }

    // MARK: Socket

    private func receiveText(_ text: [UInt8], on socket: UInt64, _ now: Moment) {
        guard session.socket == socket else { return }
        if case .online(var online) = session {
            // Whatever comes shows that the peer is there.
            online.keepAlive = .pingDue(at: now.monotonic.addingClamped(online.pingInterval))
            session = .online(online)
        }
        for event in decoder.decode(text) {
            handle(event, now)
            // Commands behind the one that ended the session belong to no session.
            guard session.socket == socket else { return }
        }
    }

    private func handle(_ event: WireEvent, _ now: Moment) {
        switch event {
        case .loggedIn(let answer): return loggedIn(answer, now)
        case .loginRefused(let failure): return loginRefused(failure)
        // Some services refuse a login with a plain error.
        case .failed(let failure) where session.login != nil: return loginRefused(failure)
        case .busy(let pause):
            let failure = ServiceFailure(
                kind: .rateLimited(retryAfter: pause), code: FailureCodes.overloaded,
                message: "the service is overloaded")
            return endSession(failure, retryAfter: pause)
        case .tokenRevoked: return endSession(SendbirdService.revoked)
        default: break
        }
        guard case .online = session else { return }
        switch event {
        case .sessionExpired: renew(now)
        case .failed(let failure):
            if failure.isSessionExpired { return renew(now) }
            // An error that names no request and cannot concern a single command concerns the connection.
            if !failure.concernsCommandAlone { endSession(failure) }
        case .acknowledged(let requestID, let url, let message):
            let waiting = pending.remove(requestID: requestID)
            for entry in waiting { reply(entry.id, .message(message)) }
            // The acknowledgement came after the deadline, or is for a request of another device. It still has a
            // message of this user.
            if waiting.isEmpty, !url.isEmpty {
                outputs.append(.event(.messageReceived(channelURL: url, message: message)))
            }
        case .answered(let requestID, let document):
            for entry in pending.remove(requestID: requestID) {
                guard case .action(let call) = entry.request else {
                    reply(entry.id, .failure(.malformed))
                    continue
                }
                reply(entry.id, ReplyDecoder.answer(try? JSON.parse(document), to: call, encoder.userID))
            }
        case .refused(let requestID, let failure):
            for entry in pending.remove(requestID: requestID) { complete(entry, .failure(failure), now) }
        case .event(let event): outputs.append(.event(event))
        case .alive, .loggedIn, .loginRefused, .busy, .tokenRevoked: break
        }
    }

    private static let revoked = ServiceFailure(
        kind: .tokenRejected, code: FailureCodes.tokenRevoked, message: "the service ended the session")

    // MARK: Requests

    private func send(_ entry: PendingRequests.Entry, _ now: Moment) {
        // The engine observes pauses that it is told of. Requests that are repeated here have to observe them, too.
        if entry.isRepeated, let pause, now.monotonic < pause.until {
            var failure = pause.failure
            failure.kind = .rateLimited(retryAfter: pause.until.subtractingClamped(now.monotonic))
            return reply(entry.id, .failure(failure))
        }
        // The id has the time in it, since another device of this user may use the same numbers.
        let requestID: RequestID = "\(now.wall)-\(entry.id)"
        switch encoder.encode(entry.request, credentials, requestID: requestID) {
        case .http(let method, let url, let headers, let body, let file):
            let timeout = max(1, entry.deadline.subtractingClamped(now.monotonic))
            let exchange = pending.add(
                entry, isReading: method == "GET" || file != nil, sessionKey: credentials.sessionKey)
            let request = TransportRequest(
                method: method, url: url, headers: headers, body: body, timeout: timeout, file: file)
            transport(.send(request, id: exchange))
        case .refused(let failure): reply(entry.id, .failure(failure))
        case .known(let known): reply(entry.id, known)
        case .frame(let bytes, let awaiting):
            guard case .online(let online) = session else { return }
            transport(.sendText(bytes, socket: online.socket))
            guard let awaiting else {
                if case .action(let call) = entry.request {
                    return reply(entry.id, ReplyDecoder.answer(nil, to: call, encoder.userID))
                }
                return reply(entry.id, .done)
            }
            pending.add(entry, awaiting: awaiting, sessionKey: credentials.sessionKey)
        }
    }

    private func receiveAnswer(exchange: UInt64, _ result: Result<TransportResponse, ServiceFailure>, _ now: Moment) {
        if pending.endRenewal(exchange: exchange) {
            return finishRenewal(result.flatMap { ReplyDecoder.renewal($0) }, now)
        }
        // Unknown: its deadline has passed, or its session has ended.
        guard let entry = pending.remove(exchange: exchange) else { return }
        switch result {
        case .success(let response): complete(
                entry, ReplyDecoder.decode(entry.request, response, userID: encoder.userID), now)
        case .failure(let failure): complete(entry, .failure(failure), now)
        }
    }

    private func complete(_ entry: PendingRequests.Entry, _ outcome: ServiceReply, _ now: Moment) {
        guard case .failure(var failure) = outcome else { return reply(entry.id, outcome) }
        switch entry.request {
        case .action where failure.concernsActionAlone: failure.kind = .refused
        case .uploadFile where failure.concernsActionAlone: failure.kind = .refused
        case .uploadFile where failure.kind == .timedOut: failure = .uploadTimedOut
        default: break
        }
        // For anything but a message, the code means that something else has that name.
        if failure.kind == .exists, !entry.request.isSend { failure.kind = .refused }
        if case .sendMessageByRequest = entry.request, failure.kind == .tokenRejected {
            // The next login finds out the cause. Until then no message is sent by request.
            if entry.sessionKey == credentials.sessionKey { credentials.forgetSessionKey() }
            return reply(entry.id, .failure(.keyRefused))
        }
        let outcome = ServiceReply.failure(failure)
        if case .rateLimited(let wait) = failure.kind { pause = (failure, now.monotonic.addingClamped(wait)) }
        guard failure.isSessionExpired else {
            // No request can succeed with this token any more.
            return failure.kind == .tokenRejected ? endSession(failure) : reply(entry.id, outcome)
        }
        guard !entry.isRepeated else {
            // A new key is refused as expired: a fault of the service, not of the token.
            var failure = failure
            failure.kind = .unavailable
            return reply(entry.id, .failure(failure))
        }
        var repeated = entry
        repeated.isRepeated = true
        // The key has been renewed since this was sent.
        if entry.sessionKey != credentials.sessionKey { return send(repeated, now) }
        pending.hold(repeated)
        renew(now)
    }

    /// One renewal serves all that wait for it.
    private func renew(_ now: Moment) {
        let deadline = now.monotonic.addingClamped(SendbirdService.renewalTimeout)
        guard let exchange = pending.beginRenewal(deadline: deadline) else { return }
        let request = encoder.renewal(credentials, timeout: SendbirdService.renewalTimeout)
        transport(.send(request, id: exchange))
    }

    private func finishRenewal(_ result: Result<String, ServiceFailure>, _ now: Moment) {
        switch result {
        case .success(let key):
            credentials.adopt(sessionKey: key)
            for entry in pending.removeHeld() { send(entry, now) }
        case .failure(let failure) where failure.kind == .tokenRejected: endSession(failure)
        case .failure(let failure): for entry in pending.removeHeld() { reply(entry.id, .failure(failure)) }
        }
    }
}
