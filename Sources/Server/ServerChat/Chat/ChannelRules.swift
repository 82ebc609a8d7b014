import ServerBase
import SyncBytes
import SyncJSON

/// Channels that are made, changed and deleted, their metadata and counters.
public struct ChannelRules: ChatRules {
    let chat: Chat

    /// Makes a channel. When a distinct one is asked for and these users have one already, that one is found.
    public func create(_ fields: Fields, _ caller: Caller) throws -> (channel: ChannelRow, isCreated: Bool) {
        let operators = try fields.strings("operator_ids") ?? []
        // The administration puts the named users in; a user puts itself in and invites the rest.
        let inviter = try fields.string("inviter_id") ?? caller.userID
        let isStrict = try fields.bool("strict") ?? fields.bool("is_strict") ?? false
        let invitation = try InvitationInput(fields)
        let known = try founders(fields, operators, caller, isStrict: isStrict)

        let now = now
        var channel = ChannelRow(url: try fields.string("channel_url") ?? "", createdAt: now)
        try apply(fields, to: &channel)
        channel.createdBy = inviter
        try applyKind(fields, isStrict: isStrict, to: &channel)
        if try fields.bool("is_distinct") == true, !channel.isSuper, !channel.isPublic {
            channel.flags.insert(.distinct)
            channel.distinctKey = known.map(\.id).sortedByBytes().joined(separator: "\n")
            if let existing = try storage.channels.distinct(channel.distinctKey) { return (existing, false) }
        }
        if channel.url.isEmpty { channel.url = "sendbird_group_channel_\(now)_\(storage.random.hex(10))" }
        guard channel.url.utf8.count <= 300 else { throw Refusal.tooLong("channel_url") }
        if try storage.channels.isTaken(url: channel.url) { throw Refusal.exists("\"channel_url\"") }

        let stored = try change { broadcasts in
            let stored = try storage.channels.insert(channel)
            for user in known {
                let isIn = user.id.isByteEqual(to: inviter) || invitation.isIn(user)
                var member = MembershipRow(channelID: stored.id, userID: user.id, state: isIn ? .joined : .invited)
                member.isOperator = operators.containsBytes(of: user.id)
                member.joinedAt = isIn ? now : 0
                member.hidden = invitation.hidden[user.id] ?? .no
                if !user.id.isByteEqual(to: inviter) {
                    member.inviter = inviter
                    member.invitedAt = inviter.isEmpty ? 0 : now
                }
                try storage.members.save(member, at: now)
            }
            _ = try storage.members.recount(stored.id)
            let created = try storage.channels.channel(id: stored.id) ?? stored
            try chat.members.tellInvitation(
                created, inviter: inviter, invitees: known.filter { !$0.id.isByteEqual(to: inviter) }, at: now,
                &broadcasts)
            return created
        }
        return (stored, true)
    }

    /// The users with whom a channel begins, each once. With `isStrict`, one that does not exist is an error.
    private func founders(_ fields: Fields, _ operators: [String], _ caller: Caller, isStrict: Bool) throws -> [UserRow]
    {
        var users = try (fields.strings("user_ids") ?? []) + (fields.strings("users") ?? [])
        if !caller.userID.isEmpty, !users.containsBytes(of: caller.userID) { users.append(caller.userID) }
        for id in operators where !users.containsBytes(of: id) { users.append(id) }
        var seen: TextSet = []
        users = users.filter { seen.insert($0) }
        var known: [UserRow] = []
        for id in users {
            if let user = try storage.users.user(id) {
                known.append(user)
            } else if isStrict {
                throw Refusal.invalid("user_ids", "there is no user \"\(id)\"")
            }
        }
        guard !known.isEmpty || caller.isAdmin else { throw Refusal.missing("user_ids") }
        return known
    }

    /// Applies the fields that say what kind of channel it is, which only creation knows.
    private func applyKind(_ fields: Fields, isStrict: Bool, to channel: inout ChannelRow) throws {
        for (key, flag) in [
            ("is_super", ChannelRow.Flags.isSuper), ("is_broadcast", .broadcast), ("is_exclusive", .exclusive),
            ("is_ephemeral", .ephemeral), ("is_chat_notification", .chatNotification),
        ] where try fields.bool(key) == true { channel.flags.insert(flag) }
        if channel.isBroadcast || channel.flags.contains(.exclusive) { channel.flags.insert(.isSuper) }
        if isStrict { channel.flags.insert(.strict) }
    }

