/// What SQLite refused to do.
struct DatabaseError: Error, CustomStringConvertible {
    let code: Int32
    let message: String

    /// As the log has it.
    var description: String { "SQLite: \(message) (\(code))" }
}
