import CCurl
import Glibc
import SyncWebSocket

/// One WebSocket on the network thread: libcurl opens TCP and TLS, the codec frames, and the deadlines are kept here.
final class SocketTransfer {
    private enum Phase { case connecting, handshaking, open, closing, closed }

    let id: UInt64
    let handle: UnsafeMutableRawPointer
    private let options: WebSocketOptions
    private let handler: @Sendable (SocketEvent) -> Void
    private var phase = Phase.connecting
    private var codec: WebSocketCodec?
    private var answer: WebSocketHandshakeReader?
    private var handshake: [UInt8] = []
    private(set) var socket: Int32 = -1
    private var deadline: Int64
    private var lastByte: Int64 = 0
    private var hasPinged = false

    init?(id: UInt64, _ options: WebSocketOptions, now: Int64, handler: @escaping @Sendable (SocketEvent) -> Void) {
        guard let handle = curl_easy_init() else { return nil }
        self.id = id
        self.handle = handle
        self.options = options
        self.handler = handler
        deadline = now + Int64(options.handshakeTimeoutMS)
        // libcurl of Debian 12 has no WebSocket: it only opens the connection, under the matching HTTP scheme.
        let url = options.url.hasPrefix("wss://") ? "https://" + options.url.dropFirst(6)
            : options.url.hasPrefix("ws://") ? "http://" + options.url.dropFirst(5) : options.url
        _ = shim_curl_setopt_string(handle, CURLOPT_URL, url)
        _ = shim_curl_setopt_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = shim_curl_setopt_long(handle, CURLOPT_CONNECT_ONLY, 1)
        _ = shim_curl_setopt_long(handle, CURLOPT_HTTP_VERSION, 2)  // CURL_HTTP_VERSION_1_1: h2 has no upgrade
        _ = shim_curl_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
        _ = shim_curl_setopt_long(handle, CURLOPT_TCP_NODELAY, 1)
        _ = shim_curl_setopt_long(handle, CURLOPT_HTTPPROXYTUNNEL, 1)
        _ = shim_curl_setopt_long(handle, CURLOPT_CONNECTTIMEOUT_MS, options.handshakeTimeoutMS)
        if let caFile = options.caFile { _ = shim_curl_setopt_string(handle, CURLOPT_CAINFO, caFile) }
    }

    deinit { curl_easy_cleanup(handle) }

    var isClosed: Bool { phase == .closed }
    var wantsWrite: Bool { !handshake.isEmpty || (codec?.pendingOutputCount ?? 0) > 0 }

    /// The connection stands, or does not.
    func connected(_ code: CURLcode, now: Int64) {
        guard phase == .connecting else { return }
        guard code == CURLE_OK else { return fail(NetworkFailure(curl: code)) }
        var descriptor = curl_socket_t(-1)
        _ = shim_curl_getinfo_socket(handle, CURLINFO_ACTIVESOCKET, &descriptor)
        guard descriptor >= 0, let fresh = WebSocketHandshake.freshKey() else {
            return fail(NetworkFailure(.cannotConnect, "the connection has no socket"))
        }
        socket = descriptor
        lastByte = now
        let parts = SocketTransfer.split(options.url)
        guard let request = WebSocketHandshake.request(
            host: parts.host, target: parts.target, key: fresh, headers: options.headers)
        else { return fail(NetworkFailure(.protocolError, "the URL or a header holds a byte that HTTP does not allow")) }
        answer = WebSocketHandshakeReader(key: fresh)
        handshake = request
        phase = .handshaking
        write()
    }

