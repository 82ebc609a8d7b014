import SyncJSON

// A silent message is the last one of its channel to its sender, and to nobody else.
extension Storage {
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

extension ChannelRow {
    /// The last message as a member sees it, or the administration (`nil`).
    public func lastMessage(of member: MembershipRow?) -> (id: Int64, at: Int64)? {
        var last = (id: lastMessageID, at: lastMessageAt)
        if let member, member.silentID > 0, (last.at, last.id) < (member.silentAt, member.silentID) {
            last = (member.silentID, member.silentAt)
        }
        return last.id > 0 && last.at >= member?.offset ?? 0 ? last : nil
    }
}
