/// Bans and mutes of users in all channels of a custom type.
public struct RestrictionTable: StorageTable {
    let storage: Storage

    /// A ban or a mute of a user in all channels of a custom type.
    public struct Restriction {
        public enum Kind: String {
            case ban, mute
        }

        public let userID: String
        public let customType: String
        /// -1: for ever.
        public let until: Int64
        public let since: Int64
        public let note: String

        public func holds(at now: Int64) -> Bool { until == -1 || until > now }
    }

    public func list(of userID: String, _ kind: Restriction.Kind) throws -> [Restriction] {
        try connection.prepare(
            """
            SELECT user_id, custom_type, until, since, note FROM restrictions WHERE user_id = ? AND kind = ?
            ORDER BY custom_type
            """
        ).bind(userID).bind(kind.rawValue)
            .all {
                Restriction(
                    userID: $0.text(0), customType: $0.text(1), until: $0.time(2), since: $0.time(3), note: $0.text(4))
            }
    }

    public func save(_ restriction: Restriction, _ kind: Restriction.Kind) throws {
        try connection.prepare(
            """
            INSERT OR REPLACE INTO restrictions (user_id, kind, custom_type, until, since, note)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        ).bind(restriction.userID).bind(kind.rawValue).bind(restriction.customType).bind(restriction.until)
            .bind(restriction.since).bind(restriction.note).run()
    }

    public func lift(of userID: String, _ kind: Restriction.Kind, _ customType: String) throws {
        try connection.prepare("DELETE FROM restrictions WHERE user_id = ? AND kind = ? AND custom_type = ?")
            .bind(userID).bind(kind.rawValue).bind(customType).run()
    }
}

extension Storage {
    public var restrictions: RestrictionTable { RestrictionTable(storage: self) }
}
