import SyncJSON
import SyncModel

/// The Sendbird Platform as a chat service: bytes and the time in, bytes and events out.
///
/// One thread at a time. The session is an explicit state (`SessionState`); what is under way is kept in `Calls`. When
/// the session ends, both are dropped: no reply comes for what was asked before.
public final class SendbirdService: ChatService {
    public let capabilities = ServiceCapabilities()
    public let rules: any ServiceRules = SendbirdRules()

    /// Time for the socket to open and the login to be answered, and for a new session key, in milliseconds.
    private static let loginTimeout: Int64 = 20_000
    private static let renewalTimeout: Int64 = 60_000

    private let encoder: RequestEncoder
    private let decoder: FrameDecoder
    private var credentials = Credentials()
    private var session = SessionState.offline
    private var calls = Calls()
    /// Numbers are never used twice: late words about an old one are told by them.
    private var lastSocket: UInt64 = 0
    private var outputs: [ServiceOutput] = []

    /// Hosts are given with their scheme; `nil` means the service's own for the app.
    public init(appID: String, userID: String, apiHost: String?, wsHost: String?, libraryVersion: String) {
        encoder = RequestEncoder(
            appID: appID, userID: userID, apiHost: apiHost, wsHost: wsHost, libraryVersion: libraryVersion)
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

    public func connect(token: String, now: Moment) {
        dropSession(closingSocket: true)
        credentials.setToken(token)
        openSocket(deadline: now.monotonic.adding(SendbirdService.loginTimeout))
    }

    public func disconnect(now: Moment) { dropSession(closingSocket: true) }

    public func ask(_ request: ServiceRequest, id: UInt64, timeout: Int64, now: Moment) {
        guard case .online = session else { return reply(id, .failure(rules.failure(.notConnected))) }
        start(Calls.Call(id: id, request: request, deadline: now.monotonic.adding(timeout)), now)
    }

    public func receive(_ input: TransportInput, now: Moment) {
        switch input {
        case .response(let id, let response): answered(exchange: id, .success(response), now)
        case .requestFailed(let id, let failure): answered(exchange: id, .failure(ServiceFailure(failure)), now)
        case .socketOpened(let socket):
            if case .opening(let login) = session, login.socket == socket { session = .loggingIn(login) }
        case .socketText(let socket, let text): heard(text, on: socket, now)
        case .socketClosed(let socket, let failure):
            if session.socket == socket { socketClosed(failure) }
        }
    }

    public var nextDeadline: Int64? { [session.deadline, calls.nextDeadline].compactMap { $0 }.min() }

    public func advance(now: Moment) {
        if let deadline = session.deadline, deadline <= now.monotonic { sessionIsDue(now) }
        let late = calls.takeLate(now: now.monotonic)
        for call in late.calls {
            let reason = call.requestID == nil ? "no answer came in time" : "the service did not acknowledge"
            reply(
                call.id,
                .failure(ServiceFailure(kind: .timedOut, code: FailureCodes.timedOut, message: reason)))
        }
        if late.renewal {
            renewed(
                .failure(ServiceFailure(
                    kind: .timedOut, code: FailureCodes.timedOut, message: "the session key was not renewed in time")),
                now)
        }
    }

    public func takeOutputs() -> [ServiceOutput] {
        defer { outputs.removeAll(keepingCapacity: true) }
        return outputs
    }

    private func reply(_ id: UInt64, _ reply: ServiceReply) { outputs.append(.reply(id: id, reply)) }
    private func transport(_ command: TransportCommand) { outputs.append(.transport(command)) }

    // MARK: Session

    private func openSocket(deadline: Int64) {
        lastSocket += 1
        let login = encoder.login(credentials)
        session = .opening(SessionState.Login(
            socket: lastSocket, deadline: deadline, usesSessionKey: !credentials.sessionKey.isEmpty))
        transport(.openSocket(lastSocket, url: login.url, headers: login.headers))
    }

    private func dropSession(closingSocket: Bool) {
        if closingSocket, let socket = session.socket { transport(.closeSocket(socket)) }
        session = .offline
        calls.removeAll()
    }

    private func end(_ failure: ServiceFailure, retryAfter: Int64? = nil, closingSocket: Bool = true) {
        dropSession(closingSocket: closingSocket)
        outputs.append(.event(.disconnected(failure, retryAfter: retryAfter)))
    }

    private func socketClosed(_ failure: TransportFailure) {
        if case .refused(let status) = failure.kind, status == 401 || status == 403, session.login != nil {
            return loginRefused(
                ServiceFailure(kind: .tokenRejected, code: FailureCodes.tokenRejected, message: failure.message),
                closingSocket: false)
        }
        end(
            ServiceFailure(kind: .unreachable, code: FailureCodes.connectionClosed, message: failure.message),
            closingSocket: false)
    }

    /// A session key may have run out while away: then once more with the access token, in what is left of the time.
    private func loginRefused(_ failure: ServiceFailure, closingSocket: Bool = true) {
        guard let login = session.login else { return }
        guard failure.kind == .tokenRejected, login.usesSessionKey, !credentials.accessToken.isEmpty else {
            return end(failure, closingSocket: closingSocket)
        }
        dropSession(closingSocket: closingSocket)
        credentials.forgetSessionKey()
        openSocket(deadline: login.deadline)
    }

    private func loggedIn(_ answer: LoginAnswer, _ now: Moment) {
        credentials.adopt(sessionKey: answer.sessionKey)
        guard !answer.isRenewal, let login = session.login else { return }
        guard let info = answer.info else {
            return end(ServiceFailure(
                kind: .unavailable, code: FailureCodes.malformed, message: "the login has no time of the service"))
        }
        let interval = max(answer.pingInterval, 1000)
        session = .online(SessionState.Online(
            socket: login.socket, pingInterval: interval, pongTimeout: max(answer.pongTimeout, 1000),
            life: .pingDue(at: now.monotonic.adding(interval))))
        outputs.append(.event(.connected(info)))
    }

    /// The login took too long, a sign of life has to be asked for, or none came.
    private func sessionIsDue(_ now: Moment) {
        if case .online(var online) = session, case .pingDue = online.life {
            online.life = .waiting(until: now.monotonic.adding(online.pongTimeout))
            session = .online(online)
            return transport(.sendText(encoder.ping(time: now.wall), socket: online.socket))
        }
        end(ServiceFailure(
            kind: .unreachable, code: FailureCodes.noSignOfLife, message: "the service gave no sign of life"))
    }

    // MARK: Socket

    private func heard(_ text: [UInt8], on socket: UInt64, _ now: Moment) {
        guard session.socket == socket else { return }
        if case .online(var online) = session {
            online.life = .pingDue(at: now.monotonic.adding(online.pingInterval))
            session = .online(online)
        }
        for event in decoder.decode(text) {
            take(event, now)
            // What came behind the end of the session is of no session.
            guard session.socket == socket else { return }
        }
    }

    private func take(_ event: WireEvent, _ now: Moment) {
        switch event {
        case .loggedIn(let answer): return loggedIn(answer, now)
        case .loginRefused(let failure): return loginRefused(failure)
        // Some services refuse a login with a plain error.
        case .failed(let failure) where session.login != nil: return loginRefused(failure)
        case .busy(let pause):
            let failure = ServiceFailure(
                kind: .rateLimited(retryAfter: pause), code: FailureCodes.overloaded,
                message: "the service is overloaded")
            return end(failure, retryAfter: pause)
        case .tokenRevoked: return end(SendbirdService.revoked)
        default: break
        }
        guard case .online = session else { return }
        switch event {
        case .sessionExpired: renew(now)
        case .failed(let failure):
            // Other errors concern no request of ours; when it means to, the service closes the socket.
            if failure.isSessionExpired { return renew(now) }
            if failure.code == FailureCodes.tokenRevoked || failure.code == FailureCodes.tokenRejected { end(failure) }
        case .acknowledged(let requestID, let url, let message):
            let waiting = calls.take(requestID: requestID)
            for call in waiting { reply(call.id, .message(message)) }
            // One that was given up, or of another device: still a message of this user.
            if waiting.isEmpty, !url.isEmpty {
                outputs.append(.event(.messageReceived(channelURL: url, message: message)))
            }
        case .refused(let requestID, let failure):
            for call in calls.take(requestID: requestID) { finish(call, .failure(failure), now) }
        case .event(let event): outputs.append(.event(event))
        case .alive, .loggedIn, .loginRefused, .busy, .tokenRevoked: break
        }
    }

    private static let revoked = ServiceFailure(
        kind: .tokenRejected, code: FailureCodes.tokenRevoked, message: "the service ended the session")

    // MARK: Requests

    private func start(_ call: Calls.Call, _ now: Moment) {
        guard case .online(let online) = session else { return }
        switch encoder.encode(call.request, sessionKey: credentials.sessionKey) {
        case .http(let method, let url, let headers, let body):
            let timeout = max(1, call.deadline.subtracting(now.monotonic))
            let exchange = calls.add(call, sessionKey: credentials.sessionKey)
            let request = TransportRequest(method: method, url: url, headers: headers, body: body, timeout: timeout)
            transport(.send(request, id: exchange))
        case .frame(let bytes, let awaiting):
            transport(.sendText(bytes, socket: online.socket))
            guard let awaiting else { return reply(call.id, .done) }
            calls.add(call, awaiting: awaiting, sessionKey: credentials.sessionKey)
        }
    }

    private func answered(exchange: UInt64, _ result: Result<TransportResponse, ServiceFailure>, _ now: Moment) {
        if calls.takeRenewal(exchange: exchange) {
            return renewed(result.flatMap { ReplyDecoder.renewal($0) }, now)
        }
        // Of a request that was given up, or of a session that is over.
        guard let call = calls.take(exchange: exchange) else { return }
        switch result {
        case .success(let response): finish(call, ReplyDecoder.decode(call.request, response), now)
        case .failure(let failure): finish(call, .failure(failure), now)
        }
    }

    private func finish(_ call: Calls.Call, _ outcome: ServiceReply, _ now: Moment) {
        guard case .failure(let failure) = outcome else { return reply(call.id, outcome) }
        guard failure.isSessionExpired else {
            // Nothing can be asked with this token any more.
            return failure.kind == .tokenRejected ? end(failure) : reply(call.id, outcome)
        }
        guard !call.isRepeated else {
            // Refused with a fresh key: the service is at odds with itself.
            var failure = failure
            failure.kind = .unavailable
            return reply(call.id, .failure(failure))
        }
        var again = call
        again.isRepeated = true
        // The key was renewed since it was asked.
        if call.sessionKey != credentials.sessionKey { return start(again, now) }
        calls.wait(again)
        renew(now)
    }

    /// One renewal serves all that wait for it.
    private func renew(_ now: Moment) {
        let deadline = now.monotonic.adding(SendbirdService.renewalTimeout)
        guard let exchange = calls.beginRenewal(deadline: deadline) else { return }
        let request = encoder.renewal(credentials, timeout: SendbirdService.renewalTimeout)
        transport(.send(request, id: exchange))
    }

    private func renewed(_ result: Result<String, ServiceFailure>, _ now: Moment) {
        switch result {
        case .success(let key):
            credentials.adopt(sessionKey: key)
            for call in calls.takeWaiting() { start(call, now) }
        case .failure(let failure) where failure.kind == .tokenRejected: end(failure)
        case .failure(let failure): for call in calls.takeWaiting() { reply(call.id, .failure(failure)) }
        }
    }
}

extension Int64 {
    /// Sums of times: at the ends of the range they stop there.
    fileprivate func adding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.min : Int64.max) : sum
    }

    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? Int64.max : Int64.min) : difference
    }
}
