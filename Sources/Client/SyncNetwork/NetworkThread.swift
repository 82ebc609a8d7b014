import CLinux
import Glibc
import SyncThreads
import Synchronization

/// The one network thread of the process. It knows HTTP exchanges and WebSockets, and nothing of chat.
///
/// The thread runs while it has users: the first `acquire` starts it, the last `release` ends and joins it. All calls
/// may come from any thread and return at once. Completions and socket events run on the network thread, one after the
/// other; they must return soon and may call back into this class. An exception: when the thread has ended, or in a
/// forked child, the call itself completes its request with `cancelled`, on the calling thread.
///
/// The thread has all signals blocked but those of its own faults, and is named `sm-network`.
public final class NetworkThread: @unchecked Sendable {
    /// Unique in the process, so that an id from an earlier thread means nothing to a later one.
    private static let lastID = Atomic<UInt64>(0)

    private let inbox = Monitor()
    /// Guarded by the inbox's lock, as are the following.
    private var commands: [NetworkCommand] = []
    private var isClosed = false
    private let wakeup: Int32
    private let process = getpid()
    private var thread: NativeThread?

    /// The running thread, started if need be. Fails if it cannot be started, and in a child forked from a process that
    /// held it. Each call that gives a thread needs one `release`.
    public static func acquire() throws(NetworkFailure) -> NetworkThread { try SharedNetworkThread.acquire() }

    /// Releases the thread. The last release ends it: open requests and sockets are cancelled, and when the call
    /// returns no completion or handler runs any more. (From inside a completion it returns before that.)
    public static func release() { SharedNetworkThread.release() }

    init?() {
        wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeup >= 0, start() else { return nil }
    }

    deinit { if wakeup >= 0 { Glibc.close(wakeup) } }

    private func start() -> Bool {
        thread = NativeThread("sm-network") { [self] in run() }
        return thread != nil
    }

    /// Ends the thread and waits for it, unless this is the thread.
    func stopAndJoin() {
        inbox.locked {
            isClosed = true
            wake()
        }
        guard let thread else { return }
        if thread.isCurrent { thread.detach() } else { thread.join() }
    }

    // MARK: Any thread

    /// Sends a request. `completion` runs exactly once. The body that it gives counts against the intake until the
    /// owner releases it.
    /// - Returns: an id for `cancel`.
    @discardableResult
    public func send(
        _ request: HTTPRequest, for intake: Intake = Intake(),
        completion: @escaping @Sendable (Result<HTTPResponse, NetworkFailure>) -> Void
    ) -> UInt64 {
        let id = NetworkThread.nextID()
        post(.send(id, request, intake, .whole(completion)))
        return id
    }

    /// Sends a request whose answer's body comes piece by piece and may have no end, and tells `handler` about it. The
    /// request's time is for the head of the answer alone; its limit for the body of one that is refused, which counts
    /// like that of a request.
    /// - Returns: an id for `cancel`.
    public func openStream(
        _ request: HTTPRequest, for intake: Intake = Intake(), handler: @escaping @Sendable (HTTPStreamEvent) -> Void
    ) -> UInt64 {
        let id = NetworkThread.nextID()
        post(.send(id, request, intake, .pieces(handler)))
        return id
    }

    /// Cancels a request or a stream: its completion gets `cancelled`, unless it has run or is about to. The received
    /// part of a file is kept for the next exchange, unless the file is given as `target`: then its part is removed,
    /// also when the exchange has failed already.
    public func cancel(_ id: UInt64, discarding target: HTTPTarget? = nil) {
        post(.cancel(id, discarding: target))
    }

    /// The file of an exchange has been opened, read on, or written on.
    func goOn(_ id: UInt64) { post(.goOn(id)) }

    /// Opens a WebSocket and tells `handler` about it until `closed`, which comes exactly once.
    public func openSocket(
        _ options: WebSocketOptions, for intake: Intake = Intake(), handler: @escaping @Sendable (SocketEvent) -> Void
    ) -> UInt64 {
        let id = NetworkThread.nextID()
        post(.open(id, options, intake, handler))
        return id
    }

    /// Sends one text message of UTF-8. It is dropped if the socket is not open (any more); there is no receipt. A
    /// message that would exceed the output limit ends the socket.
    public func sendText(_ id: UInt64, _ bytes: [UInt8]) { post(.text(id, bytes)) }

    /// Begins the closing handshake, with a reason of at most 123 bytes of UTF-8. Messages on their way may still come
    /// before `closed`, which comes within the close timeout.
    public func closeSocket(_ id: UInt64, code: UInt16 = 1000, reason: [UInt8] = []) {
        post(.close(id, code: code, reason: reason))
    }

    /// Opens an owner's intake and reads its transfers again.
    public func open(_ intake: Intake) {
        intake.open()
        post(.readOn(intake))
    }

    private static func nextID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    private func post(_ command: NetworkCommand) {
        // In a forked child the lock may be held by a thread that does not exist there.
        guard getpid() == process else { return command.refuse(NetworkThread.forked) }
        let isTaken = inbox.locked { () -> Bool in
            guard !isClosed else { return false }
            commands.append(command)
            if commands.count == 1 { wake() }
            return true
        }
        if !isTaken { command.refuse(NetworkThread.shutDown) }
    }

    private func wake() {
        var one: UInt64 = 1
        // Fails only when the counter is full, and then the thread is awake anyway.
        _ = write(wakeup, &one, 8)
    }

    // MARK: The thread

    private func run() {
        if let loop = begin() {
            loop.wakeFile = { [weak self] id in self?.goOn(id) }
            loop.run(next: takeCommands)
        }
        inbox.locked { isClosed = true }
        for command in takeCommands().commands { command.refuse(NetworkThread.shutDown) }
    }

    /// Makes the loop when the first commands come. libcurl is loaded here, where no other thread has to wait for it.
    /// When that fails, the commands are refused, and the next ones try again. `nil` when the thread is stopped before.
    private func begin() -> NetworkLoop? {
        while true {
            let (hasCommands, isStopping) = inbox.locked { (!commands.isEmpty, isClosed) }
            if isStopping { return nil }
            guard hasCommands else {
                sleep()
                continue
            }
            do throws(NetworkFailure) {
                let curl = try Curl.shared()
                if let loop = NetworkLoop(curl, wakeup: wakeup) { return loop }
                throw NetworkFailure(.cannotConnect, "the system gives no event queue")
            } catch {
                for command in takeCommands().commands { command.refuse(error) }
            }
        }
    }

    private func takeCommands() -> (commands: [NetworkCommand], isStopping: Bool) {
        inbox.locked {
            defer { commands = [] }
            return (commands, isClosed)
        }
    }

    /// Until there is a command, or a stop.
    private func sleep() {
        var watched = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
        poll(&watched, 1, -1)
        var count: UInt64 = 0
        _ = read(wakeup, &count, 8)
    }

    /// A new value each time: a forked child must not wait for a global that another thread was initialising.
    static var forked: NetworkFailure { NetworkFailure(.cancelled, "the network does not survive a fork") }
    private static let shutDown = NetworkFailure(.cancelled, "the network is shut down")
}
