import SyncJSON
import SyncModel

/// What is known of a room, or became known of it: the small parts of its state that channels show.
///
/// It is a JSON object, since it is kept within the channel's document (under "matrix") and what became known later is
/// merged into it there.
struct RoomState {
    let json: JSON
    private let userID: UserID

    init(_ json: JSON = .object(), userID: UserID) {
        self.json = json
        self.userID = userID
    }

    var isEmpty: Bool { json.count == 0 }
    /// The state has the event that every room begins with, so it is the whole state.
    var isWhole: Bool { json["created_at"] != nil }
    var isEncrypted: Bool { json["encrypted"]?.bool == true }

    /// Takes in state events, the later ones last.
    func take(_ events: [JSON]) {
        for event in events {
            guard let key = event["state_key"]?.string, let content = event["content"], content.kind == .object else {
                continue
            }
            switch event["type"]?.string {
            case "m.room.create":
                json.set("created_at", .int(max(0, event["origin_server_ts"]?.int ?? 0)))
                json.set("creator", .string(event["sender"]?.string ?? ""))
                json.set("type", .string(content["type"]?.string ?? ""))
                json.set("is_creator", .bool(RoomRanks.creators(event).contains(userID.text)))
            case "m.room.name": json.set("name", .string(content["name"]?.string ?? ""))
            case "m.room.canonical_alias": json.set("alias", .string(content["alias"]?.string ?? ""))
            case "m.room.avatar": json.set("avatar", .string(content["url"]?.string ?? ""))
            case "m.room.topic": json.set("topic", .string(content["topic"]?.string ?? ""))
            case "m.room.join_rules": json.set("join_rule", .string(content["join_rule"]?.string ?? ""))
            case "m.room.encryption": json.set("encrypted", true)
            case "m.room.tombstone": json.set("successor", .string(content["replacement_room"]?.string ?? ""))
            case "m.room.power_levels":
                let level = content["users"]?[userID.text]?.int ?? content["users_default"]?.int ?? 0
                json.set("power", .int(level))
            case "m.room.member": take(member: key, content)
            default: break
            }
        }
    }

    private func take(member id: String, _ content: JSON) {
        let names = json["names"] ?? .object()
        names.set(id, .string(content["displayname"]?.string ?? ""))
        json.set("names", names)
    }

    /// Takes in the summary: how many members there are, and some of them by whom a room without a name is called.
    func take(summary: JSON?) {
        guard let summary else { return }
        for (key, name) in [("m.joined_member_count", "joined"), ("m.invited_member_count", "invited")] {
            if let count = summary[key]?.int { json.set(name, .int(max(0, count))) }
        }
        if let heroes = summary["m.heroes"]?.array {
            json.set("heroes", .strings(heroes.prefix(RoomState.mostHeroes).compactMap(\.string)))
        }
    }

    /// Takes in how many messages are unread, as the server counts them.
    func take(counts: JSON?) {
        if let count = counts?["notification_count"]?.int { json.set("unread", .int(max(0, count))) }
        if let count = counts?["highlight_count"]?.int { json.set("highlights", .int(max(0, count))) }
    }

    /// Merges what became known later into what is known; only names of heroes are kept.
    func merged(_ news: JSON) -> RoomState {
        let whole = json.deepCopy()
        let names = whole["names"] ?? .object()
        for (key, value) in news.members ?? [] {
            if key == "names" {
                for (id, name) in value.members ?? [] { names.set(id, name) }
            } else {
                whole.set(key, value)
            }
        }
        let state = RoomState(whole, userID: userID)
        let kept = JSON.object()
        for hero in state.heroes { kept.set(hero, names[hero]) }
        whole.set("names", kept)
        return state
    }

    private static let mostHeroes = 20

    /// Some members, by whom a room without a name is called.
    private var heroes: [String] { (json["heroes"]?.array ?? []).compactMap(\.string) }

    /// The name, or the alias, or the names of some members.
    private var name: String {
        for key in ["name", "alias"] { if let text = json[key]?.string, !text.isEmpty { return text } }
        return heroes.map { hero in
            let name = json["names"]?[hero]?.string ?? ""
            return name.isEmpty ? hero : name
        }.joined(separator: ", ")
    }

    private var isOperator: Bool {
        json["power"]?.int ?? 0 >= RoomRanks.operatorLevel || json["is_creator"]?.bool == true
    }

    /// The members of the channel's document that the state decides.
    var members: [(key: String, value: JSON)] {
        let joined = json["joined"]?.int ?? 0
        let invited = json["invited"]?.int ?? 0
        return [
            ("name", .string(name)), ("cover_url", .string(json["avatar"]?.string ?? "")),
            ("custom_type", .string(json["type"]?.string ?? "")), ("created_at", .int(json["created_at"]?.int ?? 0)),
            ("joined_member_count", .int(joined)), ("member_count", .int(joined.addingClamped(invited))),
            ("is_public", .bool(json["join_rule"]?.string == "public")),
            ("my_role", .string(isOperator ? "operator" : "none")),
            ("unread_message_count", .int(json["unread"]?.int ?? 0)),
            ("unread_mention_count", .int(json["highlights"]?.int ?? 0)),
            ("metadata", .object(["topic": .string(json["topic"]?.string ?? "")])), ("matrix", json),
        ]
    }

    /// The channel of a room whose whole state this is. `member`: "joined" or "invited".
    func channel(_ room: ChannelURL, member: String, last: [UInt8]?) -> ChannelRecord? {
        let document = JSON.object(["channel_url": .string(room.text), "member_state": .string(member)])
        for (key, value) in merged(.object()).members { document.set(key, value) }
        document.set("last_message", last.flatMap { try? JSON.parse($0) } ?? .null)
        return ChannelRecord(json: document.serialized())
    }
}