    /// Host (with port) and request target of a URL.
    private static func split(_ url: String) -> (host: String, target: String) {
        let rest = url.utf8.count > 0 ? (url.range(ofScheme: "://").map { url[$0...] } ?? url[...]) : url[...]
        guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return (String(rest), "/") }
        let target = rest[slash] == "/" ? String(rest[slash...]) : "/" + rest[slash...]
        return (String(rest[..<slash]), target)
    }

    // MARK: Socket

    /// Reads all there is: TLS may hold bytes that poll does not see.
    func read(now: Int64) {
        guard phase != .connecting, phase != .closed else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while phase != .closed {
            var count = 0
            let code = buffer.withUnsafeMutableBytes { curl_easy_recv(handle, $0.baseAddress, $0.count, &count) }
            if code == CURLE_AGAIN { break }
            guard code == CURLE_OK, count > 0 else {
                return fail(NetworkFailure(.closed, code: 1006, "the peer closed the connection"))
            }
            lastByte = now
            hasPinged = false
            buffer.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[0..<count])) }
        }
        write()
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        if phase == .handshaking {
            switch answer?.receive(bytes) ?? .incomplete {
            case .incomplete: return
            case .refused(let status):
                return fail(NetworkFailure(.refused, code: status, "the handshake was refused with status \(status)"))
            case .invalid(let why):
                return fail(NetworkFailure(.protocolError, "the handshake failed: \(why)"))
            case .accepted(let rest):
                answer = nil
                guard let made = WebSocketCodec(
                    role: .client, messageLimit: options.messageLimit, outputLimit: options.outputLimit)
                else { return fail(NetworkFailure(.protocolError, "out of memory")) }
                codec = made
                phase = .open
                handler(.opened)
                // Frames may come glued to the head.
                if !rest.isEmpty { deliver(made.receive(rest)) }
            }
        } else if let codec {
            deliver(codec.receive(bytes))
        }
    }

    private func deliver(_ events: [WebSocketCodec.Event]) {
        for event in events where phase != .closed {
            switch event {
            case .text(let bytes), .binary(let bytes): handler(.text(bytes))
            case .ping, .pong: break
            case .close(let code, _):
                write()
                return fail(NetworkFailure(.closed, code: Int(code), "the peer closed with code \(code)"))
            }
        }
        if let codec, !codec.isReading, phase != .closed {
            write()
            fail(NetworkFailure(.protocolError, code: Int(codec.closeCodeSent), "the peer broke the protocol"))
        }
    }

    func write() {
        guard phase != .connecting, phase != .closed else { return }
        while !handshake.isEmpty {
            var sent = 0
            let code = handshake.withUnsafeBytes { curl_easy_send(handle, $0.baseAddress, $0.count, &sent) }
            if code == CURLE_AGAIN { return }
            guard code == CURLE_OK else { return fail(NetworkFailure(curl: code)) }
            handshake.removeFirst(sent)
        }
        guard let codec else { return }
        var isBlocked = false
        var failure: NetworkFailure?
        while codec.pendingOutputCount > 0, !isBlocked, failure == nil {
            codec.withPendingOutput { bytes in
                var sent = 0
                let code = curl_easy_send(handle, bytes.baseAddress, bytes.count, &sent)
                if code == CURLE_AGAIN { isBlocked = true } else if code != CURLE_OK { failure = NetworkFailure(curl: code) }
                return sent
            }
        }
        if let failure { fail(failure) }
    }

    func send(_ bytes: [UInt8]) {
        guard phase == .open, let codec else { return }
        if !codec.sendText(bytes), codec.isOutputOverflowing {
            return fail(NetworkFailure(.tooLarge, "the peer takes our bytes too slowly"))
        }
        write()
    }

    func close(code: UInt16, now: Int64) {
        guard phase == .open, let codec, codec.sendClose(code: code) else {
            return fail(NetworkFailure(.cancelled, "closed before it was open"))
        }
        phase = .closing
        deadline = now + Int64(options.closeTimeoutMS)
        write()
    }

    // MARK: Deadlines

    /// When something has to be looked at, by the monotonic clock in milliseconds.
    var nextDeadline: Int64 {
        switch phase {
        case .connecting, .handshaking, .closing: deadline
        case .open: options.idleMS > 0 ? lastByte + Int64(options.idleMS) * (hasPinged ? 2 : 1) : Int64.max
        case .closed: Int64.max
        }
    }

    func advance(now: Int64) {
        guard now >= nextDeadline else { return }
        switch phase {
        case .connecting, .handshaking: fail(NetworkFailure(.timedOut, "the handshake took too long"))
        case .closing: fail(NetworkFailure(.closed, code: 1006, "the peer did not answer the close frame"))
        case .open:
            if hasPinged { return fail(NetworkFailure(.timedOut, "the peer gave no sign of life")) }
            hasPinged = true
            codec?.sendPing()
            write()
        case .closed: break
        }
    }

    /// Ends the socket; the owner takes it out of the loop.
    func fail(_ failure: NetworkFailure) {
        guard phase != .closed else { return }
        phase = .closed
        handler(.closed(failure))
    }
}

extension String {
    /// The place behind a scheme's separator.
    fileprivate func range(ofScheme separator: String) -> String.Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(separator) { return self.index(index, offsetBy: separator.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
