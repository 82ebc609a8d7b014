import CLinux
import CMicrohttpd
import Glibc
import ServerBase

// libmicrohttpd without a thread of its own: its epoll descriptor sits in our event loop, and `MHD_run` does its work.
//
// - The target is taken from the URI callback, raw, before anybody decodes it. The `Exchange` made there is the
//   request's context until libmicrohttpd reports its end.
// - The handler is called with the headers, then for each piece of the body, then once more: the answer is due then.
// - An answer that has to wait suspends the connection. `MHD_run` must follow each resume and each close of an upgraded
//   connection, else nothing happens until the next event. A suspended connection at the end aborts the process, so
//   `stop` resumes all first.

/// The HTTP side of the server: requests in, answers out, upgrades handed on.
public final class HTTPFront {
    private let loop: EventLoop
    private let timers: TimerQueue
    private let pool: WebSocketPool
    private let intake: (HTTPRequest) -> BodyIntake
    private let handler: (HTTPRequest) -> HTTPAnswer
    private var daemon: OpaquePointer?
    private var needsRun = false
    private var isStopping = false
    private var suspended: [ObjectIdentifier: (exchange: Exchange, connection: OpaquePointer)] = [:]
    private var streams: [ObjectIdentifier: StreamBody] = [:]
    /// Requests whose bodies are not complete yet.
    private var receiving: [ObjectIdentifier: OpaquePointer] = [:]
    private var isLooking = false
    /// Milliseconds between two checks for clients among these that are gone.
    private static let lookPause: Int64 = 2000
    /// The answer to a request whose body is beyond the limit.
    private let tooLarge: HTTPResponse

    /// `intake` is asked with the headers of a request, `handler` when its body is there too.
    public init(
        pool: WebSocketPool, timers: TimerQueue, tooLarge: HTTPResponse = .tooLarge,
        intake: @escaping (HTTPRequest) -> BodyIntake = { _ in .memory }, handler: @escaping (HTTPRequest) -> HTTPAnswer
    ) {
        self.pool = pool
        self.tooLarge = tooLarge
        loop = pool.loop
        self.timers = timers
        self.intake = intake
        self.handler = handler
    }

    public var port: UInt16 { UInt16(clamping: daemon.map { shim_mhd_port($0) } ?? 0) }

