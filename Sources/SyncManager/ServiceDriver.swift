import SyncEngine
import SyncModel
import SyncNetwork
import SyncService

/// Carries the engine's requests to the service and its answers back. Lives on the engine thread.
final class ServiceDriver {
    private struct Exchange {
        var engineID: UInt64
        var request: ServiceRequest
        var timeout: Int64
        var isRepeated = false
    }
    private struct Ack {
        var engineID: UInt64
        var deadline: Int64
    }

    private var service: SendbirdService
    private let caFile: String?
    /// Held from the first connection on: a host that is offline pays for no network.
    private var network: NetworkThread?
    private let post: @Sendable (Client.Input) -> Void
    private var lastExchange: UInt64 = 0
    private var exchanges: [UInt64: Exchange] = [:]
    /// Sends over the socket that wait for their acknowledgement, by request id.
    private var acks: [String: Ack] = [:]
    /// Counts sockets, so that a late word of an old one is not taken for the new one's.
    private var socketNumber: UInt64 = 0
    private var socket: UInt64?
    /// Requests that wait for a fresh session key.
    private var waitingForSession: [Exchange] = []
    private var isRenewing = false

    init(_ configuration: Configuration, post: @escaping @Sendable (Client.Input) -> Void) {
        service = SendbirdService(
            appID: configuration.appID, userID: configuration.userID, apiHost: configuration.apiHost,
            wsHost: configuration.wsHost, accessToken: configuration.accessToken, libraryVersion: Version.text)
        caFile = configuration.caFile
        self.post = post
    }

    // MARK: Connection

    func open(token: String) {
        closeSocket()
        service.setToken(token)
        let login = service.login(token: token)
        var options = WebSocketOptions(url: login.url)
        options.headers = login.headers.map { ($0.name, $0.value) }
        options.caFile = caFile
        socketNumber += 1
        let number = socketNumber
        let post = post
        Log.write(.info, "socket \(number): connecting")
        do throws(NetworkFailure) {
            let network = if let held = network { held } else { try NetworkThread.acquire() }
            self.network = network
            socket = network.openSocket(options) { post(.socket(number, $0)) }
        } catch {
            socket = 0
            post(.socket(number, .closed(error)))
        }
    }

    func closeSocket() {
        guard let socket else { return }
        self.socket = nil
        socketNumber += 1
        network?.closeSocket(socket)
        acks = [:]
        exchanges = [:]
        waitingForSession = []
        isRenewing = false
    }

    func close() {
        closeSocket()
        if network != nil { NetworkThread.release() }
        network = nil
    }

    func received(_ event: SocketEvent, from number: UInt64, _ engine: Engine, now: EngineTime) {
        guard number == socketNumber, socket != nil else { return }
        switch event {
        case .opened: engine.connectionOpened(now: now)
        case .text(let bytes):
            for event in service.decode(frame: bytes) { deliver(event, engine, now) }
        case .closed(let failure):
            Log.write(failure.kind == .notInstalled ? .error : .info, "socket \(number): \(failure.message)")
            socket = nil
            acks = [:]
            exchanges = [:]
            waitingForSession = []
            isRenewing = false
            let isRefused = failure.kind == .refused && (failure.code == 401 || failure.code == 403)
            engine.connectionLost(
                ServiceFailure(
                    kind: isRefused ? .tokenRejected : .unreachable, code: isRefused ? 400_302 : 800_200,
                    message: failure.message),
                now: now)
        }
    }

    private func deliver(_ event: ServiceEvent, _ engine: Engine, _ now: EngineTime) {
        switch event {
        case .reply(let requestID, let reply):
            if let ack = acks.removeValue(forKey: requestID) {
                engine.receive(reply, for: ack.engineID, now: now)
                engine.receive(.pong, now: now)
            } else if case .message(let message) = reply {
                // An acknowledgement that was given up on, or of another device: still a message of this user.
                engine.receive(.messageReceived(channelURL: channelURL(of: message), message: message), now: now)
            }
        case .loginFailed(let failure) where failure.kind == .sessionExpired || failure.kind == .tokenRejected:
            // The session key ran out while away: once more with the access token.
            if !service.sessionKey.isEmpty, !service.accessToken.isEmpty {
                service.forgetSessionKey()
                open(token: service.accessToken)
            } else {
                engine.receive(event, now: now)
            }
        default: engine.receive(event, now: now)
        }
    }

