/// One HTTP request.
public struct HTTPRequest: Sendable {
    /// `GET`, `POST`, …; sent as it is.
    public var method: String
    /// An absolute `http` or `https` URL, percent-encoded.
    public var url: String
    /// Further fields. A name or value that HTTP does not allow fails the request, so no header can be injected.
    public var headers: [(String, String)]
    public var body: [UInt8]?
    /// Milliseconds for the whole exchange (of a stream: for the head of its answer), and for the part of it that finds
    /// and connects to the server.
    public var timeoutMS: Int
    public var connectTimeoutMS: Int
    /// PEM file of trusted roots instead of the system's.
    public var caFile: String?
    /// The largest answer that is taken, in bytes of its (unpacked) body.
    public var responseLimit: Int
    /// A file that is sent as the body, or that the body of the answer becomes. Then `timeoutMS` bounds the time
    /// without progress, not the whole exchange.
    public var file: HTTPFile?
    /// Called on the network thread, at most ten times a second, with the bytes of the file that have been sent or
    /// received so far, and of how many (-1: not known).
    public var progress: (@Sendable (Int64, Int64) -> Void)?

    public init(
        method: String, url: String, headers: [(String, String)] = [], body: [UInt8]? = nil, timeoutMS: Int = 10_000,
        connectTimeoutMS: Int = 10_000, caFile: String? = nil, responseLimit: Int = 64 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutMS = timeoutMS
        self.connectTimeoutMS = connectTimeoutMS
        self.caFile = caFile
        self.responseLimit = responseLimit
    }
}