    /// Binds and listens; `false` when that fails (errno says why).
    public func start(host: String, port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            errno = EINVAL
            return false
        }
        let begun: shim_mhd_uri_callback = { _, target, _ in
            guard let target else { return nil }
            let bytes = [UInt8](UnsafeRawBufferPointer(start: target, count: strlen(target)))
            return Unmanaged.passRetained(Exchange(target: bytes)).toOpaque()
        }
        let completed: MHD_RequestCompletedCallback = { context, _, state, _ in
            guard let state, let object = state.pointee else { return }
            state.pointee = nil
            let exchange = Unmanaged<Exchange>.fromOpaque(object).takeRetainedValue()
            exchange.isOver = true
            guard let context else { return }
            HTTPFront.from(context).suspended[ObjectIdentifier(exchange)] = nil
            HTTPFront.from(context).receiving[ObjectIdentifier(exchange)] = nil
        }
        let access: MHD_AccessHandlerCallback = { context, connection, _, method, _, data, size, state in
            guard let context, let connection, let method, let size, let object = state?.pointee else { return .NO }
            let exchange = Unmanaged<Exchange>.fromOpaque(object).takeUnretainedValue()
            return HTTPFront.from(context).serve(exchange, connection, method, data, size)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        daemon = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                shim_mhd_start($0, access, begun, completed, context, 64 << 10, 20_000, 75)
            }
        }
        guard let daemon else { return false }
        return loop.add(shim_mhd_epoll_descriptor(daemon)) { [unowned self] _ in needsRun = true }
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> HTTPFront {
        Unmanaged<HTTPFront>.fromOpaque(context).takeUnretainedValue()
    }

    /// How long the event loop may wait before `work` has to be called.
    public var patience: Int64 {
        guard let daemon else { return 1000 }
        if needsRun { return 0 }
        var timeout: UInt64 = 0
        return MHD_get_timeout(daemon, &timeout) == .YES ? Int64(clamping: timeout) : 1000
    }

    /// Called when something else has given libmicrohttpd work to do.
    public func wake() { needsRun = true }

    /// Lets libmicrohttpd do what is due.
    public func work() {
        guard let daemon else { return }
        var timeout: UInt64 = 0
        while needsRun || (MHD_get_timeout(daemon, &timeout) == .YES && timeout == 0) {
            needsRun = false
            MHD_run(daemon)
        }
    }

    /// Ends all exchanges and the daemon. All upgraded connections must be closed by now.
    public func stop() {
        guard let daemon else { return }
        isStopping = true
        for (_, entry) in suspended {
            entry.exchange.held = .response(HTTPResponse(body: [], delivery: .none))
            MHD_resume_connection(entry.connection)
        }
        suspended = [:]
        for stream in streams.values { stream.end() }
        MHD_run(daemon)
        MHD_run(daemon)
        loop.remove(shim_mhd_epoll_descriptor(daemon))
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }

    private func serve(
        _ exchange: Exchange, _ connection: OpaquePointer, _ method: UnsafePointer<CChar>,
        _ data: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        if let held = exchange.held { return give(held, exchange, connection) }
        if !exchange.isStarted {
            exchange.isStarted = true
            return begin(exchange, connection, method)
        }
        if size.pointee > 0 {
            if let data { exchange.append(UnsafeRawBufferPointer(start: data, count: size.pointee)) }
            size.pointee = 0
            return .YES
        }
        receiving[ObjectIdentifier(exchange)] = nil
        if exchange.isRefused { return send(tooLarge, connection) }
        if isStopping { return .NO }
        let request = exchange.request(method) { HTTPFront.header(connection, $0) }
        return give(handler(request), exchange, connection)
    }

    /// The headers are there: says where the body goes, or answers at once.
    private func begin(
        _ exchange: Exchange, _ connection: OpaquePointer, _ method: UnsafePointer<CChar>
    ) -> MHD_Result {
        let head = exchange.request(method) { HTTPFront.header(connection, $0) }
        switch intake(head) {
        case .memory:
            if head.contentLength > Int64(HTTPRequest.bodyLimit) { return send(tooLarge, connection) }
        case .folder(let place, let limit):
            let whole = limit + Int64(HTTPRequest.bodyLimit)
            if head.contentLength > whole { return send(HTTPResponse(Refusal.largeFile(limit >> 20)), connection) }
            let type = head.header("Content-Type") ?? ""
            exchange.takeForm(MultipartReader(contentType: type, folder: (place, limit)), limit: whole)
        case .refused(let answer):
            return send(answer, connection)
        }
        if head.contentLength > 0 || head.header("Transfer-Encoding") != nil {
            receiving[ObjectIdentifier(exchange)] = connection
            lookForGone()
        }
        return .YES
    }

    /// When a client goes right after a piece of a body, libmicrohttpd does not see it until the connection has been
    /// idle for 75 s, and keeps the body for so long. So connections that their clients have closed are shut down here.
    private func lookForGone() {
        guard !isLooking, !receiving.isEmpty else { return }
        isLooking = true
        timers.after(HTTPFront.lookPause) { [weak self] in
            guard let self, daemon != nil else { return }
            isLooking = false
            for connection in receiving.values {
                var byte: UInt8 = 0
                let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
                guard recv(shim_mhd_socket(connection), &byte, 1, flags) == 0 else { continue }
                shim_mhd_shut_down(connection)
                needsRun = true
            }
            lookForGone()
        }
    }

    private func give(_ answer: HTTPAnswer, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        switch answer {
        case .response(let response):
            return send(response, connection)
        case .stream(let head, let opened):
            return stream(connection, head, opened)
        case .delayed(let answer, let milliseconds):
            exchange.held = answer
            suspended[ObjectIdentifier(exchange)] = (exchange, connection)
            MHD_suspend_connection(connection)
            timers.after(milliseconds) { [weak self] in self?.resume(exchange) }
            return .YES
        case .upgrade(let accept, let headers, let opened):
            return upgrade(connection, accept, headers, opened)
        }
    }

    private func resume(_ exchange: Exchange) {
        guard !exchange.isOver, let entry = suspended.removeValue(forKey: ObjectIdentifier(exchange)) else { return }
        MHD_resume_connection(entry.connection)
        needsRun = true
    }

    private static func header(_ connection: OpaquePointer, _ name: String) -> String? {
        MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
    }

    // MARK: Answers

    private func send(_ answer: HTTPResponse, _ connection: OpaquePointer) -> MHD_Result {
        guard let made = answer.made() else { return .NO }
        defer { MHD_destroy_response(made) }
        return MHD_queue_response(connection, UInt32(clamping: answer.status), made)
    }

    private func stream(
        _ connection: OpaquePointer, _ head: HTTPResponse, _ opened: (any EventLink) -> Void
    ) -> MHD_Result {
        let body = StreamBody(loop, connection) { [unowned self] in wake() }
        let held = Unmanaged.passRetained(body)
        let response = MHD_create_response_from_callback(
            UInt64.max, 16 << 10,
            { context, _, buffer, room in
                guard let context, let buffer else { return -2 }
                return Unmanaged<StreamBody>.fromOpaque(context).takeUnretainedValue().read(buffer, room)
            }, held.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<StreamBody>.fromOpaque(context).takeRetainedValue().closed()
            })
        guard let response else {
            held.release()
            return .NO
        }
        defer { MHD_destroy_response(response) }
        let id = ObjectIdentifier(body)
        streams[id] = body
        body.onClose { [weak self] in self?.streams[id] = nil }
        opened(body)
        for (name, value) in head.allHeaders { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, UInt32(clamping: head.status), response)
    }

    private final class Opening {
        let front: HTTPFront
        let opened: (any SocketLink) -> Void

        init(_ front: HTTPFront, _ opened: @escaping (any SocketLink) -> Void) {
            self.front = front
            self.opened = opened
        }
    }

    private func upgrade(
        _ connection: OpaquePointer, _ accept: String, _ headers: [(String, String)],
        _ opened: @escaping (any SocketLink) -> Void
    ) -> MHD_Result {
        // The callback is called once after the answer went out, or never when the client is gone before. The second
        // case is rare and the opening is small, so it is leaked then: no moment to release it is certainly late
        // enough.
        let opening = Unmanaged.passRetained(Opening(self, opened)).toOpaque()
        let response = MHD_create_response_for_upgrade(
            { context, _, _, extra, extraCount, socket, handle in
                guard let context, let handle else { return }
                let opening = Unmanaged<Opening>.fromOpaque(context).takeRetainedValue()
                let bytes = [UInt8](UnsafeRawBufferPointer(start: extra, count: extraCount))
                let front = opening.front
                let connection = UpgradedConnection(socket: socket, handle: handle, firstBytes: bytes) { front.wake() }
                guard let link = WebSocketLink(connection, pool: front.pool) else { return connection.close() }
                opening.opened(link)
            }, opening)
        guard let response else { return .NO }
        defer { MHD_destroy_response(response) }
        MHD_add_response_header(response, "Upgrade", "websocket")
        MHD_add_response_header(response, "Sec-WebSocket-Accept", accept)
        for (name, value) in headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, 101, response)
    }
}
