import CCurl
import CLinux
import Glibc
import Synchronization

/// The one network thread of the process. It knows no chat: HTTP exchanges and WebSockets, nothing else.
///
/// It runs while somebody holds it: `acquire` starts it, the last `release` ends and joins it. Completions and socket
/// events run on it and must return soon. After a fork the child has no such thread and must not use it.
public final class NetworkThread: @unchecked Sendable {
    /// Transfers inside belong to the network thread from the moment the command is posted.
    private enum Command: @unchecked Sendable {
        case send(HTTPTransfer)
        case cancel(UInt64)
        case open(SocketTransfer)
        case text(UInt64, [UInt8])
        case close(UInt64, UInt16)
        case stop
    }

    private static let shared = SharedThread()

    private let multi: UnsafeMutableRawPointer
    private struct Inbox: ~Copyable {
        var commands: [Command] = []
        var lastID: UInt64 = 0
    }
    private let inbox = Mutex(Inbox())
    private var thread = pthread_t()
    // Only the thread touches these.
    private var transfers: [UnsafeMutableRawPointer: HTTPTransfer] = [:]
    private var sockets: [UInt64: SocketTransfer] = [:]
    private var isStopping = false

    /// The running thread; `nil` when it cannot be started. Each call needs a `release`.
    public static func acquire() -> NetworkThread? { shared.acquire() }

    /// Gives the thread back. The last one waits until it has ended.
    public static func release() { shared.release() }

