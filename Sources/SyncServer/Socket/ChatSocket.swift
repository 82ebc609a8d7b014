import CLinux
import Glibc
import SyncWebSocket

/// One WebSocket: its framing, its socket and whose it is.
///
/// Output is collected and written once per round of the event loop. A peer that takes its bytes too slowly, says
/// nothing for too long or breaks the protocol is dropped.
final class ChatSocket {
    let userID: String
    let sessionKey: String
    /// Whether the closing has begun; nothing more is delivered then.
    private(set) var isEnding = false

    private let connection: UpgradedConnection
    private let codec: WebSocketCodec
    private unowned let hub: SocketHub
    private var lastHeard = Clock.monotonic()
    private var watchesOutput = false
    private var isClosed = false

    static let messageLimit = 4 << 20
    static let outputLimit = 16 << 20

    init?(connection: UpgradedConnection, userID: String, sessionKey: String, hub: SocketHub) {
        guard
            let codec = WebSocketCodec(
                role: .server, messageLimit: ChatSocket.messageLimit, outputLimit: ChatSocket.outputLimit)
        else { return nil }
        self.connection = connection
        self.codec = codec
        self.userID = userID
        self.sessionKey = sessionKey
        self.hub = hub
    }

    var descriptor: Int32 { connection.socket }

    /// Starts to listen, also to what came with the handshake.
    func open() {
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard hub.loop.add(descriptor, { [weak self] events in self?.ready(events) }) else { return close() }
        if !connection.firstBytes.isEmpty { take(connection.firstBytes.withUnsafeBytes { codec.receive($0) }) }
        hub.flushLater(self)
    }

    /// Queues a command. Written at the end of this round.
    func send(_ frame: [UInt8]) {
        guard !isClosed, !isEnding else { return }
        codec.sendText(frame)
        hub.flushLater(self)
    }

    /// Says goodbye; the connection ends when the peer has answered, or after a while.
    func end(code: UInt16, reason: String = "") {
        guard !isClosed, !isEnding else { return }
        isEnding = true
        codec.sendClose(code: code, reason: Array(reason.utf8.prefix(120)))
        hub.flushLater(self)
        hub.loop.after(2000) { [weak self] in self?.close() }
    }

    /// Ends the connection at once.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        isEnding = true
        hub.loop.remove(descriptor)
        shutdown(descriptor, Int32(SHUT_RDWR))
        connection.close()
        hub.closed(self)
    }

    /// Whether nothing came for that long.
    func isSilent(for milliseconds: Int64) -> Bool { Clock.monotonic() &- lastHeard > milliseconds }

    /// Asks the peer for a sign of life, which any WebSocket library gives by itself.
    func ping() {
        guard !isClosed, !isEnding else { return }
        codec.sendPing()
        hub.flushLater(self)
    }

    private func ready(_ events: UInt32) {
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return close() }
        if events & EPOLLIN.rawValue != 0 { read() }
        if !isClosed, events & EPOLLOUT.rawValue != 0 { flush() }
    }

    private func read() {
        // One buffer for all sockets of the thread.
        let count = hub.input.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        if count == 0 { return close() }
        if count < 0 {
            if errno != EAGAIN, errno != EINTR { close() }
            return
        }
        lastHeard = Clock.monotonic()
        let events = hub.input.withUnsafeBytes { codec.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        take(events)
        if !isClosed { hub.flushLater(self) }
    }

    private func take(_ events: [WebSocketCodec.Event]) {
        for event in events where !isClosed {
            switch event {
            case .text(let bytes), .binary(let bytes): if !isEnding { hub.received(bytes, self) }
            case .ping, .pong: break
            case .close: isEnding = true
            }
        }
        // The codec may have ended it for a violated protocol.
        if !isClosed, !codec.isReading, !isEnding {
            isEnding = true
            hub.loop.after(2000) { [weak self] in self?.close() }
        }
    }

    /// Writes what waits, as far as the peer takes it.
    func flush() {
        guard !isClosed else { return }
        if codec.isOutputOverflowing { return close() }
        var isBroken = false
        var isBlocked = false
        while codec.pendingOutputCount > 0, !isBroken, !isBlocked {
            codec.withPendingOutput { bytes in
                let sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                if sent >= 0 { return sent }
                if errno == EAGAIN { isBlocked = true } else if errno != EINTR { isBroken = true }
                return 0
            }
        }
        if isBroken { return close() }
        if isBlocked != watchesOutput {
            watchesOutput = isBlocked
            hub.loop.change(descriptor, events: isBlocked ? EPOLLIN.rawValue | EPOLLOUT.rawValue : EPOLLIN.rawValue)
        }
        if codec.pendingOutputCount == 0, codec.isCloseSent {
            // A reset would overtake the close frame; the peer's end of the stream, or the timer, closes for good.
            shutdown(descriptor, Int32(SHUT_WR))
            if codec.isFinished { close() }
        }
    }
}
