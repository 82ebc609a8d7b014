import ServerHTTP
import SyncJSON
import SyncTree

/// A refusal as the database protocol words it: a status, and one text.
public struct DatabaseRefusal: Error {
    public let status: Int
    public let message: String

    public init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    public init(_ error: TreeError) { self.init(400, error.description) }

    public var response: HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", message)
        writer.endObject()
        return HTTPResponse(status: status, body: writer.bytes)
    }

    public static let denied = DatabaseRefusal(401, "Permission denied")
    public static let tooLarge = DatabaseRefusal(
        413, "Data to write exceeds the maximum size that can be modified with a single request.")
    public static func parameter(_ name: String, _ why: String) -> DatabaseRefusal {
        DatabaseRefusal(400, "Invalid value of \"\(name)\": \(why)")
    }
}
