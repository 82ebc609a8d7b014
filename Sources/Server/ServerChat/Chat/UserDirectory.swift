import ServerBase
import SyncBytes
import SyncJSON

/// Reads what is told of users, their devices and the application. Who may ask is checked before, by the caller.
public struct UserDirectory {
    private let storage: Storage
    private let now: Int64

    init(_ storage: Storage, at now: Int64) {
        self.storage = storage
        self.now = now
    }

    /// A user, active or not.
    public func user(_ id: String) throws -> UserRow {
        guard let user = try storage.users.user(id) else { throw Refusal.noUser() }
        return user
    }

    /// The same; `nil` when there is no such user.
    public func find(_ id: String) throws -> UserRow? { try storage.users.user(id) }

    /// Users in the order of their ids.
    public func list(_ wanted: UserListQuery) throws -> [UserRow] {
        let candidates =
            try wanted.ids.map { try $0.sorted().compactMap { try storage.users.user($0) } } ?? storage.users.all()
        return candidates.filter { user in
            wanted.activity.matches(user) && (wanted.nicknames?.contains(user.nickname) ?? true)
                && user.nickname.lowercased().beginsWithBytes(of: wanted.prefix)
                && (wanted.showsBots || !storage.bots.contains(user.id)) && wanted.metadata.matches(user)
        }
    }

    /// The users whom a user blocks, or who block the user, by id; only those among `wanted`, if that is given.
    public func blocks(
        of userID: String, blockingIt: Bool, among wanted: TextSet?, _ metadata: MetadataCondition
    ) throws -> [UserRow] {
        let all = try storage.blocks.list(of: userID)
        return try (blockingIt ? all.blockedBy : all.blocking)
            .filter { wanted?.contains($0) ?? true }.sortedByBytes().compactMap { try storage.users.user($0) }
            .filter(metadata.matches)
    }

    public func friends(of userID: String) throws -> [FriendTable.Friend] { try storage.friends.list(of: userID) }

    /// A token for logins that cannot be guessed.
    public func newAccessToken() -> String { storage.random.hex(20) }

    /// When a session key expires, 0 for never; `nil` when there is no such key.
    public func expiry(ofSession key: String) throws -> Int64? { try storage.sessions.session(key)?.expiresAt }

    // MARK: Bots

    /// A bot's user.
    public func bot(_ id: String) throws -> UserRow {
        guard storage.bots.contains(id), let user = try storage.users.user(id) else {
            throw Refusal(400_201, "\"Bot\" not found.")
        }
        return user
    }

    /// The ids of all bots.
    public func bots() throws -> [String] { try storage.documents.all(.bot).map { $0.id } }

    /// A bot's settings; `nil` when there is no such bot.
    public func botSettings(_ id: String) throws -> JSON? { try storage.documents.document(.bot, id) }

    // MARK: Devices and activity

    /// The tokens of a user's devices of a type.
    public func devices(of userID: String, type: String) throws -> [String] {
        try storage.devices.list(of: userID, type: type).map { $0.token }
    }

    /// The user who has a device.
    public func deviceOwner(_ type: String, _ token: String) throws -> String? {
        try storage.devices.owner(type, token)
    }

    /// How many users were active on these days, counted from 1970-01-01.
    public func activeUsers(on days: ClosedRange<Int64>) throws -> Int64 {
        try storage.activity.activeUsers(from: days.lowerBound, to: days.upperBound)
    }

    // MARK: Announcements

    /// Announcements in one of these states, or in any.
    public func announcements(in states: TextSet?) throws -> [JSON] {
        try storage.documents.all(.announcement).map { $0.json }
            .filter { states?.contains($0["status"]?.string ?? "") ?? true }
    }

    public func scheduledMessages(_ wanted: ScheduledQuery) throws -> [JSON] {
        try storage.documents.all(.scheduled).map { $0.json }.filter { json in
            (wanted.userID.isEmpty || (json["user_id"]?.string).isByteEqual(to: wanted.userID))
                && (wanted.channelURL.isEmpty || (json["channel_url"]?.string).isByteEqual(to: wanted.channelURL))
                && (wanted.states?.contains(json["status"]?.string ?? "") ?? true)
                && (wanted.type.isEmpty || (json["type"]?.string).isByteEqual(to: wanted.type))
        }
    }
}
