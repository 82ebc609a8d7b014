/// How a WebSocket is opened and watched. Times are in milliseconds, sizes in bytes.
public struct WebSocketOptions: Sendable {
    /// `ws://` or `wss://`, percent-encoded.
    public var url: String
    /// Further fields of the handshake's request; those that HTTP does not allow fail it.
    public var headers: [(String, String)] = []
    /// PEM file of trusted roots instead of the system's.
    public var caFile: String?
    /// For name lookup, TCP, TLS and the handshake together.
    public var handshakeTimeoutMS = 10_000
    /// The largest message the peer may send; a larger one ends the connection (1009).
    public var messageLimit = 16 << 20
    /// The most bytes that may wait for a slow peer; beyond that the connection ends.
    public var outputLimit = 32 << 20
    /// Without a byte from the peer for this long a ping frame is sent; after twice as long the peer counts as dead.
    /// 0: never.
    public var idleMS = 60_000
    /// How long the peer may take to answer a close frame and to end the connection.
    public var closeTimeoutMS = 2_000

    public init(url: String) { self.url = url }
}
