import CCurl

/// Why no answer came, or why a WebSocket ended, in one line.
public struct NetworkFailure: Error, Equatable, Sendable {
    public enum Kind: Sendable {
        /// No connection: the name is unknown, the server refuses, or there is no network.
        case cannotConnect
        /// libcurl is missing on this machine, or is not what its name says.
        case notInstalled
        /// A deadline passed: of the connection, the answer, the handshake, or a silent WebSocket's.
        case timedOut
        /// TLS failed: untrusted certificate, wrong name, unreadable `caFile`.
        case tls
        /// Cancelled on this side.
        case cancelled
        /// More bytes than the limit, received or waiting to be sent.
        case tooLarge
        /// All answers of one owner together have reached their limit.
        case crowded
        /// The peer, or the request, breaks HTTP or WebSocket rules.
        case protocolError
        /// The peer ended the connection: before the answer was complete, or a WebSocket with `code`.
        case closed
        /// A file on this machine cannot be sent or received; `code` is a `DiskFile.Problem`.
        case file
        /// The peer answered the WebSocket handshake with another HTTP status, found in `code`.
        case refused
    }

    public var kind: Kind
    /// HTTP status of a refused handshake, or the WebSocket close code (1005: none given, 1006: no close frame);
    /// 0 otherwise.
    public var code: Int
    /// One line for a log or a developer; may hold text from the peer.
    public var message: String

    public init(_ kind: Kind, code: Int = 0, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    init(curl code: CURLcode, message: String) {
        let kind: Kind =
            switch code {
            case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY,
                CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
                .cannotConnect
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED:
                .tls
            case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .closed
            default: .protocolError
            }
        self.init(kind, message)
    }
}
