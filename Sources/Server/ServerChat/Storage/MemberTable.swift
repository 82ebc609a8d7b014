import SyncBytes
import SyncJSON

/// The memberships of users in channels, with what each member has read.
public struct MemberTable: StorageTable {
    let storage: Storage

    public func membership(_ channelID: Int64, _ userID: String) throws -> MembershipRow? {
        try connection.prepare(
            "SELECT \(MembershipRow.columns.list) FROM members m WHERE m.channel_id = ? AND m.user_id = ?"
        ).bind(channelID).bind(userID).first { MembershipRow($0) }
    }

    /// Stores a membership as a change that the member's changelog tells.
    public func save(_ member: MembershipRow, at now: Int64) throws {
        var stored = member
        stored.changeSeq = try storage.nextSequence()
        stored.changeAt = now
        let statement = try connection.prepare("INSERT OR REPLACE INTO members \(MembershipRow.columns.values)")
        try MembershipRow.columns.bind(stored, to: statement).run()
        storage.forgetMembers(member.channelID)
        storage.totals.note(member.channelID)
    }

    /// Counts the members again and stores the counts with the channel.
    public func recount(_ channelID: Int64) throws -> (members: Int64, joined: Int64) {
        try connection.prepare(
            """
            UPDATE channels SET
                member_count = (SELECT count(*) FROM members WHERE channel_id = ? AND state > 0),
                joined_count = (SELECT count(*) FROM members WHERE channel_id = ? AND state = 2)
            WHERE id = ?
            """
        ).bind(channelID).bind(channelID).bind(channelID).run()
        return try connection.prepare("SELECT member_count, joined_count FROM channels WHERE id = ?").bind(channelID)
            .first { ($0.int(0), $0.int(1)) } ?? (0, 0)
    }

    /// The members of a channel with their users, operators first or not, at most `limit`.
    public func list(_ channelID: Int64, limit: Int = .max) throws -> [(membership: MembershipRow, user: UserRow)] {
        try connection.prepare(
            """
            SELECT \(MembershipRow.columns.list), \(UserRow.columns.list)
            FROM members m JOIN users u ON u.user_id = m.user_id WHERE m.channel_id = ? AND m.state > 0 LIMIT ?
            """
        ).bind(channelID).bind(limit)
            .all { (MembershipRow($0), UserRow($0, from: MembershipRow.columns.count)) }
    }

    /// Whether one of these users is a member.
    public func hasAny(_ channelID: Int64, among users: TextSet) throws -> Bool {
        try users.contains { id in try membership(channelID, id).map { $0.state != .gone } ?? false }
    }

    /// When members read and got messages last.
    public func receipts(_ channelID: Int64) throws -> [(userID: String, read: Int64, delivered: Int64)] {
        try connection.prepare("SELECT user_id, last_read, delivered FROM members WHERE channel_id = ? AND state = 2")
            .bind(channelID).all { ($0.text(0), $0.int(1), $0.int(2)) }
    }

    /// The members of a channel who have joined.
    public func joined(_ channelID: Int64) throws -> [String] {
        try connection.prepare("SELECT user_id FROM members WHERE channel_id = ? AND state = 2").bind(channelID).all {
            $0.text(0)
        }
    }

    public func operators(_ channelID: Int64) throws -> [String] {
        try connection.prepare("SELECT user_id FROM members WHERE channel_id = ? AND state > 0 AND is_operator = 1")
            .bind(channelID).all { $0.text(0) }
    }

    public func muted(_ channelID: Int64, at now: Int64) throws -> [MembershipRow] {
        try connection.prepare(
            """
            SELECT \(MembershipRow.columns.list) FROM members m WHERE m.channel_id = ? AND m.state > 0
                AND (m.muted_until = -1 OR m.muted_until > ?)
            """
        ).bind(channelID).bind(now).all { MembershipRow($0) }
    }

    /// Members whose mute has run out, the earliest first.
    public func endedMutes(by now: Int64) throws -> [MembershipRow] {
        try connection.prepare(
            """
            SELECT \(MembershipRow.columns.list) FROM members m
            WHERE m.muted_until > 0 AND m.muted_until <= ? AND m.state > 0
            ORDER BY m.muted_until, m.channel_id, m.user_id
            """
        ).bind(now).all { MembershipRow($0) }
    }

    /// When the next mute runs out.
    public func nextMuteEnd() throws -> Int64? {
        try connection.prepare("SELECT min(muted_until) FROM members WHERE muted_until > 0 AND state > 0")
            .first { $0.isNull(0) ? nil : $0.int(0) } ?? nil
    }

