import ServerBase
import SyncJSON

/// What a user wants of pushes over all channels. Nothing is pushed by this server; it keeps and tells the settings.
public struct PushPreference {
    /// All settings, as they go out.
    public let json: JSON

    /// The settings of a user who never set any.
    private static var usual: JSON {
        .object([
            "push_trigger_option": "all", "do_not_disturb": false, "start_hour": 0, "start_min": 0, "end_hour": 0,
            "end_min": 0, "timezone": "UTC", "snooze_enabled": false, "snooze_start_ts": 0, "snooze_end_ts": 0,
            "block_push_from_bots": false, "push_blocked_bot_ids": .array(), "push_sound": "default",
            "enable_push_for_replies": true, "dnd_schedules": .array(),
        ])
    }

    public init(_ user: UserRow) {
        json = PushPreference.usual
        for (key, value) in user.detail("push_preference")?.members ?? [] { json.set(key, value) }
    }

    public var trigger: String { json["push_trigger_option"]?.string ?? "all" }
    public var doesNotDisturb: Bool { json["do_not_disturb"]?.bool ?? false }

    /// Changes what the fields mention.
    public func change(_ fields: Fields) throws {
        for (key, usual) in PushPreference.usual.members ?? [] {
            guard fields.has(key) else { continue }
            switch usual.kind {
            case .bool: if let value = try fields.bool(key) { json.set(key, .bool(value)) }
            case .integer: if let value = try fields.int(key) { json.set(key, .int(value)) }
            case .array:
                guard let value = fields[key], value.kind == .array else { throw Refusal.notList(key) }
                json.set(key, value)
            default: if let value = try fields.string(key) { json.set(key, .string(value)) }
            }
        }
        json.set("push_trigger_option", .string(try PushPreference.trigger(trigger)))
        guard (0...23).contains(json["start_hour"]?.int ?? 0), (0...23).contains(json["end_hour"]?.int ?? 0) else {
            throw Refusal.outOfRange("start_hour")
        }
        guard (0...59).contains(json["start_min"]?.int ?? 0), (0...59).contains(json["end_min"]?.int ?? 0) else {
            throw Refusal.outOfRange("start_min")
        }
    }

    /// A trigger by any of its spellings: "off" becomes "false" in specifications that were read as YAML.
    public static func trigger(_ value: String, allowsDefault: Bool = false) throws -> String {
        let meant = value == "false" ? "off" : value
        guard ["all", "mention_only", "off"].contains(meant) || allowsDefault && meant == "default" else {
            throw Refusal.invalid("push_trigger_option", "there is no such option")
        }
        return meant
    }
}
