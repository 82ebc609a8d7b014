import ServerBase
import ServerChat

/// The client's end of a socket of `InProcessServer`.
///
/// What the server sends waits here until it is taken. A client's library would answer pings and close frames by
/// itself: `pong` and `closeByClient` do that. Used by one thread at a time, within the life of its server.
public final class InProcessSocket {
    /// A close frame.
    public struct Goodbye: Equatable, Sendable {
        public let code: UInt16
        public let reason: String
    }

    /// The server's close frame, sent after all texts. The connection stays for up to two seconds, or until
    /// `closeByClient`.
    public private(set) var goodbye: Goodbye?
    /// Whether the connection has ended, by either side.
    public private(set) var isClosed = false

    private var texts: [[UInt8]] = []
    private var pings = 0
    private weak var socket: (any SocketOwner)?

    init() {}

    /// The texts that the server has sent since they were last taken, in order.
    public func takeFrames() -> [[UInt8]] {
        defer { texts = [] }
        return texts
    }

    /// How many pings came since they were last taken; each wants a `pong`.
    public func takePings() -> Int {
        defer { pings = 0 }
        return pings
    }

    /// A text of the client arrives.
    public func receive(_ text: [UInt8]) {
        guard !isClosed, let socket else { return }
        socket.heard()
        socket.received(text)
    }

    /// A sign of life of the client arrives.
    public func pong() { if !isClosed { socket?.heard() } }

    /// The client's end of the connection arrives: its close frame, or a reset.
    public func closeByClient() { socket?.close() }
}

extension InProcessSocket: SocketLink {
    public func open(_ owner: any SocketOwner) { socket = owner }
    public func send(_ text: [UInt8]) { texts.append(text) }
    public func ping() { pings += 1 }
    public func sendClose(code: UInt16, reason: [UInt8]) {
        goodbye = Goodbye(code: code, reason: String(decoding: reason, as: UTF8.self))
    }
    public func close() { isClosed = true }
}
