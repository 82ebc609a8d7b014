/// The channels, with their metadata and counters.
public struct ChannelTable: StorageTable {
    let storage: Storage

    /// A channel that is not deleted.
    public func channel(_ url: String) throws -> ChannelRow? {
        try connection.prepare("SELECT \(ChannelRow.columns.list) FROM channels c WHERE c.url = ? AND c.is_deleted = 0")
            .bind(url).first { ChannelRow($0) }
    }

    public func channel(id: Int64) throws -> ChannelRow? {
        try connection.prepare("SELECT \(ChannelRow.columns.list) FROM channels c WHERE c.id = ?").bind(id).first {
            ChannelRow($0)
        }
    }

    public func isTaken(url: String) throws -> Bool {
        try connection.prepare("SELECT 1 FROM channels WHERE url = ? AND is_deleted = 0").bind(url).first { _ in
            true
        } ?? false
    }

    public func distinct(_ key: String) throws -> ChannelRow? {
        try connection.prepare(
            "SELECT \(ChannelRow.columns.list) FROM channels c WHERE c.distinct_key = ? AND c.is_deleted = 0"
        )
        .bind(key).first { ChannelRow($0) }
    }

    /// Stores a new channel and returns it with its id.
    public func insert(_ channel: ChannelRow) throws -> ChannelRow {
        var stored = channel
        stored.changeSeq = try storage.nextSequence()
        stored.changeAt = channel.createdAt
        let columns = ChannelRow.newColumns
        try columns.bind(stored, to: connection.prepare("INSERT INTO channels \(columns.values)")).run()
        stored.id = connection.lastInsertID
        return stored
    }

    /// Stores what a host may change of a channel.
    public func update(_ channel: ChannelRow) throws {
        storage.totals.note(channel.id)
        let columns = ChannelRow.hostColumns
        let statement = try connection.prepare("UPDATE channels SET \(columns.assignments) WHERE id = ?")
        try columns.bind(channel, to: statement).bind(channel.id).run()
    }

    /// Notes that a channel changed for all its members.
    public func touch(_ id: Int64, at now: Int64) throws {
        try connection.prepare("UPDATE channels SET change_seq = ?, change_at = ? WHERE id = ?")
            .bind(try storage.nextSequence()).bind(now).bind(id).run()
    }

    /// Marks a channel as deleted and all its members as gone; its messages go.
    public func delete(_ id: Int64, at now: Int64) throws {
        try connection.prepare("UPDATE channels SET is_deleted = 1, distinct_key = '' WHERE id = ?").bind(id).run()
        try connection.prepare(
            "UPDATE members SET state = 0, change_seq = ?, change_at = ? WHERE channel_id = ? AND state > 0"
        )
        .bind(try storage.nextSequence()).bind(now).bind(id).run()
        try storage.markMessageID()
        for table in ["messages", "removed", "requests", "changes", "metadata", "metacounters", "bans"] {
            try connection.prepare("DELETE FROM \(table) WHERE channel_id = ?").bind(id).run()
        }
        storage.forgetMembers(id)
        storage.totals.note(id)
    }

    /// All channels, or the public ones.
    public func all(publicOnly: Bool) throws -> [ChannelRow] {
        try connection.prepare(
            """
            SELECT \(ChannelRow.columns.list) FROM channels c WHERE c.is_deleted = 0 AND (? = 0 OR (c.flags & 16) <> 0)
            """
        ).bind(publicOnly).all { ChannelRow($0) }
    }

    /// A user's channels with the user's part in them. Gone memberships are left out unless asked for.
    public func list(of userID: String, withGone: Bool = false) throws -> [(
        channel: ChannelRow, membership: MembershipRow
    )] {
        try connection.prepare(
            """
            SELECT \(ChannelRow.columns.list), \(MembershipRow.columns.list)
            FROM members m JOIN channels c ON c.id = m.channel_id
            WHERE m.user_id = ? AND m.state >= ?
            """
        ).bind(userID).bind(withGone ? 0 : 1)
            .all { (ChannelRow($0), MembershipRow($0, from: ChannelRow.columns.count)) }
    }

    /// What changed for a user after a change number, or since a time: the smallest numbers first.
    public func changes(
        of userID: String, after sequence: Int64, since time: Int64, limit: Int
    ) throws -> [(channel: ChannelRow, membership: MembershipRow, sequence: Int64)] {
        try connection.prepare(
            """
            SELECT \(ChannelRow.columns.list), \(MembershipRow.columns.list)
            FROM members m JOIN channels c ON c.id = m.channel_id
            WHERE m.user_id = ? AND max(m.change_seq, c.change_seq * (m.state > 0)) > ?
                AND max(m.change_at, c.change_at * (m.state > 0)) >= ?
            ORDER BY max(m.change_seq, c.change_seq * (m.state > 0)) LIMIT ?
            """
        ).bind(userID).bind(sequence).bind(time).bind(limit)
            .all { row in
                let channel = ChannelRow(row)
                let membership = MembershipRow(row, from: ChannelRow.columns.count)
                let own =
                    membership.state == .gone ? membership.changeSeq : max(membership.changeSeq, channel.changeSeq)
                return (channel, membership, own)
            }
    }

    /// Sets the channel's last message.
    public func setLastMessage(_ channelID: Int64, _ id: Int64, _ createdAt: Int64) throws {
        try connection.prepare("UPDATE channels SET last_message_id = ?, last_message_at = ? WHERE id = ?")
            .bind(id).bind(createdAt).bind(channelID).run()
    }

    public func addCountable(_ channelID: Int64, _ count: Int64) throws {
        storage.totals.note(channelID)
        try connection.prepare("UPDATE channels SET countable = countable + ? WHERE id = ?").bind(count).bind(channelID)
            .run()
    }

    // MARK: Metadata and counters

    public func metadata(_ channelID: Int64) throws -> [(String, String)] {
        try connection.prepare("SELECT key, value FROM metadata WHERE channel_id = ?").bind(channelID)
            .all { ($0.text(0), $0.text(1)) }
    }

    public func setMetadata(_ channelID: Int64, _ key: String, _ value: String) throws {
        try connection.prepare("INSERT OR REPLACE INTO metadata (channel_id, key, value) VALUES (?, ?, ?)")
            .bind(channelID).bind(key).bind(value).run()
    }

    public func removeMetadata(_ channelID: Int64, _ key: String) throws {
        try connection.prepare("DELETE FROM metadata WHERE channel_id = ? AND key = ?").bind(channelID).bind(key).run()
    }

    public func counters(_ channelID: Int64) throws -> [(String, Int64)] {
        try connection.prepare("SELECT key, value FROM metacounters WHERE channel_id = ?").bind(channelID)
            .all { ($0.text(0), $0.int(1)) }
    }

    public func setCounter(_ channelID: Int64, _ key: String, _ value: Int64) throws {
        try connection.prepare("INSERT OR REPLACE INTO metacounters (channel_id, key, value) VALUES (?, ?, ?)")
            .bind(channelID).bind(key).bind(value).run()
    }

    public func removeCounter(_ channelID: Int64, _ key: String) throws {
        try connection.prepare("DELETE FROM metacounters WHERE channel_id = ? AND key = ?").bind(channelID).bind(key)
            .run()
    }
}

extension Storage {
    public var channels: ChannelTable { ChannelTable(storage: self) }
}
