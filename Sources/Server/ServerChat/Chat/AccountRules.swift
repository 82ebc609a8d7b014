import ServerBase
import SyncJSON

/// Users and bots that are made, changed and removed.
public struct AccountRules: ChatRules {
    let chat: Chat

    /// Refuses an id that no new user or bot can have; `key` is the name of the field with the id.
    public func checkNewID(_ id: String, _ key: String) throws {
        guard id.unicodeScalars.count <= 80 else { throw Refusal(400_305, "\"\(key)\" is too long.") }
        if try storage.users.user(id) != nil { throw Refusal.exists("\"\(key)\"") }
    }

    /// Stores a user, with a session until a time if one is given; returns the session's key.
    public func store(_ user: UserRow, sessionUntil expiry: Int64?) throws -> String? {
        try storage.transaction {
            try storage.users.save(user)
            return try expiry.map { try chat.sessions.make(user.id, until: $0) }
        }
    }

    public func setMetadata(_ metadata: JSON, of user: UserRow) throws {
        var changed = user
        changed.metadata = metadata.serialized()
        try storage.users.save(changed)
    }

    /// The user leaves all of its channels, invitations too.
    public func leaveAll(_ id: String) throws {
        for (channel, _) in try storage.channels.list(of: id) { try chat.members.leave(channel, [id]) }
    }

    public func remove(_ id: String) throws {
        try leaveAll(id)
        try storage.users.delete(id)
        endSockets(of: id, "deleted")
    }

    public func endSockets(of id: String, _ reason: String) {
        finally { [hub] in
            for socket in hub.sockets(of: id) { socket.end(code: 4000, reason: reason) }
        }
    }

    /// Stores a bot: its user and its settings.
    public func storeBot(_ user: UserRow, _ settings: JSON) throws {
        try storage.transaction {
            try storage.users.save(user)
            try storage.documents.save(.bot, user.id, at: now, settings)
        }
        storage.bots.insert(user.id)
    }
}

extension Chat {
    public var accounts: AccountRules { AccountRules(chat: self) }
}
