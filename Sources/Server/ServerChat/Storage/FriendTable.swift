/// Lists of friends, and the address books by which users are found.
public struct FriendTable: StorageTable {
    let storage: Storage

    /// A friend of a user; both texts are empty when it was added by its id.
    public struct Friend {
        public let id: String
        public let discoveryKey: String
        public let name: String
    }

    /// A user's friends by id.
    public func list(of userID: String) throws -> [Friend] {
        try connection.prepare("SELECT friend, discovery_key, name FROM friends WHERE user_id = ? ORDER BY friend")
            .bind(userID).all { Friend(id: $0.text(0), discoveryKey: $0.text(1), name: $0.text(2)) }
    }

    public func isFriend(_ friendID: String, of userID: String) throws -> Bool {
        try connection.prepare("SELECT 1 FROM friends WHERE user_id = ? AND friend = ?").bind(userID).bind(friendID)
            .first { _ in true } ?? false
    }

    public func save(_ friend: Friend, of userID: String) throws {
        try connection.prepare(
            "INSERT OR REPLACE INTO friends (user_id, friend, discovery_key, name) VALUES (?, ?, ?, ?)"
        ).bind(userID).bind(friend.id).bind(friend.discoveryKey).bind(friend.name).run()
    }

    public func remove(_ friendID: String, of userID: String) throws {
        try connection.prepare("DELETE FROM friends WHERE user_id = ? AND friend = ?").bind(userID).bind(friendID).run()
    }

    /// One entry of an address book.
    public struct Discovery {
        public let userID: String
        public let key: String
        public let name: String

        public init(userID: String, key: String, name: String) {
            self.userID = userID
            self.key = key
            self.name = name
        }
    }

    public func save(_ discovery: Discovery) throws {
        try connection.prepare("INSERT OR REPLACE INTO discoveries (user_id, discovery_key, name) VALUES (?, ?, ?)")
            .bind(discovery.userID).bind(discovery.key).bind(discovery.name).run()
    }

    public func removeDiscovery(_ key: String, of userID: String) throws {
        try connection.prepare("DELETE FROM discoveries WHERE user_id = ? AND discovery_key = ?").bind(userID).bind(key)
            .run()
    }

    /// The entries with a key, in all address books.
    public func discoveries(ofKey key: String) throws -> [Discovery] {
        try connection.prepare(
            "SELECT user_id, discovery_key, name FROM discoveries WHERE discovery_key = ? ORDER BY user_id"
        ).bind(key).all { Discovery(userID: $0.text(0), key: $0.text(1), name: $0.text(2)) }
    }

    /// The users who have a key among their own discovery keys.
    public func users(discoveredBy key: String) throws -> [String] {
        try connection.prepare(
            """
            SELECT user_id FROM users WHERE details <> '{}'
                AND coalesce(json_extract(details, '$.is_hide_me_from_friends'), 0) = 0
                AND EXISTS (SELECT 1 FROM json_each(users.details, '$.discovery_keys') WHERE value = ?)
            ORDER BY user_id
            """
        ).bind(key).all { $0.text(0) }
    }
}

extension Storage {
    public var friends: FriendTable { FriendTable(storage: self) }
}
