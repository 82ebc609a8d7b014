extension Storage {
    // MARK: Devices

    /// A device belongs to whoever registered it last.
    public func registerDevice(_ type: String, _ token: String, _ userID: String) throws {
        try connection.prepare("INSERT OR REPLACE INTO devices (type, token, user_id) VALUES (?, ?, ?)")
            .bind(type).bind(token).bind(userID).run()
    }

    public func removeDevice(_ type: String, _ token: String) throws {
        try connection.prepare("DELETE FROM devices WHERE type = ? AND token = ?").bind(type).bind(token).run()
    }

    public func deviceOwner(_ type: String, _ token: String) throws -> String? {
        try connection.prepare("SELECT user_id FROM devices WHERE type = ? AND token = ?").bind(type).bind(token)
            .first { $0.text(0) }
    }

    /// A user's devices, of one type or all.
    public func devices(of userID: String, type: String? = nil) throws -> [(type: String, token: String)] {
        try connection.prepare(
            "SELECT type, token FROM devices WHERE user_id = ? AND (? = '' OR type = ?) ORDER BY type, token"
        ).bind(userID).bind(type ?? "").bind(type ?? "").all { ($0.text(0), $0.text(1)) }
    }

    // MARK: Activity

    /// Milliseconds of a day.
    public static let day: Int64 = 86_400_000

    public func noteActivity(_ userID: String, at now: Int64) throws {
        try connection.prepare("INSERT OR IGNORE INTO activity (day, user_id) VALUES (?, ?)").bind(now / Storage.day)
            .bind(userID).run()
    }

    /// How many users were there on the days from one to another, both included.
    public func activeUsers(from first: Int64, to last: Int64) throws -> Int64 {
        try connection.prepare("SELECT count(DISTINCT user_id) FROM activity WHERE day BETWEEN ? AND ?")
            .bind(first).bind(last).first { $0.int(0) } ?? 0
    }

    // MARK: Restrictions

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

    public func restrictions(of userID: String, _ kind: Restriction.Kind) throws -> [Restriction] {
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

    public func liftRestriction(of userID: String, _ kind: Restriction.Kind, _ customType: String) throws {
        try connection.prepare("DELETE FROM restrictions WHERE user_id = ? AND kind = ? AND custom_type = ?")
            .bind(userID).bind(kind.rawValue).bind(customType).run()
    }
}