    /// Applies the fields that may be given at creation and changed later.
    private func apply(_ fields: Fields, to channel: inout ChannelRow) throws {
        if let name = try fields.string("name") { channel.name = name }
        if let cover = try fields.string("cover_url") { channel.coverURL = cover }
        if let data = try fields.string("data") { channel.data = data }
        if let type = try fields.string("custom_type") { channel.customType = type }
        if let code = try fields.string("access_code") { channel.accessCode = code }
        let disappearing = try fields.object("disappearing_message")
        if let survival = try fields.int("message_survival_seconds")
            ?? disappearing?.int("message_survival_seconds")
        {
            guard survival >= -1 else { throw Refusal.outOfRange("message_survival_seconds") }
            channel.survival = survival
        }
        for (key, flag) in [
            ("is_public", ChannelRow.Flags.isPublic), ("is_discoverable", .discoverable),
            ("block_sdk_user_channel_join", .joinBlocked),
        ] {
            guard let value = try fields.bool(key) else { continue }
            if value { channel.flags.insert(flag) } else { channel.flags.remove(flag) }
        }
    }

    public func update(_ channel: ChannelRow, _ fields: Fields, _ caller: Caller) throws -> ChannelRow {
        // In a channel without operators every member may do this.
        let hasOperators = try !storage.members.operators(channel.id).isEmpty
        try chat.access.checkManaging(caller, channel, needsOperator: hasOperators)
        var changed = channel
        try apply(fields, to: &changed)
        if let isSuper = try fields.bool("is_super") {
            // Broadcast and exclusive channels are always super channels.
            if isSuper || changed.isBroadcast || changed.flags.contains(.exclusive) {
                changed.flags.insert(.isSuper)
                changed.flags.remove(.distinct)
                changed.distinctKey = ""
            } else {
                changed.flags.remove(.isSuper)
            }
        }
        if let distinct = try fields.bool("is_distinct") {
            if !distinct {
                changed.flags.remove(.distinct)
                changed.distinctKey = ""
            } else if !changed.isSuper, !changed.isPublic {
                changed.flags.insert(.distinct)
                changed.distinctKey = try storage.audience(channel.id).sortedByBytes().joined(separator: "\n")
            }
        }
        let now = now
        return try change { broadcasts in
            try storage.channels.update(changed)
            if let operators = try fields.strings("operator_ids") {
                try chat.moderation.setOperators(channel, to: operators, at: now, &broadcasts)
            }
            try storage.channels.touch(channel.id, at: now)
            try tellChange(changed, at: now, &broadcasts)
            return try storage.channels.channel(id: channel.id) ?? changed
        }
    }

    /// Tells that properties of a channel changed; clients ask for it again.
    public func tellChange(_ channel: ChannelRow, at now: Int64, _ broadcasts: inout [Broadcast]) throws {
        let extra = JSON.object(["unique_id": .string(storage.random.hex(8))])
        broadcasts.append(
            Broadcast(
                frame: Frames.channelEvent(11000, channel, at: now, .object(), extra),
                users: try storage.audience(channel.id)))
    }

    public func delete(_ channel: ChannelRow, _ caller: Caller) throws {
        try chat.access.checkManaging(caller, channel, needsOperator: true)
        let now = now
        try change { broadcasts in
            let audience = try storage.audience(channel.id)
            try storage.channels.delete(channel.id, at: now)
            broadcasts.append(
                Broadcast(
                    frame: Frames.channelEvent(12000, channel, at: now, .object()), users: audience,
                    carriesUnread: true))
        }
    }

    public func freeze(_ channel: ChannelRow, _ isFrozen: Bool, _ caller: Caller) throws -> ChannelRow {
        try chat.access.checkManaging(caller, channel, needsOperator: true)
        var changed = channel
        if isFrozen { changed.flags.insert(.frozen) } else { changed.flags.remove(.frozen) }
        let now = now
        return try change { broadcasts in
            try storage.channels.update(changed)
            try storage.channels.touch(channel.id, at: now)
            let frame = Frames.channelEvent(
                isFrozen ? 10701 : 10700, changed, at: now, .object(["freeze": .bool(isFrozen)]))
            broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
            return try storage.channels.channel(id: channel.id) ?? changed
        }
    }

