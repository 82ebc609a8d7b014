import CCurl
import Glibc
import SyncThreads
import SyncWebSocket

// One WebSocket on the network thread. libcurl connects, with TCP and TLS, and verifies the server; the codec does the
// framing. The rest is here: the handshake, the deadlines, and an orderly end.
//
//   connecting ──▶ handshaking ──▶ open ──▶ closing ──▶ lingering ──▶ ended
//                                    └────────────────────▲
//
// `closing`: the close frame was sent, and the peer's is awaited. `lingering`: the owner has been told that the socket
// is closed; the last frame is still written, and the peer's bytes are read and dropped until it ends the connection,
// because a connection that is closed with unread bytes is reset, and the reset overtakes the close frame. Both are
// bounded by the close timeout. From every other state `ended` may follow at once.

/// A WebSocket from connect to end. Only the network thread touches it.
final class SocketTransfer {
    private enum Phase { case connecting, handshaking, open, closing, lingering, ended }

    let id: UInt64
    let handle: CurlHandle
    /// The connected socket, -1 before. It belongs to libcurl.
    private(set) var descriptor: Int32 = -1
    /// The events that the loop has set in epoll for the socket; used by the loop only.
    var watched: UInt32 = 0

    private let options: WebSocketOptions
    let intake: Intake
    private let handler: SocketHandler
    private var url: WebSocketURL?
    private var phase = Phase.connecting
    private var request: [UInt8] = []
    private var answer: WebSocketHandshakeReader?
    private var codec: WebSocketCodec?
    private var deadline: Int64
    private var lastByte: Int64 = 0
    private var hasPinged = false
    private var isShutDown = false
    /// Whether it is not read, since the owner's intake is shut.
    private(set) var isHeld = false
    private var writeFailure: CURLcode?

    /// How many buffers one turn of the loop reads from one socket before the others have their turn.
    private static let readsPerTurn = 2

