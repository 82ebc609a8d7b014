import ServerBase

/// A request that has come in completely.
public struct HTTPRequest {
    public let method: String
    public let target: RequestTarget
    public let body: [UInt8]
    /// A header by its name, in any case.
    public let header: (String) -> String?
    /// The body in place of `body`, when it is a form that was taken apart while it came in.
    let parts: MultipartReader?
    /// The body once it was read, shared by all copies of the request.
    public let form = RequestForm()

    public init(method: String, target: RequestTarget, body: [UInt8], header: @escaping (String) -> String?) {
        self.init(method: method, target: target, body: body, parts: nil, header: header)
    }

    init(
        method: String, target: RequestTarget, body: [UInt8], parts: MultipartReader?,
        header: @escaping (String) -> String?
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.parts = parts
        self.header = header
    }

    /// A longer body is not taken.
    public static let bodyLimit = 32 << 20

    public var query: RequestQuery { target.query }

    /// How long the body will be, as its headers say; 0 when they do not.
    public var contentLength: Int64 { header("Content-Length").flatMap { Int64($0) } ?? 0 }

    /// Whether the body is a form that may bring files.
    public var isMultipart: Bool { (header("Content-Type") ?? "").lowercased().hasPrefix("multipart/form-data") }

    /// The body as an object: JSON, or the fields of a form.
    public func payload() throws -> Fields { try form.payload(of: self) }

    /// The file that a form brought under this name.
    public func file(_ name: String) throws -> UploadedFile? {
        _ = try payload()
        return form.take(name)
    }
}
