/// What SQLite refused to do.
public struct DatabaseError: Error, CustomStringConvertible {
    public let code: Int32
    public let message: String

    public init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// As the log has it.
    public var description: String { "SQLite: \(message) (\(code))" }
}
