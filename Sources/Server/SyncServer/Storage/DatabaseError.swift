/// What SQLite refused to do.
struct DatabaseError: Error {
    let code: Int32
    let message: String
}
