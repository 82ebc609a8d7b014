import ServerBase
import ServerChat
import SyncBytes
import SyncJSON

/// Writes many messages of one channel without sending each: no broadcasts, no checks, counts at the end.
/// Must be used inside one transaction.
final class BulkWriter {
    private let storage: Storage
    private let channel: ChannelRow
    private var userTexts: TextMap<[UInt8]> = [:]
    private(set) var count: Int64 = 0
    private var last: (id: Int64, at: Int64) = (0, 0)
    private var sentBy: TextMap<Int64> = [:]

    init(_ storage: Storage, _ channel: ChannelRow) {
        self.storage = storage
        self.channel = channel
    }

    /// The parts that a bulk message may have besides text.
    struct Extras {
        var kind = MessageRow.Kind.text
        var customType = ""
        var data = ""
        var updatedAt: Int64 = 0
        var parentID: Int64 = 0
        var isReplyToChannel = false
        var parentInfo: [UInt8]?
        var reactions: [UInt8]?
        var file: [UInt8]?
    }

    /// Stores a message and returns it.
    @discardableResult
    func write(_ text: String, by sender: UserRow?, at time: Int64, _ extras: Extras = Extras()) throws -> MessageRow {
        var writer = JSONWriter(capacity: 640 + text.utf8.count)
        let id = storage.nextMessageID()
        writer.beginObject()
        writer.member("message_id", id)
        writer.member("type", extras.kind.rawValue)
        writer.member("channel_url", channel.url)
        writer.member("channel_type", "group")
        writer.member("message", text)
        writer.member("data", extras.data)
        writer.member("custom_type", extras.customType)
        writer.member("created_at", time)
        writer.member("updated_at", extras.updatedAt)
        if let sender { writer.member("user", raw: user(sender)) }
        writer.member("mention_type", "users")
        writer.member("mentioned_users", raw: Array("[]".utf8))
        writer.member("mentioned_user_ids", raw: Array("[]".utf8))
        writer.member("silent", false)
        writer.member("is_op_msg", false)
        writer.member("is_removed", false)
        writer.member("message_survival_seconds", -1)
        writer.member("force_update_last_message", false)
        if extras.parentID > 0 {
            writer.member("parent_message_id", extras.parentID)
            writer.member("is_reply_to_channel", extras.isReplyToChannel)
        }
        if let file = extras.file {
            writer.member("file", raw: file)
            writer.member("thumbnails", raw: Array("[]".utf8))
            writer.member("require_auth", false)
        }
        writer.endObject()
        var message = MessageRow(
            channelID: channel.id, createdAt: time, id: id, kind: extras.kind, customType: extras.customType,
            sender: sender?.id ?? "", parentID: extras.parentID,
            isInChannel: extras.parentID == 0 || extras.isReplyToChannel,
            isCountable: true, json: writer.bytes)
        message.reactions = extras.reactions
        message.parentInfo = extras.parentInfo
        try storage.messages.insert(message)
        count += 1
        if let sender { sentBy[sender.id, default: 0] += 1 }
        if (time, id) > (last.at, last.id) { last = (id, time) }
        return message
    }

    private func user(_ user: UserRow) -> [UInt8] {
        if let known = userTexts[user.id] { return known }
        var writer = JSONWriter()
        writer.beginObject()
        user.writeCore(&writer)
        writer.member("role", "none")
        writer.member("is_blocked_by_me", false)
        writer.endObject()
        userTexts[user.id] = writer.bytes
        return writer.bytes
    }

    /// Brings the channel's and members' counts up to what was written.
    func finish() throws {
        guard count > 0 else { return }
        try storage.channels.addCountable(channel.id, count)
        try storage.channels.setLastMessage(channel.id, last.id, last.at)
        try storage.channels.touch(channel.id, at: last.at)
        for (userID, own) in sentBy.sorted() {
            try storage.connection.prepare(
                "UPDATE members SET own_unread = own_unread + ? WHERE channel_id = ? AND user_id = ?"
            )
            .bind(own).bind(channel.id).bind(userID).run()
        }
    }
}