    /// Creates or changes metadata; returns what holds afterwards for these keys.
    public func setMetadata(
        _ channel: ChannelRow, _ values: [(String, String)], creates: Bool, changes: Bool, _ caller: Caller
    ) throws -> (values: JSON, at: Int64) {
        try chat.access.checkManaging(caller, channel, needsOperator: false)
        let known = TextMap(try storage.channels.metadata(channel.id))
        let created = JSON.object()
        let updated = JSON.object()
        for (key, value) in values {
            try checkKey(key, of: "metadata")
            if known[key] == nil {
                if creates { created.set(key, .string(value)) }
            } else {
                if !changes { throw Refusal.exists("The metadata key \"\(key)\"") }
                updated.set(key, .string(value))
            }
        }
        let now = now
        let result = JSON.object()
        try change { broadcasts in
            for (key, value) in (created.members ?? []) + (updated.members ?? []) {
                try storage.channels.setMetadata(channel.id, key, value.string ?? "")
                result.set(key, value)
            }
            try tellMeta(11100, channel, created, updated, [], at: now, &broadcasts)
        }
        return (result, now)
    }

    public func removeMetadata(_ channel: ChannelRow, _ keys: TextSet?, _ caller: Caller) throws {
        try chat.access.checkManaging(caller, channel, needsOperator: false)
        let gone = try storage.channels.metadata(channel.id).map(\.0).filter { keys?.contains($0) ?? true }
        let now = now
        try change { broadcasts in
            for key in gone { try storage.channels.removeMetadata(channel.id, key) }
            try tellMeta(11100, channel, .object(), .object(), gone, at: now, &broadcasts)
        }
    }

    public enum CounterMode { case set, increase, decrease }

    public func setCounters(
        _ channel: ChannelRow, _ values: [(String, Int64)], mode: CounterMode, creates: Bool, changes: Bool,
        _ caller: Caller
    ) throws -> JSON {
        try chat.access.checkManaging(caller, channel, needsOperator: false)
        let known = TextMap(try storage.channels.counters(channel.id))
        let created = JSON.object()
        let updated = JSON.object()
        for (key, value) in values {
            try checkKey(key, of: "metacounter")
            if let old = known[key] {
                if !changes { throw Refusal.exists("The counter \"\(key)\"") }
                let new =
                    switch mode {
                    case .set: value
                    case .increase: old &+ value
                    case .decrease: old &- value
                    }
                updated.set(key, .int(new))
            } else if creates {
                created.set(key, .int(mode == .decrease ? 0 &- value : value))
            }
        }
        let now = now
        let result = JSON.object()
        try change { broadcasts in
            for (key, value) in (created.members ?? []) + (updated.members ?? []) {
                try storage.channels.setCounter(channel.id, key, value.int ?? 0)
                result.set(key, value)
            }
            try tellMeta(11200, channel, created, updated, [], at: now, &broadcasts)
        }
        return result
    }

    public func removeCounters(_ channel: ChannelRow, _ keys: TextSet?, _ caller: Caller) throws {
        try chat.access.checkManaging(caller, channel, needsOperator: false)
        let gone = try storage.channels.counters(channel.id).map(\.0).filter { keys?.contains($0) ?? true }
        let now = now
        try change { broadcasts in
            for key in gone { try storage.channels.removeCounter(channel.id, key) }
            try tellMeta(11200, channel, .object(), .object(), gone, at: now, &broadcasts)
        }
    }

    private func checkKey(_ key: String, of field: String) throws {
        guard (1...256).contains(key.utf8.count) else {
            throw Refusal.invalid(field, "a key is 1 to 256 bytes long")
        }
    }

    private func tellMeta(
        _ category: Int64, _ channel: ChannelRow, _ created: JSON, _ updated: JSON, _ deleted: [String], at now: Int64,
        _ broadcasts: inout [Broadcast]
    ) throws {
        let data = JSON.object()
        if created.count > 0 { data.set("created", created) }
        if updated.count > 0 { data.set("updated", updated) }
        if !deleted.isEmpty { data.set("deleted", .strings(deleted)) }
        guard data.count > 0 else { return }
        try storage.channels.touch(channel.id, at: now)
        broadcasts.append(
            Broadcast(
                frame: Frames.channelEvent(category, channel, at: now, data), users: try storage.audience(channel.id)))
    }
}

extension Chat {
    public var channels: ChannelRules { ChannelRules(chat: self) }
}
