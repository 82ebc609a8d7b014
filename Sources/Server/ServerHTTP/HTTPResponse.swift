import ServerBase
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

    public var status = 200
    public var body: [UInt8]
    /// A part of a file on the disk, sent in place of `body`.
    public var filePart: FilePart?
    public var delivery = Delivery.whole
    /// Headers besides those that every answer has.
    public var headers: [(String, String)] = []
    public var contentType = "application/json; charset=utf-8"

    /// The headers that are sent; those for the framing of the body come from libmicrohttpd.
    public var allHeaders: [(String, String)] {
        [("Content-Type", contentType), ("Access-Control-Allow-Origin", "*")] + headers
    }

    public init(status: Int = 200, body: [UInt8], headers: [(String, String)] = [], delivery: Delivery = .whole) {
        self.status = status
        self.body = body
        self.headers = headers
        self.delivery = delivery
    }

    public init(_ json: JSON) { body = json.serialized() }
    public init(_ writer: borrowing JSONWriter) { body = writer.bytes }

    /// A refusal: `error` comes first, some clients look for it in the first bytes only.
    public init(_ refusal: Refusal) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", true)
        writer.member("code", refusal.code)
        writer.member("message", refusal.message)
        writer.endObject()
        self.init(status: refusal.status, body: writer.bytes)
    }

    /// The head of an event stream, or a stream that has already ended.
    public static func events(_ body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(body: body, headers: [("Cache-Control", "no-cache")])
        response.contentType = "text/event-stream; charset=utf-8"
        return response
    }

    /// What a browser asks before it lets a page of another origin call.
    public static func preflight(_ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(
            body: [],
            headers: [
                ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS"),
                ("Access-Control-Max-Age", "86400"),
                ("Access-Control-Allow-Headers", request.header("Access-Control-Request-Headers") ?? "*"),
            ])
    }

    /// The caller has sent more requests than are allowed; after `wait` milliseconds it may send another one.
    public static func tooMany(limit: Int64, wait: Int64) -> HTTPResponse {
        var response = HTTPResponse(Refusal(500_910, "Too many requests.", status: 429))
        // Whole seconds, rounded up: who waits that long gets through.
        let seconds = String((wait + 999) / 1000)
        response.headers = [
            ("Retry-After", seconds), ("X-RateLimit-RetryAfter", seconds), ("X-RateLimit-Limit", String(limit)),
            ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", seconds),
        ]
        return response
    }

    public static let tooLarge = HTTPResponse(Refusal(400_110, "The body is too large.", status: 413))
    public static let empty = HTTPResponse(body: Array("{}".utf8))
}