    fileprivate init?() {
        guard let multi = curl_multi_init() else { return nil }
        self.multi = multi
        let context = Unmanaged.passRetained(self)
        // The thread inherits the mask: no signal of the host is ever handled on it.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let code = pthread_create(&thread, nil, networkThreadMain, context.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            context.release()
            return nil
        }
    }

    deinit { curl_multi_cleanup(multi) }

    fileprivate func stopAndJoin() {
        post(.stop)
        pthread_join(thread, nil)
    }

    // MARK: Any thread

    /// Sends a request. `completion` runs once, on the network thread.
    @discardableResult
    public func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NetworkFailure>) -> Void
    ) -> UInt64 {
        let id = nextID()
        guard let transfer = HTTPTransfer(id: id, request, completion: completion) else {
            completion(.failure(NetworkFailure(.cannotConnect, "out of memory")))
            return id
        }
        post(.send(transfer))
        return id
    }

    /// Gives a request up; its completion gets `cancelled`, unless it is done already.
    public func cancel(_ id: UInt64) { post(.cancel(id)) }

    /// Opens a WebSocket. `handler` runs on the network thread; `closed` comes last.
    public func openSocket(_ options: WebSocketOptions, handler: @escaping @Sendable (SocketEvent) -> Void) -> UInt64 {
        let id = nextID()
        guard let socket = SocketTransfer(id: id, options, now: NetworkThread.now, handler: handler) else {
            handler(.closed(NetworkFailure(.cannotConnect, "out of memory")))
            return id
        }
        post(.open(socket))
        return id
    }

    public func sendText(_ id: UInt64, _ bytes: [UInt8]) { post(.text(id, bytes)) }

    public func closeSocket(_ id: UInt64, code: UInt16 = 1000) { post(.close(id, code)) }

    private func nextID() -> UInt64 {
        inbox.withLock { inbox in
            inbox.lastID += 1
            return inbox.lastID
        }
    }

    private func post(_ command: Command) {
        inbox.withLock { $0.commands.append(command) }
        curl_multi_wakeup(multi)
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    // MARK: The thread

    fileprivate func run() {
        pthread_setname_np(pthread_self(), "sm-network")
        while !isStopping {
            takeCommands()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            takeMessages()
            for socket in Array(sockets.values) { socket.advance(now: NetworkThread.now) }
            removeClosed()
            if !isStopping { wait() }
        }
        for transfer in transfers.values {
            curl_multi_remove_handle(multi, transfer.handle)
            transfer.completion(.failure(NetworkFailure(.cancelled, "the network thread ended")))
        }
        transfers = [:]
        for socket in Array(sockets.values) { socket.fail(NetworkFailure(.cancelled, "the network thread ended")) }
        removeClosed()
    }

    private func takeCommands() {
        let commands = inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return inbox.commands
        }
        for command in commands {
            switch command {
            case .send(let transfer):
                transfers[transfer.handle] = transfer
                if curl_multi_add_handle(multi, transfer.handle) != CURLM_OK {
                    transfers[transfer.handle] = nil
                    transfer.completion(.failure(NetworkFailure(.cannotConnect, "out of memory")))
                }
            case .cancel(let id):
                guard let transfer = transfers.values.first(where: { $0.id == id }) else { continue }
                curl_multi_remove_handle(multi, transfer.handle)
                transfers[transfer.handle] = nil
                transfer.completion(.failure(NetworkFailure(.cancelled, "cancelled")))
            case .open(let socket):
                sockets[socket.id] = socket
                if curl_multi_add_handle(multi, socket.handle) != CURLM_OK {
                    socket.fail(NetworkFailure(.cannotConnect, "out of memory"))
                }
            case .text(let id, let bytes): sockets[id]?.send(bytes)
            case .close(let id, let code): sockets[id]?.close(code: code, now: NetworkThread.now)
            case .stop: isStopping = true
            }
        }
    }

    private func takeMessages() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = shim_curl_message_result(message)
            if let transfer = transfers.removeValue(forKey: handle) {
                curl_multi_remove_handle(multi, handle)
                transfer.finish(code)
            } else if let socket = sockets.values.first(where: { $0.handle == handle }) {
                // The handle stays in the multi: its connection lives there until the socket is finished.
                socket.connected(code, now: NetworkThread.now)
            }
        }
    }

    private func removeClosed() {
        for (id, socket) in sockets where socket.isClosed {
            curl_multi_remove_handle(multi, socket.handle)
            sockets[id] = nil
        }
    }

    private func wait() {
        let now = NetworkThread.now
        var timeout: Int64 = 60_000
        var polled: [curl_waitfd] = []
        var owners: [SocketTransfer] = []
        for socket in sockets.values {
            timeout = min(timeout, max(0, socket.nextDeadline - now))
            guard socket.socket >= 0 else { continue }
            let events = Int16(CURL_WAIT_POLLIN) | (socket.wantsWrite ? Int16(CURL_WAIT_POLLOUT) : 0)
            polled.append(curl_waitfd(fd: socket.socket, events: events, revents: 0))
            owners.append(socket)
        }
        var ready: Int32 = 0
        polled.withUnsafeMutableBufferPointer { buffer in
            _ = curl_multi_poll(multi, buffer.baseAddress, UInt32(buffer.count), Int32(timeout), &ready)
        }
        for (index, owner) in owners.enumerated() where polled[index].revents != 0 {
            owner.read(now: NetworkThread.now)
            owner.write()
        }
    }
}

private func networkThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<NetworkThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

/// Counts who holds the thread.
private final class SharedThread: Sendable {
    private struct State: ~Copyable {
        var holders = 0
        var thread: NetworkThread?
        var isInitialised = false
    }
    private let state = Mutex(State())

    func acquire() -> NetworkThread? {
        state.withLock { state in
            if !state.isInitialised {
                curl_global_init(Int(CURL_GLOBAL_ALL))
                state.isInitialised = true
            }
            if state.thread == nil { state.thread = NetworkThread() }
            if state.thread != nil { state.holders += 1 }
            return state.thread
        }
    }

    func release() {
        let ending = state.withLock { state -> NetworkThread? in
            state.holders -= 1
            guard state.holders == 0 else { return nil }
            defer { state.thread = nil }
            return state.thread
        }
        ending?.stopAndJoin()
    }
}
