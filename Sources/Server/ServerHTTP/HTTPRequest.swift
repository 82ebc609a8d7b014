import ServerBase

/// A request that has come in completely.
public struct HTTPRequest {
    public let method: String
    public let target: RequestTarget
    public let body: [UInt8]
    /// A header by its name, in any case.
    public let header: (String) -> String?
    /// The body once it was read, shared by all copies of the request.
    public let form = RequestForm()

    public init(method: String, target: RequestTarget, body: [UInt8], header: @escaping (String) -> String?) {
        self.method = method
        self.target = target
        self.body = body
        self.header = header
    }

    /// A longer body is not taken.
    public static let bodyLimit = 32 << 20

    public var query: RequestQuery { target.query }

    /// The body as an object: JSON, or the fields of a form.
    public func payload() throws -> Fields { try form.payload(of: self) }

    /// The file that a form brought under this name.
    public func file(_ name: String) throws -> UploadedFile? {
        _ = try payload()
        return form.take(name)
    }
}
