import SyncJSON

/// A refusal as the protocol words it. The codes are those of the wire notes, §6.
struct APIError: Error {
    let status: Int
    let code: Int
    let message: String

    init(_ code: Int, _ message: String, status: Int = 400) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// The body: `error` comes first, some clients look for it in the first bytes only.
    var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", true)
        writer.member("code", code)
        writer.member("message", message)
        writer.endObject()
        return writer.bytes
    }

    static func missing(_ key: String) -> APIError { APIError(400_105, "\"\(key)\" is missing.") }
    static func notString(_ key: String) -> APIError { APIError(400_100, "\"\(key)\" should be a string.") }
    static func notNumber(_ key: String) -> APIError { APIError(400_101, "\"\(key)\" should be a number.") }
    static func notList(_ key: String) -> APIError { APIError(400_102, "\"\(key)\" should be a list.") }
    static func notObject(_ key: String) -> APIError { APIError(400_103, "\"\(key)\" should be a JSON object.") }
    static func notBool(_ key: String) -> APIError { APIError(400_104, "\"\(key)\" should be a boolean.") }
    static func invalid(_ key: String, _ why: String) -> APIError {
        APIError(400_111, "Invalid value of \"\(key)\": \(why).")
    }
    static func outOfRange(_ key: String) -> APIError { APIError(400_113, "\"\(key)\" is out of range.") }
    static func tooLong(_ key: String) -> APIError { APIError(400_110, "\"\(key)\" is too long.") }
    static func tooMany(_ key: String) -> APIError { APIError(400_203, "\"\(key)\" has too many items.") }
    static func expiredToken() -> APIError { APIError(400_109, "The page token has expired.") }
    static func exists(_ what: String) -> APIError { APIError(400_202, "\(what) exists already.") }
    static func unauthorized(_ why: String) -> APIError { APIError(400_108, "Not authorized: \(why).", status: 403) }
    static func noChannel() -> APIError { APIError(400_201, "\"Channel\" not found.", status: 404) }
    static func noUser() -> APIError { APIError(400_201, "\"User\" not found.") }
    static func noMessage() -> APIError { APIError(900_300, "Message not found.", status: 404) }
    static func notMember() -> APIError { APIError(900_020, "Not a member of this channel.", status: 403) }
    static func banned() -> APIError { APIError(900_100, "Banned from this channel.", status: 403) }
    static let noEndpointCode = 400_930
    static func noEndpoint() -> APIError { APIError(noEndpointCode, "There is no such endpoint.", status: 404) }
    static func sessionExpired() -> APIError { APIError(400_309, "The session key has expired.", status: 400) }
    static func tokenRevoked() -> APIError { APIError(400_310, "The session token has been revoked.", status: 400) }
    static func wrongToken() -> APIError { APIError(400_302, "The access token is not valid.", status: 400) }
}
