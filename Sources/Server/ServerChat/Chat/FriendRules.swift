import ServerBase
import SyncBytes
import SyncJSON

/// A user's list of friends is the user's own: those who are added are not asked, and need not have the user as a
/// friend. A user is discovered when its discovery keys and somebody's address book meet, whichever of them comes
/// later.
public struct FriendRules: ChatRules {
    let chat: Chat

    public func add(_ ids: [String], to userID: String) throws -> [UserRow] {
        let users = try ids.map { id in
            guard let user = try storage.users.user(id) else { throw Refusal.noUser() }
            guard !id.isByteEqual(to: userID) else {
                throw Refusal.invalid("user_ids", "nobody is a friend of its own")
            }
            return user
        }
        try storage.transaction {
            for user in users where try !storage.friends.isFriend(user.id, of: userID) {
                try storage.friends.save(FriendTable.Friend(id: user.id, discoveryKey: "", name: ""), of: userID)
            }
        }
        return users
    }

    public func remove(_ ids: [String], of userID: String) throws {
        try storage.transaction { for id in ids { try storage.friends.remove(id, of: userID) } }
    }

    /// Adds entries to a user's address book, and the users found by them to the user's friends.
    public func upload(_ entries: [FriendTable.Discovery], of userID: String) throws {
        try change { broadcasts in
            var found: [FriendTable.Friend] = []
            for entry in entries {
                try storage.friends.save(entry)
                for id in try storage.friends.users(discoveredBy: entry.key) where !id.isByteEqual(to: userID) {
                    found.append(FriendTable.Friend(id: id, discoveryKey: entry.key, name: entry.name))
                }
            }
            try discover(found, by: userID, &broadcasts)
        }
    }

    /// Takes entries out of a user's address book.
    public func removeDiscoveries(_ keys: [String], of userID: String) throws {
        try storage.transaction { for key in keys { try storage.friends.removeDiscovery(key, of: userID) } }
    }

    /// Makes a user, who has new discovery keys, a friend of those who have one of them in their address books.
    public func announceKeys(of user: UserRow) throws {
        let keys = (user.detail("discovery_keys")?.array ?? []).compactMap(\.string)
        guard !keys.isEmpty, user.detail("is_hide_me_from_friends")?.bool != true else { return }
        try change { broadcasts in
            for key in keys {
                for entry in try storage.friends.discoveries(ofKey: key) where !entry.userID.isByteEqual(to: user.id) {
                    let friend = FriendTable.Friend(id: user.id, discoveryKey: key, name: entry.name)
                    try discover([friend], by: entry.userID, &broadcasts)
                }
            }
        }
    }

    /// Stores new friends and tells of those that were none before.
    private func discover(_ found: [FriendTable.Friend], by userID: String, _ broadcasts: inout [Broadcast]) throws {
        let told = JSON.array()
        for friend in found where try !storage.friends.isFriend(friend.id, of: userID) {
            try storage.friends.save(friend, of: userID)
            guard let user = try storage.users.user(friend.id) else { continue }
            let json = SocketDialect.user(user.json)
            json.set("friend_discovery_key", .string(friend.discoveryKey))
            json.set("friend_name", .string(friend.name))
            told.append(json)
        }
        guard told.count > 0 else { return }
        let event = JSON.object([
            "cat": 20900, "ts": .int(now), "data": .object(["friend_discoveries": told]),
        ])
        broadcasts.append(Broadcast(frame: Frames.frame("USEV", event), users: [userID]))
    }
}

extension Chat {
    public var friends: FriendRules { FriendRules(chat: self) }
}
