import SyncJSON
import SyncModel

/// What an event of a room's timeline is for a list of messages.
enum RoomEvent {
    /// `edit`: its newest edit, which the server bundles with it.
    case message(MessageRecord, edit: Relation?)
    case relation(Relation, EventSource)
    /// Takes back a message or a relation; the event does not say which.
    case redaction(MessageID)
    /// State of the room, an event that was taken back, or one that cannot be read.
    case nothing
}

/// Kinds of relations, in the service's words.
enum RelationKind {
    static let reaction = "m.annotation"
    static let edit = "m.replace"
    static let thread = "m.thread"
}

/// Reads events of one room.
struct EventReader {
    let room: ChannelURL
    /// When the answer came, in milliseconds since the epoch by this machine: no event is later.
    let heardAt: Int64
    /// Documents of users, as hosts see them.
    var users: [UserID: JSON] = [:]

    init(room: ChannelURL, heardAt: Int64) {
        self.room = room
        self.heardAt = heardAt
    }

    /// Takes in what a list of events says of members' names and pictures.
    mutating func learn(_ events: [JSON]) {
        for event in events where event["type"]?.string == "m.room.member" {
            guard let id = event["state_key"]?.string, let content = event["content"] else { continue }
            users[UserID(id)] = EventReader.user(
                UserID(id), content["displayname"]?.string, content["avatar_url"]?.string)
        }
    }

    static func user(_ id: UserID, _ name: String?, _ picture: String?) -> JSON {
        .object([
            "user_id": .string(id.text), "nickname": .string(name ?? ""), "profile_url": .string(picture ?? ""),
        ])
    }

    func read(_ event: JSON) -> RoomEvent {
        guard let id = event["event_id"]?.string, !id.isEmpty, let type = event["type"]?.string,
            let sender = event["sender"]?.string, let content = event["content"], content.kind == .object,
            event["state_key"] == nil
        else { return .nothing }
        if type == "m.room.redaction" {
            // Where it stands depends on the version of the room.
            let target = content["redacts"]?.string ?? event["redacts"]?.string ?? ""
            return target.isEmpty ? .nothing : .redaction(MessageID(target))
        }
        if event["unsigned"]?["redacted_because"] != nil { return .nothing }
        let origin = Origin(
            id: MessageID(id), sender: UserID(sender), time: min(max(event["origin_server_ts"]?.int ?? 0, 0), heardAt))
        let relates = content["m.relates_to"]
        let target = MessageID(relates?["event_id"]?.string ?? "")
        switch relates?["rel_type"]?.string {
        case RelationKind.reaction:
            guard type == "m.reaction", !target.isEmpty, let key = relates?["key"]?.string, !key.isEmpty else {
                return .nothing
            }
            return .relation(
                origin.relation(RelationKind.reaction, of: target, name: key), .eventReactionUpdated)
        case RelationKind.edit:
            guard !target.isEmpty, let edit = EventReader.edit(origin, type, content, of: target) else {
                return .nothing
            }
            return .relation(edit, .eventMessageUpdated)
        case RelationKind.thread:
            return message(event, type, origin, content, parentID: target)
        default: return message(event, type, origin, content, parentID: "")
        }
    }

    /// Who sent an event, and when.
    private struct Origin {
        let id: MessageID
        let sender: UserID
        let time: Int64

        func relation(_ kind: String, of target: MessageID, name: String = "", json: [UInt8] = Array("{}".utf8))
            -> Relation
        {
            Relation(id: id, target: target, kind: kind, name: name, senderID: sender, order: time, json: json)
        }
    }

    /// Only texts in the clear can be edited.
    private static func edit(_ origin: Origin, _ type: String, _ content: JSON, of target: MessageID) -> Relation? {
        guard type == "m.room.message", let new = content["m.new_content"], new.kind == .object else { return nil }
        return origin.relation(RelationKind.edit, of: target, json: new.serialized())
    }

    private func message(
        _ event: JSON, _ type: String, _ origin: Origin, _ content: JSON, parentID: MessageID
    ) -> RoomEvent {
        let kept = event.deepCopy()
        kept.set("unsigned", nil)
        let document = JSON.object([
            "message_id": .string(origin.id.text), "channel_url": .string(room.text),
            "user": users[origin.sender] ?? EventReader.user(origin.sender, nil, nil),
            "created_at": .int(origin.time), "updated_at": 0,
            "custom_type": .string(MessageContent.customType(type, content)),
            "matrix": .object(["event": kept]),
        ])
        let kind = MessageContent.kind(type, content)
        document.set("type", .string(MessageContent.word(kind)))
        MessageContent.write(content, isFile: kind == .file, to: document)
        let requestID = event["unsigned"]?["transaction_id"]?.string ?? ""
        if !requestID.isEmpty { document.set("req_id", .string(requestID)) }
        if !parentID.isEmpty { document.set("parent_message_id", .string(parentID.text)) }
        let record = MessageRecord(
            id: origin.id, position: MessagePosition(order: origin.time, tie: 0), kind: kind,
            customType: MessageContent.customType(type, content), senderID: origin.sender, parentID: parentID,
            requestID: RequestID(requestID), json: document.serialized())
        return .message(record, edit: bundled(event, of: origin.id))
    }

    /// The newest edit, which the server has bundled with the event.
    private func bundled(_ event: JSON, of id: MessageID) -> Relation? {
        guard let edit = event["unsigned"]?["m.relations"]?[RelationKind.edit],
            case .relation(let relation, .eventMessageUpdated) = read(edit), relation.target == id
        else { return nil }
        return relation
    }
}

/// The content of an event in the words of a message.
enum MessageContent {
    static func kind(_ type: String, _ content: JSON) -> MessageRecord.Kind {
        guard type == "m.room.message" else { return .admin }
        switch content["msgtype"]?.string {
        case "m.image", "m.file", "m.audio", "m.video": return .file
        default: return .user
        }
    }

    static func word(_ kind: MessageRecord.Kind) -> String {
        switch kind {
        case .user: "MESG"
        case .file: "FILE"
        case .admin: "ADMM"
        }
    }

    /// What a host can tell apart by: empty for plain texts, else the kind of the message or of the event.
    static func customType(_ type: String, _ content: JSON) -> String {
        guard type == "m.room.message" else { return type }
        let kind = content["msgtype"]?.string ?? ""
        return kind == "m.text" ? "" : kind
    }

    /// Writes text, mentions and file to a message's document. An edit writes its new content over the old one.
    static func write(_ content: JSON, isFile: Bool, to document: JSON) {
        document.set("message", .string(content["body"]?.string ?? ""))
        let mentioned = (content["m.mentions"]?["user_ids"]?.array ?? []).compactMap(\.string)
        document.set("mentioned_user_ids", .strings(mentioned))
        guard isFile else { return }
        let file = JSON.object([
            "url": .string(content["url"]?.string ?? content["file"]?["url"]?.string ?? ""),
            "name": .string(content["filename"]?.string ?? content["body"]?.string ?? ""),
            "type": .string(content["info"]?["mimetype"]?.string ?? ""),
            "size": .int(content["info"]?["size"]?.int ?? 0),
        ])
        document.set("file", file)
    }
}
