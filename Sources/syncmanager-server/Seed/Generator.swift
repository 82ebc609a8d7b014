/// The generated account. Not written yet: asking for it is an error.
struct Generator {
    struct Result { var users: [UserRow] = []; var channels: [Seeder.SeededChannel] = [] }
    init(_ chat: Chat, seed: UInt64, scale: Double) {}
    func generate(also: [UserRow]) throws -> Result { throw DatabaseError(code: 0, message: "--generate is not there yet") }
}
