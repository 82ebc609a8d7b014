import ServerChat
import SyncJSON

/// Fills the server before it serves: users, imported channels, the generated account.
struct Seeder {
    struct SeededChannel {
        let url: String
        let name: String
        let messageCount: Int64
    }

    struct Result {
        var users: [UserRow] = []
        var channels: [SeededChannel] = []
    }

    let chat: Chat

    private let options: ServerOptions

    init(_ chat: Chat, _ options: ServerOptions) {
        self.chat = chat
        self.options = options
    }

    func seed() throws -> Result {
        var result = Result()
        try chat.storage.transaction {
            for given in options.users { result.users.append(try user(given.id, token: given.token)) }
            if let seed = options.seed {
                let generated = try Generator(chat, seed: seed, scale: options.scale).generate(also: result.users)
                result.users =
                    generated.users + result.users.filter { own in !generated.users.contains { $0.id == own.id } }
                result.channels += generated.channels
            }
            if !options.imports.isEmpty, result.users.isEmpty {
                result.users.append(try user("reader", token: chat.storage.random.hex(16)))
            }
        }
        for path in options.imports {
            result.channels.append(try Importer(chat).importFile(path, readers: result.users.map(\.id)))
        }
        return result
    }

    /// A user of the command line. One that the database knows keeps everything but the token, if a new one is given.
    private func user(_ id: String, token: String) throws -> UserRow {
        var user = try chat.storage.user(id) ?? UserRow(id: id, nickname: id, createdAt: chat.now)
        if !token.isEmpty {
            user.accessToken = token
            // Revoked in an earlier run: given again, it is valid again.
            if user.revokedToken == token { user.revokedToken = "" }
        }
        try chat.storage.save(user)
        return user
    }
}
