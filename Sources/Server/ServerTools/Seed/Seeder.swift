import ServerBase
import ServerChat
import SyncBytes
import SyncJSON

/// Fills the server before it serves: users, imported channels, the generated account.
public struct Seeder {
    public struct SeededChannel {
        public let url: String
        public let name: String
        public let messageCount: Int64
    }

    /// The users and channels that the server begins with, made now or found in the database.
    public struct Result {
        public internal(set) var users: [UserRow] = []
        public internal(set) var channels: [SeededChannel] = []
    }

    private let chat: Chat
    private let storage: Storage
    private let plan: SeedPlan

    public init(_ chat: Chat, _ storage: Storage, _ plan: SeedPlan) {
        self.chat = chat
        self.storage = storage
        self.plan = plan
    }

    /// - Throws: when a file to import cannot be read, or the database fails.
    public func seed() throws -> Result {
        var result = Result()
        try storage.transaction {
            for given in plan.users { result.users.append(try user(given.id, token: given.token)) }
            if let seed = plan.seed {
                let generated = try Generator(chat, storage, seed: seed, scale: plan.scale).generate(also: result.users)
                result.users =
                    generated.users
                    + result.users.filter { own in !generated.users.contains { $0.id.isByteEqual(to: own.id) } }
                result.channels += generated.channels
            }
            if !plan.imports.isEmpty, result.users.isEmpty {
                result.users.append(try user("reader", token: storage.random.hex(16)))
            }
        }
        for path in plan.imports {
            result.channels.append(try Importer(chat, storage).importFile(path, readers: result.users.map(\.id)))
        }
        return result
    }

    /// A user of the command line. One that the database knows keeps everything but the token, if a new one is given.
    private func user(_ id: String, token: String) throws -> UserRow {
        var user = try storage.users.user(id) ?? UserRow(id: id, nickname: id, createdAt: chat.now)
        if !token.isEmpty {
            user.accessToken = token
            // A token that an earlier run revoked is valid again when it is given again.
            if user.revokedToken.isByteEqual(to: token) { user.revokedToken = "" }
        }
        try storage.users.save(user)
        return user
    }
}
