import CLinux
import Glibc
import ServerBase
import ServerChat
import ServerHTTP
import ServerRealtime
import ServerTools
import SyncJSON

/// The embedded server over the network: everything on one thread, which waits in one epoll.
final class Server {
    let core: ServerCore
    private let options: ServerOptions
    private let loop: EventLoop

    init(_ options: ServerOptions) throws {
        self.options = options
        core = try ServerCore(options)
        guard let loop = EventLoop(timers: core.timers, clock: core.clock) else {
            throw SetupError("no epoll descriptor: \(String(cString: strerror(errno)))")
        }
        self.loop = loop
    }

    /// Binds, says that it is ready, and serves until it is told to stop. The result is the process's exit status.
    func run(_ seeded: Seeder.Result) -> Int32 {
        let pool = WebSocketPool(loop: loop)
        let front = HTTPFront(
            pool: pool, timers: core.timers, intake: { [unowned self] in core.intake($0) },
            handler: { [unowned self] in core.answer($0) })
        guard watchSignals(), !options.exitsWithStdin || watchStdin() else { return 1 }
        guard front.start(host: options.host, port: options.port) else {
            Log.line("cannot listen on \(options.host):\(options.port): \(String(cString: strerror(errno)))")
            return 1
        }
        guard let databaseFront = databaseFront(pool) else { return 1 }
        let fronts = [front] + databaseFront
        announce(port: front.port, databasePort: databaseFront.first?.port, seeded)
        loop.run(
            patience: { fronts.reduce(1000) { min($0, $1.patience) } },
            idle: {
                for front in fronts { front.work() }
                pool.flush()
            })
        core.stop()
        pool.flush()
        // All upgraded connections must be closed before the front stops, and the storage open until it has stopped.
        for socket in core.hub.all { socket.close() }
        for front in fronts { front.stop() }
        core.close()
        return 0
    }

    // MARK: Beginning and end

    /// The front of the database, if it is to be served; `nil` when it cannot listen.
    private func databaseFront(_ pool: WebSocketPool) -> [HTTPFront]? {
        guard let port = options.databasePort else { return [] }
        let front = HTTPFront(pool: pool, timers: core.timers, tooLarge: DatabaseRefusal.tooLarge.response) {
            [unowned self] in core.answer($0, at: .database)
        }
        guard front.start(host: options.host, port: port) else {
            Log.line("cannot listen on \(options.host):\(port): \(String(cString: strerror(errno)))")
            return nil
        }
        return [front]
    }

    private func announce(port: UInt16, databasePort: UInt16?, _ seeded: Seeder.Result) {
        let line = JSON.object([
            "ready": true, "api_host": .string("http://\(options.host):\(port)"),
            "ws_host": .string("ws://\(options.host):\(port)"),
            "app_id": .string(options.appID), "api_token": .string(core.apiToken),
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
        if let databasePort { line.set("database_url", .string("http://\(options.host):\(databasePort)")) }
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
        // epoll cannot wait for a file or /dev/null. Such an input has its end at once, so the server stops.
        if !isWatched { core.timers.after(0) { [unowned self] in loop.stop() } }
        return true
    }
}
