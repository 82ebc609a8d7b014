/// What a server is filled with before it starts.
public struct SeedPlan: Sendable {
    /// A user that exists from the start; an empty token lets anybody log in.
    public struct User: Sendable {
        public let id: String
        public let token: String

        public init(id: String, token: String = "") {
            self.id = id
            self.token = token
        }
    }

    let users: [User]
    /// Files, each of which becomes a channel.
    let imports: [String]
    /// The seed of the generated account; `nil`: there is none.
    let seed: UInt64?
    /// Size of the generated account, 1 by default.
    let scale: Double

    public init(users: [User], imports: [String], seed: UInt64?, scale: Double) {
        self.users = users
        self.imports = imports
        self.seed = seed
        self.scale = scale
    }
}
