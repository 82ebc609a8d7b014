import SyncJSON
import SyncSQLite

/// A user as stored.
public struct UserRow {
    public private(set) var id: String
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
    /// A JSON object with further details of the user.
    public var details = UserRow.noDetails

    private static let noDetails = Array("{}".utf8)

    static let columns = Columns<UserRow>(
        of: "u",
        [
            .init("user_id", { $0.id = $1.text($2) }, { $1.bind($0.id) }),
            .init("nickname", { $0.nickname = $1.text($2) }, { $1.bind($0.nickname) }),
            .init("profile_url", { $0.profileURL = $1.text($2) }, { $1.bind($0.profileURL) }),
            .init("metadata", { $0.metadata = $1.bytes($2) }, { $1.bind($0.metadata) }),
            .init("languages", { $0.languages = $1.bytes($2) }, { $1.bind($0.languages) }),
            .init("access_token", { $0.accessToken = $1.text($2) }, { $1.bind($0.accessToken) }),
            .init("revoked_token", { $0.revokedToken = $1.text($2) }, { $1.bind($0.revokedToken) }),
            .init("is_active", { $0.isActive = $1.bool($2) }, { $1.bind($0.isActive) }),
            .init("created_at", { $0.createdAt = $1.time($2) }, { $1.bind($0.createdAt) }),
            .init("last_seen_at", { $0.lastSeenAt = $1.time($2) }, { $1.bind($0.lastSeenAt) }),
            .init("auto_accept", { $0.acceptsInvitations = $1.bool($2) }, { $1.bind($0.acceptsInvitations) }),
            .init("details", { $0.readDetails($1, $2) }, { $1.bind($0.details) }),
        ])

    public init(id: String, nickname: String, profileURL: String = "", accessToken: String = "", createdAt: Int64) {
        self.id = id
        self.nickname = nickname
        self.profileURL = profileURL
        self.accessToken = accessToken
        self.createdAt = createdAt
    }

    /// Reads the columns above, from `first` on.
    init(_ row: Statement, from first: Int32 = 0) {
        self.init(id: "", nickname: "", createdAt: 0)
        UserRow.columns.read(row, from: first, into: &self)
    }

    /// Most have none, and lists of members read many users.
    private mutating func readDetails(_ row: Statement, _ column: Int32) {
        if row.utf8(column).count > UserRow.noDetails.count { details = row.bytes(column) }
    }

    /// A further detail of the user, such as the discovery keys.
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
    public func writeFull(_ writer: inout JSONWriter, isOnline: Bool, as friend: FriendTable.Friend? = nil) {
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
