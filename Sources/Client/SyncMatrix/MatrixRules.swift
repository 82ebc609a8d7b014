import SyncBytes
import SyncJSON
import SyncModel

/// What events and documents of Matrix mean. Pure functions.
public struct MatrixRules: ServiceRules {
    public init() {}

    // MARK: Channels

    public func patches(
        for message: MessageRecord, in channel: ChannelRecord, userID: UserID, counting: CountingPolicy
    ) -> [ChannelPatch]? {
        // The server counts what is unread, and tells it beside the messages.
        message.parentID.isEmpty ? [ChannelPatch(key: "last_message", value: message.json)] : []
    }

    public func patches(for event: ChannelEvent, in channel: ChannelRecord, userID: UserID) -> [ChannelPatch]? {
        switch event {
        case .changed, .entered: nil
        case .removed, .typing, .read, .delivered, .hidden: []
        case .patched(_, let members): MatrixRules.merged(members, into: channel, userID)
        }
    }

    /// What became known of a room comes as its member "matrix", from which the document's other members follow.
    private static func merged(
        _ members: [ChannelPatch], into channel: ChannelRecord, _ userID: UserID
    ) -> [ChannelPatch]? {
        var patches: [ChannelPatch] = []
        for member in members {
            guard member.key == "matrix" else {
                patches.append(member)
                continue
            }
            guard let held = JSONSlice.member("matrix", of: channel.json), let known = try? JSON.parse(held),
                known.kind == .object, let news = try? JSON.parse(member.value), news.kind == .object
            else { return nil }
            let state = RoomState(known, userID: userID).merged(news)
            patches += state.members.map { ChannelPatch(key: $0.key, value: $0.value.serialized()) }
        }
        return patches
    }

    public func patches(forLastMessage json: [UInt8], in channel: ChannelRecord) -> [ChannelPatch] {
        [ChannelPatch(key: "last_message", value: json)]
    }

    public func patches(forPurgeUpTo end: Int64, in channel: ChannelRecord) -> [ChannelPatch] { [] }
    public func mayChangeMentions(_ edited: MessageRecord, in channel: ChannelRecord, userID: UserID) -> Bool { false }
    public func hasUnread(_ channel: ChannelRecord) -> Bool { false }
    public func muteEnd(in channel: ChannelRecord, userID: UserID) -> Int64? { nil }
    public func isClosedToSends(_ channel: ChannelRecord) -> Bool { false }

    public func facts(of event: ServiceEvent, userID: UserID) -> [EventFact] { [] }

    // MARK: Messages

    public func apply(_ patch: MessagePatch, to json: [UInt8]) -> [UInt8]? { nil }

    public func mentions(_ userID: UserID, in json: [UInt8]) -> Bool {
        json.withUnsafeBytes { bytes in
            var isNamed = false
            JSONSlice.valid(bytes)["mentioned_user_ids"]?.forEachElement {
                if $0.string?.isByteEqual(to: userID.text) == true { isNamed = true }
            }
            return isNamed
        }
    }

    /// The newest edit by the message's own sender counts; reactions are grouped by their keys.
    public func folded(_ json: [UInt8], with relations: [Relation]) -> [UInt8] {
        guard let document = try? JSON.parse(json), let event = document["matrix"]?["event"],
            let content = event["content"]
        else { return json }
        let sender = UserID(event["sender"]?.string ?? "")
        let isFile = document["type"]?.string == MessageContent.word(.file)
        let edit = relations.last { $0.kind == RelationKind.edit && $0.senderID == sender }
        if let edit, let new = try? JSON.parse(edit.json) {
            MessageContent.write(new, isFile: isFile, to: document)
            document.set("updated_at", .int(edit.order))
        } else {
            MessageContent.write(content, isFile: isFile, to: document)
            document.set("updated_at", 0)
        }
        let reactions = MatrixRules.reactions(relations)
        document.set("reactions", reactions.count == 0 ? nil : reactions)
        return document.serialized()
    }

    private static func reactions(_ relations: [Relation]) -> JSON {
        let list = JSON.array()
        var groups: [TextKey: (entry: JSON, users: [UserID])] = [:]
        for relation in relations where relation.kind == RelationKind.reaction {
            let key = TextKey(relation.name)
            if groups[key] == nil {
                let entry = JSON.object(["key": .string(relation.name)])
                list.append(entry)
                groups[key] = (entry, [])
            }
            guard var group = groups[key], !group.users.contains(relation.senderID) else { continue }
            group.users.append(relation.senderID)
            group.entry.set("user_ids", .strings(group.users.map(\.text)))
            group.entry.set("updated_at", .int(max(group.entry["updated_at"]?.int ?? 0, relation.order)))
            groups[key] = group
        }
        return list
    }

    public func preview(of action: ActionCall, on json: [UInt8], userID: UserID) -> ActionPreview? {
        action.action == .message(.deleteMessage) ? .removed : nil
    }

    // MARK: Own messages

    public func json(of message: OwnMessageContent, userID: UserID) -> [UInt8] {
        OwnMessageDocument.json(
            of: message, userID: userID, canceled: MatrixCodes.canceled, MatrixCodes.curable.contains)
    }

    public func record(of message: OwnMessageContent, userID: UserID) -> MessageRecord {
        OwnMessageDocument.record(of: message, userID: userID, json(of: message, userID: userID))
    }

    /// Files cannot be sent yet.
    public func isSendable(_ message: OwnMessageContent) -> Bool {
        guard let document = try? JSON.parse(message.body), document.kind == .object else { return false }
        return !OwnMessageDocument.isFile(document)
    }
}