    private func channelURL(of message: MessageRecord) -> String { message.channelURL ?? "" }

    // MARK: Requests

    func send(_ request: ServiceRequest, id: UInt64, timeout: Int64, _ engine: Engine, now: EngineTime) {
        switch service.encode(request) {
        case .frame(let bytes, let awaiting):
            guard let socket, let network else { return fail(id, engine, now) }
            if let awaiting {
                acks[awaiting] = Ack(engineID: id, deadline: now.monotonic + timeout)
            } else if id != 0 {
                engine.receive(.done, for: id, now: now)
            }
            network.sendText(socket, bytes)
        case .http: start(Exchange(engineID: id, request: request, timeout: timeout))
        }
    }

    private func fail(_ id: UInt64, _ engine: Engine, _ now: EngineTime) {
        guard id != 0 else { return }
        let failure = ServiceFailure(kind: .unreachable, code: 800_101, message: "there is no connection")
        engine.receive(.failure(failure), for: id, now: now)
    }

    private func start(_ exchange: Exchange) {
        guard case .http(let method, let url, let headers, let body) = service.encode(exchange.request) else { return }
        lastExchange += 1
        let id = lastExchange
        exchanges[id] = exchange
        let request = HTTPRequest(
            method: method, url: url, headers: headers.map { ($0.name, $0.value) }, body: body,
            timeoutMS: Int(exchange.timeout), caFile: caFile)
        let post = post
        network?.send(request) { post(.http(id, $0)) }
    }

    func received(_ result: Result<HTTPResponse, NetworkFailure>, for id: UInt64, _ engine: Engine, now: EngineTime) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        let reply: ServiceReply
        switch result {
        case .success(let response):
            reply = service.decode(
                exchange.request, status: response.status, headers: response.headers.map { .init($0.0, $0.1) },
                body: response.body)
        case .failure(let failure):
            let code = failure.kind == .timedOut ? 800_180 : 800_120
            reply = .failure(ServiceFailure(kind: .unreachable, code: code, message: failure.message))
        }
        if case .failure(let failure) = reply { Log.write(.warning, "request failed: code \(failure.code)") }
        if exchange.request == .renewSession { return renewed(reply, exchange, engine, now) }
        if case .failure(let failure) = reply, failure.kind == .sessionExpired, !exchange.isRepeated {
            var again = exchange
            again.isRepeated = true
            waitingForSession.append(again)
            renew()
            return
        }
        engine.receive(reply, for: exchange.engineID, now: now)
    }

    /// One renewal serves all that wait for it.
    private func renew() {
        guard !isRenewing else { return }
        isRenewing = true
        start(Exchange(engineID: 0, request: .renewSession, timeout: 60_000))
    }

    private func renewed(_ reply: ServiceReply, _ exchange: Exchange, _ engine: Engine, _ now: EngineTime) {
        isRenewing = false
        let waiting = waitingForSession
        waitingForSession = []
        if exchange.engineID != 0 { engine.receive(reply, for: exchange.engineID, now: now) }
        for exchange in waiting {
            if case .failure = reply {
                engine.receive(reply, for: exchange.engineID, now: now)
            } else {
                start(exchange)
            }
        }
    }

    // MARK: Deadlines

    var nextDeadline: Int64? { acks.values.map(\.deadline).min() }

    func advance(_ engine: Engine, now: EngineTime) {
        for (requestID, ack) in acks.sorted(by: { $0.value.engineID < $1.value.engineID })
        where ack.deadline <= now.monotonic {
            acks[requestID] = nil
            let failure = ServiceFailure(kind: .unreachable, code: 800_180, message: "the service did not acknowledge")
            engine.receive(.failure(failure), for: ack.engineID, now: now)
        }
    }
}
