import ServerBase
import SyncBytes
import SyncJSON

/// Settings of the whole application: told at login, followed by the counts. Kept in the database as one document.
public struct ApplicationSettings {
    /// Messages up to a time are purged, in all channels (`global`) or in those of a custom type.
    public struct Purge {
        /// A custom type, or "global".
        public let scope: String
        /// Milliseconds since the epoch; messages of this time are purged too.
        public let offset: Int64
        /// When the purge was asked for. Later entries have later times, so a client's last time says what it knows.
        public let saidAt: Int64
    }

    public var unreadThreading = ThreadingPolicy.includeReplies
    public var lastMessageThreading = ThreadingPolicy.includeReplies
    /// Whether clients of super-channels are told not to acknowledge deliveries.
    public var disablesSuperAcknowledgements = true
    /// One entry for each scope, in the order of their times.
    public var purges: [Purge] = []

    public init() {}

    public init(_ json: JSON) {
        unreadThreading = json["unread_cnt_threading_policy"]?.int.flatMap(ThreadingPolicy.init) ?? unreadThreading
        lastMessageThreading =
            json["last_msg_threading_policy"]?.int.flatMap(ThreadingPolicy.init) ?? lastMessageThreading
        disablesSuperAcknowledgements = json["disable_supergroup_mack"]?.bool ?? disablesSuperAcknowledgements
        for entry in json["purges"]?.array ?? [] {
            guard let scope = entry["scope"]?.string, let offset = entry["offset"]?.int, let at = entry["at"]?.int
            else { continue }
            purges.append(Purge(scope: scope, offset: offset, saidAt: at))
        }
    }

    public var json: JSON {
        .object([
            "unread_cnt_threading_policy": .int(unreadThreading.rawValue),
            "last_msg_threading_policy": .int(lastMessageThreading.rawValue),
            "disable_supergroup_mack": .bool(disablesSuperAcknowledgements),
            "purges": .array(
                purges.map {
                    .object(["scope": .string($0.scope), "offset": .int($0.offset), "at": .int($0.saidAt)])
                }),
        ])
    }

    /// When the purges last changed; 0 when there never were any.
    public var changedAt: Int64 { purges.last?.saidAt ?? 0 }

    /// Messages up to this time are gone in channels of a custom type; 0 when none are.
    public func purgeOffset(customType: String) -> Int64 {
        let own = customType.isEmpty ? nil : purges.first { $0.scope.isByteEqual(to: customType) }
        return (own ?? purges.first { $0.scope == "global" })?.offset ?? 0
    }

    /// Changes the settings that the fields mention. `now` is the time of the change.
    public mutating func change(_ fields: Fields, at now: Int64) throws {
        func policy(_ key: String) throws -> ThreadingPolicy? {
            guard let value = try fields.int(key) else { return nil }
            guard let policy = ThreadingPolicy(rawValue: value) else { throw Refusal.outOfRange(key) }
            return policy
        }
        unreadThreading = try policy("unread_cnt_threading_policy") ?? unreadThreading
        lastMessageThreading = try policy("last_msg_threading_policy") ?? lastMessageThreading
        disablesSuperAcknowledgements = try fields.bool("disable_supergroup_mack") ?? disablesSuperAcknowledgements
        guard let offsets = try fields.object("message_purge_offset") else { return }
        for (scope, value) in offsets.json.members ?? [] {
            guard !scope.isEmpty, let offset = value.int else { throw Refusal.notNumber("message_purge_offset") }
            guard (0...now).contains(offset) else { throw Refusal.outOfRange("message_purge_offset") }
            let saidAt = max(now, changedAt.addingClamped(1))
            purges.removeAll { $0.scope.isByteEqual(to: scope) }
            purges.append(Purge(scope: scope, offset: offset, saidAt: saidAt))
        }
    }
}
