/// A refusal as the protocol words it. The codes are those of the wire notes, §6.
public struct Refusal: Error, CustomStringConvertible {
    public let status: Int
    public let code: Int
    public let message: String

    public init(_ code: Int, _ message: String, status: Int = 400) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// The refusal as the log shows it.
    public var description: String { "\(message) (\(code))" }

    public static func missing(_ key: String) -> Refusal { Refusal(400_105, "\"\(key)\" is missing.") }
    public static func notString(_ key: String) -> Refusal { Refusal(400_100, "\"\(key)\" should be a string.") }
    public static func notNumber(_ key: String) -> Refusal { Refusal(400_101, "\"\(key)\" should be a number.") }
    public static func notList(_ key: String) -> Refusal { Refusal(400_102, "\"\(key)\" should be a list.") }
    public static func notObject(_ key: String) -> Refusal { Refusal(400_103, "\"\(key)\" should be a JSON object.") }
    public static func notBool(_ key: String) -> Refusal { Refusal(400_104, "\"\(key)\" should be a boolean.") }
    public static func invalid(_ key: String, _ why: String) -> Refusal {
        Refusal(400_111, "Invalid value of \"\(key)\": \(why).")
    }
    public static func outOfRange(_ key: String) -> Refusal { Refusal(400_113, "\"\(key)\" is out of range.") }
    public static func tooLong(_ key: String) -> Refusal { Refusal(400_110, "\"\(key)\" is too long.") }
    public static func tooMany(_ key: String) -> Refusal { Refusal(400_203, "\"\(key)\" has too many items.") }
    public static func expiredToken() -> Refusal { Refusal(400_109, "The page token has expired.") }
    public static func exists(_ what: String) -> Refusal { Refusal(400_202, "\(what) exists already.") }
    public static func unauthorized(_ why: String) -> Refusal {
        Refusal(400_108, "Not authorized: \(why).", status: 403)
    }
    public static func largeFile(_ limit: Int64) -> Refusal {
        Refusal(400_111, "The file is larger than \(limit) MB.", status: 413)
    }
    public static func fullOfFiles(_ quota: Int64) -> Refusal {
        Refusal(400_306, "The files of this application have their quota of \(quota) MB.", status: 413)
    }
    public static func noChannel() -> Refusal { Refusal(400_201, "\"Channel\" not found.", status: 404) }
    public static func noUser() -> Refusal { Refusal(400_201, "\"User\" not found.") }
    public static func noMessage() -> Refusal { Refusal(900_300, "Message not found.", status: 404) }
    public static func notMember() -> Refusal { Refusal(900_020, "Not a member of this channel.", status: 403) }
    public static func banned() -> Refusal { Refusal(900_100, "Banned from this channel.", status: 403) }
    public static let noEndpointCode = 400_930
    public static func noEndpoint() -> Refusal { Refusal(noEndpointCode, "There is no such endpoint.", status: 404) }
    public static func sessionExpired() -> Refusal { Refusal(400_309, "The session key has expired.", status: 400) }
    public static func tokenRevoked() -> Refusal {
        Refusal(400_310, "The session token has been revoked.", status: 400)
    }
    public static func wrongToken() -> Refusal { Refusal(400_302, "The access token is not valid.", status: 400) }
}
