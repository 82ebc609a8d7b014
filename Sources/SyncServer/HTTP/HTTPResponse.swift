import SyncJSON

/// An answer to be sent, or what a fault makes of it.
public struct HTTPResponse: Sendable {
    public enum Delivery: Sendable {
        case whole
        /// The length is announced, half of the bytes come, then the connection breaks.
        case half
        /// The connection closes without an answer.
        case none
    }

    public internal(set) var status = 200
    public internal(set) var body: [UInt8]
    public internal(set) var delivery = Delivery.whole
    /// Besides those that every answer has.
    var headers: [(String, String)] = []

    /// What goes out before the body; framing of the connection is its own.
    public var allHeaders: [(String, String)] {
        [("Content-Type", "application/json; charset=utf-8"), ("Access-Control-Allow-Origin", "*")] + headers
    }

    init(status: Int = 200, body: [UInt8], headers: [(String, String)] = [], delivery: Delivery = .whole) {
        self.status = status
        self.body = body
        self.headers = headers
        self.delivery = delivery
    }

    init(_ json: JSON) { body = json.serialized() }
    init(_ writer: borrowing JSONWriter) { body = writer.bytes }
    init(_ error: APIError) { self.init(status: error.status, body: error.body) }

    /// What a browser asks before it lets a page of another origin call.
    static func preflight(_ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(
            body: [],
            headers: [
                ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS"),
                ("Access-Control-Max-Age", "86400"),
                ("Access-Control-Allow-Headers", request.header("Access-Control-Request-Headers") ?? "*"),
            ])
    }

    static let tooLarge = HTTPResponse(APIError(400_110, "The body is too large.", status: 413))
    static let empty = HTTPResponse(body: Array("{}".utf8))
}
