import ServerBase
import ServerChat
import ServerHTTP
import ServerRealtime
import ServerRoutes
import ServerTools
import SyncBytes
import SyncJSON

/// The chat server and its database without their fronts: it is given requests, sockets' texts and the time, and knows
/// no descriptor and no thread. `Server` drives it from an epoll loop, `InProcessServer` from the calls of its owner.
final class ServerCore {
    let options: ServerOptions
    let clock: Clock
    let timers: TimerQueue
    let hub: SocketHub
    let storage: Storage
    let chat: Chat
    let database: DatabaseService
    let apiToken: String
    private let router: Router
    private let control: ControlEndpoint?
    private let commands: CommandHandler

    private static let sweepInterval: Int64 = 5000

    init(_ options: ServerOptions, clock: Clock = Clock(), random: RandomSource = RandomSource()) throws {
        self.options = options
        self.clock = clock
        timers = TimerQueue(clock: clock)
        hub = SocketHub(clock: clock, timers: timers)
        let folder = try options.files.map {
            try FileFolder(path: $0, quota: options.chat.fileQuota, random: random)
        }
        storage = try Storage(path: options.database, random: random, folder: folder)
        chat = Chat(storage: storage, clock: clock, timers: timers, hub: hub, options: options.chat)
        apiToken = options.apiToken ?? random.hex(20)
        database = DatabaseService(
            store: StoredTrees(storage), accounts: ChatAccounts(chat), clock: clock, timers: timers, random: random,
            options: DatabaseOptions(apiToken: apiToken, keepAlive: options.keepAlive, isStrict: options.isStrict))
        let limiter = options.rateLimit.map { RateLimiter(limit: $0) }
        router = Router(
            chat: chat,
            options: RouterOptions(
                apiToken: apiToken, origin: options.origin ?? "http://\(options.host):\(options.port)",
                isStrict: options.isStrict),
            limiter: limiter)
        control = options.isControlled ? ControlEndpoint(chat, storage, database) : nil
        commands = CommandHandler(chat, control?.faults, limiter)
        clock.resume(at: try storage.lastTime())
        try chat.application.loadSettings()
        hub.onText = { [unowned self] text, socket in
            control?.traffic.frame(text, of: socket.userID, at: clock.now())
            commands.receive(text, socket)
        }
        hub.onClose = { [unowned self] socket in
            guard !socket.userID.isEmpty, !hub.isOnline(socket.userID) else { return }
            do { try storage.users.saw(socket.userID, at: clock.now()) } catch {
                Log.failure("the last sight of a user was not stored", error)
            }
        }
        sweepLater()
    }

    /// Fills the storage as the options say, and does what came due while no server ran. To be called once, before the
    /// first request.
    func start() throws -> Seeder.Result {
        let seeded = try Seeder(chat, storage, options.seeding).seed()
        chat.due.start()
        return seeded
    }

    /// Which of the two services a request comes to; each has a port of its own.
    enum Door {
        case chat
        case database
    }

    /// Where the body of a request goes that is still to come.
    func intake(_ request: HTTPRequest) -> BodyIntake { UploadGate(router, chat).intake(request) }

    func answer(_ request: HTTPRequest, at door: Door = .chat) -> HTTPAnswer {
        if door == .chat, let control, request.target.segments.first == "control" {
            defer { database.review() }
            return .response(control.answer(request))
        }
        if control?.faults.refusesConnections == true { return .response(HTTPResponse(body: [], delivery: .none)) }
        if request.method == "OPTIONS" { return .response(HTTPResponse.preflight(request)) }
        let path = request.target.raw
        let delay = control?.faults.delay(for: path) ?? 0
        if door == .chat, request.header("Upgrade") != nil, let accept = SocketLogin.accept(request) {
            if control?.faults.take(for: path) != nil { return .response(HTTPResponse(body: [], delivery: .none)) }
            control?.traffic.request(request, status: 101, at: clock.now())
            // The connection's headers must not be asked for once it is upgraded; what login needs is read now.
            let kept = SocketLogin.keep(request)
            return .upgrade(accept: accept.key, headers: accept.protocols) { [unowned self] link in
                SocketLogin(chat: chat, faults: control?.faults).open(kept, link)
            }
        }
        let answer: HTTPAnswer
        if let fault = control?.faults.take(for: path) {
            answer = .response(FaultPlan.answer(fault, request, refusal(door)) { respond(request, door) })
        } else {
            answer = door == .chat ? .response(router.answer(request)) : database.answer(request)
        }
        switch answer {
        case .response(let response), .stream(let response, _):
            let status = response.delivery == .none ? 0 : response.status
            control?.traffic.request(request, status: status, at: clock.now())
        case .delayed, .upgrade: break
        }
        return delay > 0 ? .delayed(answer, milliseconds: delay) : answer
    }

    /// The whole answer to a request, for a fault that spoils it.
    private func respond(_ request: HTTPRequest, _ door: Door) -> HTTPResponse {
        door == .chat ? router.answer(request) : database.wholeAnswer(request)
    }

    /// The form of a refusal that a test asks for.
    private func refusal(_ door: Door) -> (Refusal) -> HTTPResponse {
        switch door {
        case .chat: { HTTPResponse($0) }
        case .database: { DatabaseRefusal($0.status, $0.message).response }
        }
    }

    /// Begins to stop: delivery marks that wait are told, and every socket gets a close frame. The front sends these
    /// before it calls `close`.
    func stop() {
        chat.reading.tellDeliveries()
        for socket in hub.all { socket.end(code: 1001, reason: "the server stops") }
        database.stop()
    }

    /// Ends all sockets and closes the storage.
    func close() {
        for socket in hub.all { socket.close() }
        if options.database == Storage.inMemory { try? storage.files.folder?.clean { _ in false } }
        storage.connection.shut()
    }

    /// Looks for dead peers at intervals. Clients have to ping: one that misses a ping is pinged, after three it is
    /// dropped.
    private func sweepLater() {
        timers.after(ServerCore.sweepInterval) { [weak self] in
            guard let self else { return }
            let interval = options.pingInterval * 1000
            let patience = options.pongTimeout * 1000
            hub.sweep(pingAfter: interval + patience, dropAfter: interval * 3 + patience)
            sweepLater()
        }
    }
}
