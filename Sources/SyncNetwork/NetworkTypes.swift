/// One HTTP request.
public struct HTTPRequest: Sendable {
    public var method: String
    public var url: String
    public var headers: [(String, String)]
    public var body: [UInt8]?
    /// Milliseconds for the whole exchange.
    public var timeoutMS: Int
    /// PEM file of trusted roots instead of the system's.
    public var caFile: String?
    /// The largest answer that is taken, in bytes.
    public var responseLimit: Int

    public init(
        method: String, url: String, headers: [(String, String)] = [], body: [UInt8]? = nil, timeoutMS: Int = 10_000,
        caFile: String? = nil, responseLimit: Int = 64 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutMS = timeoutMS
        self.caFile = caFile
        self.responseLimit = responseLimit
    }
}

public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [(String, String)]
    public var body: [UInt8]
}

/// Why no answer came, in one line.
public struct NetworkFailure: Error, Equatable, Sendable {
    public enum Kind: Sendable {
        case cannotConnect, timedOut, tls, cancelled, tooLarge, protocolError, closed
        /// The peer answered the WebSocket handshake with another HTTP status.
        case refused
    }
    public var kind: Kind
    /// HTTP status of a refused handshake, or WebSocket close code; 0 otherwise.
    public var code: Int
    public var message: String

    public init(_ kind: Kind, code: Int = 0, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }
}

/// How a WebSocket is opened. Times in milliseconds.
public struct WebSocketOptions: Sendable {
    public var url: String
    public var headers: [(String, String)] = []
    public var caFile: String?
    /// For TCP, TLS and the handshake together.
    public var handshakeTimeoutMS = 10_000
    public var messageLimit = 16 << 20
    public var outputLimit = 32 << 20
    /// Without a byte from the peer for this long a ping frame is sent; after twice as long the peer is dead. 0: never.
    public var idleMS = 60_000
    /// How long the peer may take to answer a close frame.
    public var closeTimeoutMS = 2_000

    public init(url: String) { self.url = url }
}

/// What a WebSocket tells. `closed` comes exactly once, last.
public enum SocketEvent: Sendable {
    case opened
    case text([UInt8])
    case closed(NetworkFailure)
}