    init(
        id: UInt64, _ options: WebSocketOptions, on handle: CurlHandle, for intake: Intake,
        handler: @escaping SocketHandler
    ) {
        self.id = id
        self.handle = handle
        self.intake = intake
        self.options = options
        self.handler = handler
        let timeout = Clock.clamped(options.handshakeTimeoutMS)
        deadline = Clock.monotonic &+ timeout
        url = WebSocketURL(options.url)
        guard let url else { return }
        handle.setTarget(url: url.connectURL, caFile: options.caFile)
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        // HTTP/2 has no upgrade, so TLS must not offer it.
        handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A proxy must give us the plain connection, also for ws.
        handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(timeout))
    }

    /// Why the connection cannot even be tried.
    var refusal: NetworkFailure? {
        url == nil ? NetworkFailure(.protocolError, "not a ws or wss URL") : handle.refusal
    }

    /// Whether the loop may release the socket.
    var isEnded: Bool { phase == .ended }

    /// Whether bytes wait for the socket to become writable.
    var wantsWrite: Bool {
        writeFailure == nil && (!request.isEmpty || (codec?.pendingOutputCount ?? 0) > 0)
    }

    /// Whether the connection takes no more bytes. It must then be read to its end, for the peer's last bytes, which
    /// may have the reason; `read` ends the socket.
    var hasFailedToWrite: Bool { writeFailure != nil }

    // MARK: Connecting

    /// libcurl has finished: the connection was made, or failed.
    func connected(_ code: CURLcode, now: Int64) {
        guard phase == .connecting else { return }
        guard code == CURLE_OK else { return end(handle.failure(code)) }
        guard let socket = handle.activeSocket else {
            return end(NetworkFailure(.cannotConnect, "the connection has no socket"))
        }
        guard let key = WebSocketHandshake.freshKey() else {
            return end(NetworkFailure(.cannotConnect, "the system gives no random bytes"))
        }
        guard let url,
            let head = WebSocketHandshake.request(
                host: url.host, target: url.target, key: key, headers: options.headers)
        else {
            return end(NetworkFailure(.protocolError, "the URL or a header holds a byte that HTTP does not allow"))
        }
        descriptor = socket
        answer = WebSocketHandshakeReader(key: key)
        request = head
        lastByte = now
        phase = .handshaking
        flush(now: now)
    }

    // MARK: Reading

    /// Reads the available bytes through `buffer`, unless the owner's intake is shut: then the socket is held. Returns
    /// whether there may be more: TLS buffers bytes that epoll does not report, so the caller must call again.
    func read(through buffer: UnsafeMutableRawBufferPointer, now: Int64) -> Bool {
        guard descriptor >= 0 else { return false }
        var reads = 0
        while phase != .ended, reads < SocketTransfer.readsPerTurn {
            if phase == .open, intake.isShut {
                isHeld = true
                flush(now: now)
                return false
            }
            var count = 0
            let code = handle.curl.easyReceive(handle.pointer, buffer.baseAddress, buffer.count, &count)
            if code == CURLE_AGAIN {
                flush(now: now)
                if let writeFailure { peerEnded(writeFailure) }
                return false
            }
            guard code == CURLE_OK, count > 0 else {
                peerEnded(code)
                return false
            }
            reads += 1
            lastByte = now
            hasPinged = false
            let bytes = UnsafeRawBufferPointer(start: buffer.baseAddress, count: min(count, buffer.count))
            take(bytes, now: now)
        }
        flush(now: now)
        return phase != .ended
    }

    /// Reads again after the socket was held. Nothing was read meanwhile, so the peer's time limit begins again.
    func readOn(now: Int64) {
        isHeld = false
        lastByte = now
        hasPinged = false
    }

    private func peerEnded(_ code: CURLcode) {
        let how = code == CURLE_OK ? "the peer ended the connection" : handle.failure(code).message
        switch phase {
        case .handshaking: end(NetworkFailure(.closed, code: 1006, "\(how) before it answered the handshake"))
        default: end(NetworkFailure(.closed, code: 1006, "\(how) without a close frame"))
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, now: Int64) {
        switch phase {
        case .handshaking: takeAnswer(bytes, now: now)
        case .open, .closing: if let codec { deliver(codec.receive(bytes), codec, now: now) }
        case .connecting, .lingering, .ended: break
        }
    }

    private func takeAnswer(_ bytes: UnsafeRawBufferPointer, now: Int64) {
        switch answer?.receive(bytes) ?? .incomplete {
        case .incomplete:
            break
        case .refused(let status):
            end(NetworkFailure(.refused, code: status, "the handshake was refused with status \(status)"))
        case .invalid(let why):
            end(NetworkFailure(.protocolError, "not a WebSocket handshake: \(why)"))
        case .accepted(let rest):
            answer = nil
            guard
                let made = WebSocketCodec(
                    role: .client, messageLimit: options.messageLimit, outputLimit: options.outputLimit)
            else { return end(NetworkFailure(.cannotConnect, "no memory, or a limit that is not positive")) }
            codec = made
            phase = .open
            handler(.opened)
            // The first frames may come with the answer.
            deliver(made.receive(rest), made, now: now)
        }
    }

    private func deliver(_ events: [WebSocketCodec.Event], _ codec: WebSocketCodec, now: Int64) {
        for event in events {
            switch event {
            case .text(let bytes), .binary(let bytes):
                // Messages that are read only for an orderly end are not passed on while the intake is shut.
                if phase == .open || !intake.isShut { handler(.text(bytes)) }
            case .ping, .pong:
                break
            case .close(let code, let reason):
                let text = reason.isEmpty ? "" : ": " + String(decoding: reason, as: UTF8.self)
                return linger(NetworkFailure(.closed, code: Int(code), "closed with code \(code)\(text)"), now: now)
            }
        }
        if codec.isOutputOverflowing {
            end(NetworkFailure(.tooLarge, "the peer takes our bytes too slowly"))
        } else if !codec.isReading {
            let code = codec.closeCodeSent
            linger(
                code == 1009
                    ? NetworkFailure(.tooLarge, code: 1009, "a message is larger than \(options.messageLimit) bytes")
                    : NetworkFailure(.protocolError, code: Int(code), "the peer broke the protocol (\(code))"),
                now: now)
        }
    }

    // MARK: Writing

    /// Queues a text message. Before `open` and after closing has begun it is dropped; `closed` tells the sender of the
    /// end.
    func send(_ bytes: [UInt8]) {
        guard phase == .open, let codec, !codec.sendText(bytes) else { return }
        end(
            codec.isOutputOverflowing
                ? NetworkFailure(.tooLarge, "the peer takes our bytes too slowly")
                : NetworkFailure(.tooLarge, "a message of \(bytes.count) bytes does not fit the output limit"))
    }

    /// Begins the closing handshake. A code or reason that no close frame may carry becomes a plain 1000.
    func close(code: UInt16, reason: [UInt8], now: Int64) {
        switch phase {
        case .connecting, .handshaking:
            end(NetworkFailure(.cancelled, "closed before it was open"))
        case .open:
            guard let codec, codec.sendClose(code: code, reason: reason) || codec.sendClose(code: 1000) else {
                return end(NetworkFailure(.cancelled, "closed"))
            }
            phase = .closing
            isHeld = false
            deadline = now &+ Clock.clamped(options.closeTimeoutMS)
        case .closing, .lingering, .ended:
            break
        }
    }

    /// Writes the waiting bytes, as many as the socket takes.
    func flush(now: Int64) {
        guard descriptor >= 0, phase != .ended, writeFailure == nil else { return }
        while !request.isEmpty {
            let sent = request.withUnsafeBytes { write($0) }
            guard sent > 0 else { return }
            request.removeFirst(sent)
        }
        guard let codec else { return }
        var isBlocked = false
        while codec.pendingOutputCount > 0, !isBlocked {
            codec.withPendingOutput { bytes in
                let sent = write(bytes)
                isBlocked = sent == 0
                return sent
            }
        }
        if phase == .lingering, codec.pendingOutputCount == 0, !isShutDown {
            isShutDown = true
            shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    /// Writes a part of `bytes` and returns its size: 0 if the socket takes none now, or never again.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        var sent = 0
        let code = handle.curl.easySend(handle.pointer, bytes.baseAddress, bytes.count, &sent)
        if code == CURLE_OK { return min(sent, bytes.count) }
        if code != CURLE_AGAIN { writeFailure = code }
        return 0
    }

    // MARK: Deadlines and end

    /// When something has to be done, by the monotonic clock.
    var nextDeadline: Int64 {
        switch phase {
        case .connecting, .handshaking, .closing, .lingering: deadline
        case .open:
            options.idleMS > 0 && !isHeld
                ? lastByte &+ Clock.clamped(options.idleMS) &* (hasPinged ? 2 : 1) : Int64.max
        case .ended: Int64.max
        }
    }

    /// Does what is due.
    func advance(now: Int64) {
        guard now >= nextDeadline else { return }
        switch phase {
        case .connecting, .handshaking:
            end(NetworkFailure(.timedOut, "no connection and handshake within \(options.handshakeTimeoutMS) ms"))
        case .open:
            guard !hasPinged else {
                return end(NetworkFailure(.timedOut, "no sign of life within \(options.idleMS) ms after a ping"))
            }
            hasPinged = true
            guard codec?.sendPing() == true else {
                return end(NetworkFailure(.tooLarge, "the peer takes our bytes too slowly"))
            }
            flush(now: now)
        case .closing:
            end(NetworkFailure(.closed, code: 1006, "the peer did not answer the close frame"))
        case .lingering:
            phase = .ended
        case .ended:
            break
        }
    }

    /// Ends the socket because the thread ends; the peer gets a close frame if it can be written at once.
    func abandon(_ failure: NetworkFailure, now: Int64) {
        if phase == .open, codec?.sendClose(code: 1001) == true { flush(now: now) }
        end(failure)
    }

    /// Ends at once.
    func end(_ failure: NetworkFailure) {
        let wasReported = phase == .lingering || phase == .ended
        phase = .ended
        if !wasReported { handler(.closed(failure)) }
    }

    /// Ends the socket for the owner, but keeps it until the last frame is written and the peer has ended the
    /// connection.
    private func linger(_ failure: NetworkFailure, now: Int64) {
        guard phase == .open || phase == .closing else { return end(failure) }
        phase = .lingering
        deadline = now &+ Clock.clamped(options.closeTimeoutMS)
        flush(now: now)
        handler(.closed(failure))
    }
}
