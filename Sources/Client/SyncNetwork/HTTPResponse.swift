/// A server's complete answer, whatever its status.
public struct HTTPResponse: Sendable {
    public var status: Int
    /// Fields in the server's order, names in lower case.
    public var headers: [(String, String)]
    /// The body, unpacked.
    public var body: [UInt8]
}
