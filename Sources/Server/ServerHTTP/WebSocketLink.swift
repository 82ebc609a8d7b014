import CLinux
import Glibc
import ServerBase
import SyncWebSocket

/// A socket's link over a network connection: framing and a descriptor.
///
/// Output is collected and written once per round of the event loop. A peer that takes its bytes too slowly or breaks
/// the protocol is dropped.
final class WebSocketLink: SocketLink {
    /// Whether it is in its pool's list of those with output. Kept by the pool.
    var isWaitingForFlush = false

    private let connection: UpgradedConnection
    private let codec: WebSocketCodec
    private unowned let pool: WebSocketPool
    private weak var socket: (any SocketOwner)?
    private var watchesOutput = false
    private var isClosed = false

    static let messageLimit = 4 << 20
    static let outputLimit = 16 << 20

    /// Fails when libwslay has no memory.
    init?(_ connection: UpgradedConnection, pool: WebSocketPool) {
        guard
            let codec = WebSocketCodec(
                role: .server, messageLimit: WebSocketLink.messageLimit, outputLimit: WebSocketLink.outputLimit)
        else { return nil }
        self.connection = connection
        self.codec = codec
        self.pool = pool
    }

    private var descriptor: Int32 { connection.socket }

    func open(_ socket: any SocketOwner) {
        self.socket = socket
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard pool.loop.add(descriptor, { [weak self] events in self?.ready(events) }) else { return socket.close() }
        if !connection.firstBytes.isEmpty {
            take(connection.firstBytes.withUnsafeBytes { codec.receive($0) }, socket)
        }
        pool.flushLater(self)
    }

    func send(_ text: [UInt8]) {
        codec.sendText(text)
        pool.flushLater(self)
    }

    func ping() {
        codec.sendPing()
        pool.flushLater(self)
    }

    func sendClose(code: UInt16, reason: [UInt8]) {
        codec.sendClose(code: code, reason: reason)
        pool.flushLater(self)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        pool.loop.remove(descriptor)
        shim_shutdown(descriptor)
        connection.close()
    }

    private func ready(_ events: UInt32) {
        guard let socket else { return close() }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return socket.close() }
        if events & EPOLLIN.rawValue != 0 { read(socket) }
        if events & EPOLLOUT.rawValue != 0 { flush() }
    }

    private func read(_ socket: any SocketOwner) {
        // One buffer for all sockets of the thread.
        let count = pool.input.withUnsafeMutableBytes {
            recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        if count == 0 { return socket.close() }
        if count < 0 {
            if errno != EAGAIN, errno != EINTR { socket.close() }
            return
        }
        socket.heard()
        take(pool.input.withUnsafeBytes { codec.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }, socket)
        pool.flushLater(self)
    }

    private func take(_ events: [WebSocketCodec.Event], _ socket: any SocketOwner) {
        for event in events where !isClosed {
            switch event {
            case .text(let bytes), .binary(let bytes): socket.received(bytes)
            case .ping, .pong: break
            case .close: socket.peerCloses()
            }
        }
        // The codec may have ended the connection, since the peer broke the protocol.
        if !codec.isReading { socket.breaksProtocol() }
    }

    /// Writes what waits, as far as the peer takes it.
    func flush() {
        guard !isClosed, let socket else { return }
        if codec.isOutputOverflowing { return socket.close() }
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
        if isBroken { return socket.close() }
        if isBlocked != watchesOutput {
            watchesOutput = isBlocked
            pool.loop.change(descriptor, events: isBlocked ? EPOLLIN.rawValue | EPOLLOUT.rawValue : EPOLLIN.rawValue)
        }
        if codec.pendingOutputCount == 0, codec.isCloseSent {
            // Closing now could reset the connection before the close frame arrives. The peer's end, or a timer, closes
            // it.
            shutdown(descriptor, Int32(SHUT_WR))
            if codec.isFinished { socket.close() }
        }
    }
}
