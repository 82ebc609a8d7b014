/// A request that has come in completely.
struct HTTPRequest {
    let method: String
    let target: RequestTarget
    let body: [UInt8]
    /// A header by its name, in any case.
    let header: (String) -> String?
    /// The body once it was read, shared by all copies of the request.
    let form = RequestForm()

    /// A longer body is not taken.
    static let bodyLimit = 32 << 20

    var query: RequestQuery { target.query }

    /// The body as an object: JSON, or the fields of a form.
    func payload() throws -> Payload { try form.payload(of: self) }

    /// The file that a form brought under this name.
    func file(_ name: String) throws -> UploadedFile? {
        _ = try payload()
        return form.take(name)
    }
}
