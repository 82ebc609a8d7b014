import CLinux
import Glibc
import SyncJSON
import SyncWebSocket

/// The embedded chat server: everything on one thread, which waits in one epoll.
final class Server {
    let options: Options
    let loop: EventLoop
    let hub: SocketHub
    let clock = Clock()
    let storage: Storage
    let chat: Chat
    let router: Router
    let control: ControlEndpoint?
    private let apiToken: String
    private let commands: CommandHandler
    private var front: HTTPFront?

    init(_ options: Options) throws {
        self.options = options
        guard let loop = EventLoop() else { throw DatabaseError(code: errno, message: "no epoll descriptor") }
        self.loop = loop
        hub = SocketHub(loop: loop)
        storage = try Storage(path: options.database)
        chat = Chat(storage: storage, clock: clock, hub: hub, options: options)
        apiToken = options.apiToken ?? Storage.randomHex(20)
        router = Router(chat: chat, apiToken: apiToken)
        control = options.isControlled ? ControlEndpoint(chat) : nil
        commands = CommandHandler(chat)
        clock.resume(at: try storage.lastTime())
        hub.onText = { [unowned self] text, socket in
            control?.traffic.frame(text, of: socket.userID, at: clock.now())
            commands.receive(text, socket)
        }
        hub.onClose = { [unowned self] socket in
            guard !socket.userID.isEmpty, !hub.isOnline(socket.userID) else { return }
            do { try storage.sawUser(socket.userID, at: clock.now()) } catch {
                Log.failure("the last sight of a user was not stored", error)
            }
        }
    }

    /// Binds, says that it is ready, and serves until it is told to stop. The result is the process's exit status.
    func run(_ seeded: Seeder.Result) -> Int32 {
        let front = HTTPFront(loop: loop) { [unowned self] in answer($0) }
        self.front = front
        guard watchSignals(), !options.exitsWithStdin || watchStdin() else { return 1 }
        guard front.start(host: options.host, port: options.port) else {
            Log.line("cannot listen on \(options.host):\(options.port): \(String(cString: strerror(errno)))")
            return 1
        }
        announce(port: front.port, seeded)
        sweep()
        chat.runDue()
        loop.run(
            patience: { front.patience },
            idle: {
                front.work()
                hub.flush()
            })
        chat.tellDeliveries()
        for socket in hub.all { socket.end(code: 1001, reason: "the server stops") }
        hub.flush()
        for socket in hub.all { socket.close() }
        front.stop()
        storage.database.close()
        return 0
    }

    // MARK: Requests

    private func answer(_ request: HTTPRequest) -> HTTPFront.Answer {
        if let control, request.target.segments.first == "control" { return .response(control.answer(request)) }
        if control?.faults.refusesConnections == true { return .response(HTTPResponse(body: [], delivery: .none)) }
        if request.method == "OPTIONS" { return .response(HTTPResponse.preflight(request)) }
        let path = request.target.raw
        let delay = control?.faults.delay(for: path) ?? 0
        if request.header("Upgrade") != nil, let accept = SocketLogin.accept(request) {
            if control?.faults.take(for: path) != nil { return .response(HTTPResponse(body: [], delivery: .none)) }
            control?.traffic.request(request, status: 101, at: clock.now())
            // The connection's headers must not be asked for once it is upgraded; what login needs is read now.
            let kept = SocketLogin.keep(request)
            return .upgrade(accept: accept.key, headers: accept.protocols) { [unowned self] connection in
                SocketLogin(chat: chat).open(kept, connection)
            }
        }
        let response: HTTPResponse
        if let fault = control?.faults.take(for: path) {
            response = FaultPlan.answer(fault) { router.answer(request) }
        } else {
            response = router.answer(request)
        }
        control?.traffic.request(request, status: response.delivery == .none ? 0 : response.status, at: clock.now())
        return delay > 0 ? .delayed(response, milliseconds: delay) : .response(response)
    }

    /// Finds dead peers. Clients are told to ping; who misses one is pinged, who misses three is gone.
    private func sweep() {
        let interval = options.pingInterval * 1000
        hub.sweep(
            pingAfter: interval + options.pongTimeout * 1000, dropAfter: interval * 3 + options.pongTimeout * 1000)
        loop.after(5000) { [weak self] in self?.sweep() }
    }

    // MARK: Beginning and end

    private func announce(port: UInt16, _ seeded: Seeder.Result) {
        let line = JSON.object([
            "ready": true, "api_host": .string("http://\(options.host):\(port)"),
            "ws_host": .string("ws://\(options.host):\(port)"),
            "app_id": .string(options.appID), "api_token": .string(apiToken),
            "users": .array(
                seeded.users.map { user in
                    .object([
                        "user_id": .string(user.id), "access_token": .string(user.accessToken),
                        "nickname": .string(user.nickname),
                    ])
                }),
            "channels": .array(
                seeded.channels.map { channel in
                    .object([
                        "channel_url": .string(channel.url), "name": .string(channel.name),
                        "message_count": .int(channel.messageCount),
                    ])
                }),
        ])
        _ = shim_write_stdout(line.text + "\n")
    }

    private func watchSignals() -> Bool {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        return descriptor >= 0 && loop.add(descriptor) { [unowned self] _ in loop.stop() }
    }

    private func watchStdin() -> Bool {
        let isWatched = loop.add(0) { [unowned self] _ in
            var byte = [UInt8](repeating: 0, count: 4096)
            let count = read(0, &byte, byte.count)
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { loop.stop() }
        }
        // A file or /dev/null cannot be waited for: it ends at once.
        if !isWatched { loop.after(0) { [unowned self] in loop.stop() } }
        return true
    }
}
