/// A request that has come in completely.
struct HTTPRequest {
    let method: String
    let target: RequestTarget
    let body: [UInt8]
    /// A header by its name, in any case.
    let header: (String) -> String?

    /// A longer body is not taken.
    static let bodyLimit = 32 << 20

    var query: RequestQuery { target.query }
    func payload() throws -> Payload { try Payload(body: body) }
}
