import SyncJSON
import SyncSQLite

/// A user as stored.
public struct UserRow {
    public let id: String
    public var nickname: String
    public var profileURL: String
    /// A JSON object of texts.
    public var metadata: [UInt8] = Array("{}".utf8)
    /// A JSON array of language codes.
    public var languages: [UInt8] = Array("[]".utf8)
    /// Empty means that the user logs in without one.
    public var accessToken: String
    /// A token that was valid once; logging in with it tells that it was revoked.
    public var revokedToken = ""
    public var isActive = true
    public var createdAt: Int64
    public var lastSeenAt: Int64 = 0
    /// Whether invitations let the user in at once.
    public var acceptsInvitations = true
    /// A JSON object: what is said of a user besides.
    public var details = UserRow.noDetails

    private static let noDetails = Array("{}".utf8)

    public static let columns = """
        u.user_id, u.nickname, u.profile_url, u.metadata, u.languages, u.access_token, u.revoked_token, u.is_active, \
        u.created_at, u.last_seen_at, u.auto_accept, u.details
        """

    public init(id: String, nickname: String, profileURL: String = "", accessToken: String = "", createdAt: Int64) {
        self.id = id
        self.nickname = nickname
        self.profileURL = profileURL
        self.accessToken = accessToken
        self.createdAt = createdAt
    }

    /// Reads the columns above, from `first` on.
    public init(_ row: Statement, from first: Int32 = 0) {
        id = row.text(first)
        nickname = row.text(first + 1)
        profileURL = row.text(first + 2)
        metadata = row.bytes(first + 3)
        languages = row.bytes(first + 4)
        accessToken = row.text(first + 5)
        revokedToken = row.text(first + 6)
        isActive = row.bool(first + 7)
        createdAt = row.time(first + 8)
        lastSeenAt = row.time(first + 9)
        acceptsInvitations = row.bool(first + 10)
        // Most have none, and lists of members read many users.
        details = row.utf8(first + 11).count <= 2 ? UserRow.noDetails : row.bytes(first + 11)
    }

    /// A thing said of the user besides, e.g. discovery keys.
    public func detail(_ key: String) -> JSON? {
        guard details.count > 2 else { return nil }
        return (try? JSON.parse(details))?[key]
    }

    public mutating func setDetail(_ key: String, _ value: JSON?) {
        let all = (try? JSON.parse(details)) ?? .object()
        all.set(key, value)
        details = all.serialized()
    }

    /// The members every shape of a user has, into an object that is open.
    public func writeCore(_ writer: inout JSONWriter) {
        writer.member("user_id", id)
        writer.member("nickname", nickname)
        writer.member("profile_url", profileURL)
        writer.member("require_auth_for_profile_image", false)
        writer.member("metadata", raw: metadata)
        writer.member("is_active", isActive)
    }

    /// The whole user, into an object that is open. The time last seen is 0 while online.
    public func writeFull(_ writer: inout JSONWriter, isOnline: Bool, as friend: Storage.Friend? = nil) {
        writeCore(&writer)
        writer.member("is_online", isOnline)
        writer.member("last_seen_at", isOnline ? 0 : lastSeenAt)
        writer.member("preferred_languages", raw: languages)
        writer.key("friend_discovery_key")
        UserRow.write(friend?.discoveryKey, &writer)
        writer.key("friend_name")
        UserRow.write(friend?.name, &writer)
        writer.member("created_at", createdAt / 1000)
    }

    private static func write(_ text: String?, _ writer: inout JSONWriter) {
        if let text, !text.isEmpty { writer.string(text) } else { writer.null() }
    }

    /// The user inside a message or an event.
    public var json: JSON {
        .object([
            "user_id": .string(id), "nickname": .string(nickname), "profile_url": .string(profileURL),
            "require_auth_for_profile_image": false, "metadata": (try? JSON.parse(metadata)) ?? .object(),
            "is_active": .bool(isActive),
        ])
    }
}