    // MARK: Reading

    /// Counts one more message of the member's own, which is not unread for the member.
    public func countOwn(_ channelID: Int64, _ userID: String) throws {
        storage.totals.note(channelID)
        try connection.prepare("UPDATE members SET own_unread = own_unread + 1 WHERE channel_id = ? AND user_id = ?")
            .bind(channelID).bind(userID).run()
    }

    /// Adds to the unread mentions of those whom a message mentions and who have not read it, or takes from them. They
    /// have read no more than `before` messages of the channel.
    public func countMentions(_ message: MessageRow, _ mentions: Mentions, by count: Int64, before: Int64) throws {
        let change = """
            UPDATE members SET mentions = max(0, mentions + ?)
            WHERE channel_id = ? AND state = 2 AND read_total <= ? AND user_id <> ?
            """
        switch mentions {
        case .everybody:
            try connection.prepare(change).bind(count).bind(message.channelID).bind(before).bind(message.sender).run()
        case .users(let users):
            for user in users.sorted() {
                try connection.prepare(change + " AND user_id = ?").bind(count).bind(message.channelID).bind(before)
                    .bind(message.sender).bind(user).run()
            }
        }
    }

    /// Shows the channel again to those who hid it until something new comes.
    public func unhideForNews(_ channelID: Int64) throws {
        try connection.prepare("UPDATE members SET hidden = 0 WHERE channel_id = ? AND hidden = 1")
            .bind(channelID).run()
    }

    public func markRead(_ channelID: Int64, _ userID: String, at now: Int64, total: Int64) throws {
        storage.totals.note(channelID)
        try connection.prepare(
            """
            UPDATE members SET last_read = ?, delivered = max(delivered, ?), read_total = ?, own_unread = 0,
                mentions = 0, change_seq = ?, change_at = ?
            WHERE channel_id = ? AND user_id = ?
            """
        ).bind(now).bind(now).bind(total).bind(try storage.nextSequence()).bind(now).bind(channelID).bind(userID).run()
    }

    public func markDelivered(_ channelID: Int64, _ userID: String, at time: Int64) throws -> Bool {
        try connection.prepare(
            "UPDATE members SET delivered = ? WHERE channel_id = ? AND user_id = ? AND state = 2 AND delivered < ?"
        )
        .bind(time).bind(channelID).bind(userID).bind(time).run()
        return connection.changes > 0
    }

    /// A message was stored with a time before the last reading of some members: for them it is read.
    public func countAsRead(_ channelID: Int64, at createdAt: Int64) throws {
        storage.totals.note(channelID)
        try connection.prepare("UPDATE members SET read_total = read_total + 1 WHERE channel_id = ? AND last_read >= ?")
            .bind(channelID).bind(createdAt).run()
    }

    // MARK: Silent messages

    // A silent message is the last one of its channel to its sender, and to nobody else.

    /// Notes a silent message as its sender's last one, if it is the newest.
    public func noteSilent(_ message: MessageRow) throws {
        try connection.prepare(
            """
            UPDATE members SET silent_id = ?, silent_at = ?
            WHERE channel_id = ? AND user_id = ? AND (silent_at, silent_id) < (?, ?)
            """
        )
        .bind(message.id).bind(message.createdAt).bind(message.channelID).bind(message.sender)
        .bind(message.createdAt).bind(message.id).run()
    }

    /// Whether a message is its sender's newest silent one.
    public func isSilentLast(_ message: MessageRow) throws -> Bool {
        guard !message.sender.isEmpty else { return false }
        return try membership(message.channelID, message.sender)?.silentID == message.id
    }

    /// A message went, or has another time: if it was silent, its sender's newest silent message is found again.
    public func recallSilent(after message: MessageRow, _ policy: ThreadingPolicy) throws {
        guard (try? JSON.parse(message.json))?["silent"]?.bool == true else { return }
        let newest = try connection.prepare(
            """
            SELECT message_id, created_at FROM messages
            WHERE channel_id = ? AND sender = ? AND \(policy.condition) AND json_extract(json, '$.silent') = 1
            ORDER BY created_at DESC, message_id DESC LIMIT 1
            """
        ).bind(message.channelID).bind(message.sender).first { ($0.int(0), $0.int(1)) }
        try connection.prepare("UPDATE members SET silent_id = ?, silent_at = ? WHERE channel_id = ? AND user_id = ?")
            .bind(newest?.0 ?? 0).bind(newest?.1 ?? 0).bind(message.channelID).bind(message.sender).run()
    }
}

extension Storage {
    public var members: MemberTable { MemberTable(storage: self) }
}
