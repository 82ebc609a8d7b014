import ServerBase
import SyncBytes
import SyncJSON

/// One message for many channels: which channels get it, and how it is sent.
public struct Announcement {
    public static let targets = [
        "sender_all_channels", "target_channels", "target_users_included_channels", "target_users_only_channels",
    ]

    private let json: JSON
    private let chat: Chat

    public init(_ json: JSON, _ chat: Chat) {
        self.json = json
        self.chat = chat
    }

    private func text(_ key: String) -> String { json[key]?.string ?? "" }
    private var listed: [String] { (json["target_list"]?.array ?? []).compactMap(\.string) }
    private var sender: String { json["message"]?["user_id"]?.string ?? "" }

    /// The channels that it goes to.
    public func channels() throws -> [ChannelRow] {
        let storage = chat.storage
        let found: [ChannelRow]
        switch text("target_at") {
        case "sender_all_channels": found = try storage.channels.list(of: sender).map(\.channel)
        case "target_channels": found = try listed.compactMap { try storage.channels.channel($0) }
        case "target_users_included_channels":
            var seen: Set<Int64> = []
            found = try listed.flatMap { try storage.channels.list(of: $0).map(\.channel) }
                .filter { seen.insert($0.id).inserted }
        default:
            // The channels that have only the sender and one of the users as members.
            found = try listed.flatMap { user in
                try storage.channels.list(of: user).map(\.channel).filter { channel in
                    TextSet(try storage.audience(channel.id)) == TextSet([user, sender].filter { !$0.isEmpty })
                }
            }
        }
        let type = text("target_custom_type")
        let isMeant: (ChannelRow) -> Bool = { channel in
            (type.isEmpty || channel.customType.isByteEqual(to: type))
                && (!channel.isFrozen || json["send_to_frozen_channels"]?.bool ?? true)
        }
        guard text("target_channel_type") == "super" else { return found.filter(isMeant) }
        return found.filter { $0.isSuper && isMeant($0) }
    }

    public func users() throws -> TextSet {
        TextSet(try channels().flatMap { try chat.storage.members.joined($0.id) }).subtracting([sender])
    }

    /// Sends the message, also into new channels when the announcement asks for them.
    public func send() throws -> (channels: Int, users: Int) {
        let message = json["message"] ?? .object()
        var input = MessageInput(kind: message["type"]?.string == "ADMM" ? .admin : .text)
        input.text = message["content"]?.string ?? ""
        input.customType = message["custom_type"]?.string ?? ""
        input.data = message["data"]?.string ?? ""
        input.sendsPush = json["enable_push"]?.bool ?? true
        input.marksAsRead = json["mark_as_read"]?.bool ?? true
        try makeChannels()
        let targets = try channels()
        let reached = try users()
        for target in targets {
            // Each channel is read again, since a message to an earlier one may have changed its counts.
            guard let channel = try chat.storage.channels.channel(id: target.id), !channel.isDeleted else { continue }
            let isMember = try chat.storage.members.membership(channel.id, sender)?.state == .joined
            var speaker = input.kind == .admin ? "" : sender
            var said = input
            // A sender who is not a member speaks as the service.
            if !speaker.isEmpty, !isMember {
                said.kind = .admin
                speaker = ""
            }
            _ = try chat.sending.send(said, Caller(userID: speaker, isAdmin: true), channel)
        }
        return (targets.count, reached.count)
    }

    /// Makes channels for the users that have none with the sender yet.
    private func makeChannels() throws {
        guard json["create_channel"]?.bool == true, text("target_at") == "target_users_only_channels", !sender.isEmpty
        else { return }
        let options = json["create_channel_options"] ?? .object()
        for user in listed {
            let exists = try chat.storage.channels.list(of: user).contains { channel, _ in
                TextSet(try chat.storage.audience(channel.id)) == TextSet([user, sender])
            }
            if exists { continue }
            let wish = JSON.object([
                "user_ids": .strings([sender, user]), "name": options["name"] ?? "",
                "cover_url": options["cover_url"] ?? "", "custom_type": options["custom_type"] ?? "",
                "data": options["data"] ?? "", "is_distinct": options["distinct"] ?? true,
            ])
            if json["assign_sender_as_channel_inviter"]?.bool == true { wish.set("inviter_id", .string(sender)) }
            let made = try chat.channels.create(Fields(wish), Caller(userID: "", isAdmin: true)).channel
            if json["keep_channel_hidden_for_sender"]?.bool == true {
                _ = try chat.hiding.hide(made, sender, hidesPrevious: false, unhidesByItself: true)
            }
        }
    }
}
