import ServerBase
import SyncJSON

extension Chat {
    /// Refuses an id that no new user or bot can have; `key` is the name of the field with the id.
    public func checkNewID(_ id: String, _ key: String) throws {
        guard id.unicodeScalars.count <= 80 else { throw Refusal(400_305, "\"\(key)\" is too long.") }
        if try storage.users.user(id) != nil { throw Refusal.exists("\"\(key)\"") }
    }

    /// Stores a user, with a session until a time if one is given; returns the session's key.
    public func store(_ user: UserRow, sessionUntil expiry: Int64?) throws -> String? {
        try storage.transaction {
            try storage.users.save(user)
            return try expiry.map { try makeSession(user.id, until: $0) }
        }
    }

    /// A session key that lasts as long as the administration wants it to.
    public func makeSession(_ userID: String, until expiry: Int64) throws -> String {
        try storage.sessions.make(userID, expiresAt: expiry, now: now)
    }

    /// A session key for a client that has none or an old one, and the key that opens files.
    public func renewSession(_ userID: String, expires: Bool) throws -> (key: String, fileKey: String) {
        let key = try newSession(userID, expires: expires)
        try storage.activity.note(userID, at: now)
        return (key, try storage.documents.fileKey(at: now))
    }

    /// Sets whether the user joins at once when invited.
    public func setInvitationPreference(_ id: String, acceptsAtOnce: Bool) throws {
        var user = try activeUser(id)
        user.acceptsInvitations = acceptsAtOnce
        try storage.users.save(user)
    }

    /// Sets the preference that holds for users who never chose one.
    public func setUsualInvitation(_ json: JSON) throws {
        try storage.documents.save(.setting, "default_channel_invitation_preference", at: now, json)
    }

    public func setMetadata(_ metadata: JSON, of user: UserRow) throws {
        var changed = user
        changed.metadata = metadata.serialized()
        try storage.users.save(changed)
    }

    /// The user leaves all of its channels, invitations too.
    public func leaveAll(_ id: String) throws {
        for (channel, _) in try storage.channels.list(of: id) { try leave(channel, [id]) }
    }

    public func removeUser(_ id: String) throws {
        try leaveAll(id)
        try storage.users.delete(id)
        endSockets(of: id, "deleted")
    }

    public func endSockets(of id: String, _ reason: String) {
        finally { [hub] in
            for socket in hub.sockets(of: id) { socket.end(code: 4000, reason: reason) }
        }
    }

    /// Stores a bot: its user and its settings.
    public func storeBot(_ user: UserRow, _ settings: JSON) throws {
        try storage.transaction {
            try storage.users.save(user)
            try storage.documents.save(.bot, user.id, at: now, settings)
        }
        storage.bots.insert(user.id)
    }

    // MARK: Preferences in one channel

    /// A user's own membership in a channel that the user has not left.
    public func ownMembership(_ userID: String, in channel: ChannelRow) throws -> MembershipRow {
        guard let member = try storage.members.membership(channel.id, userID), member.state != .gone else {
            throw Refusal.notMember()
        }
        return member
    }

    /// Which counts a member wants; returns the member as it is then.
    public func setCountPreference(_ wish: String, of member: MembershipRow) throws -> MembershipRow {
        var value = wish
        // Other spellings that specifications of the service have.
        if value == "false" { value = "off" }
        if value == "unread_mentioned_count_only" { value = "unread_mention_count_only" }
        guard ["all", "unread_message_count_only", "unread_mention_count_only", "off"].contains(value) else {
            throw Refusal.invalid("count_preference", "there is no such preference")
        }
        var changed = member
        changed.countPreference = value
        try storage.members.save(changed, at: now)
        return changed
    }

    /// Which pushes a member wants, as far as the fields say; returns the member as it is then.
    public func changePushPreference(_ fields: Fields, of member: MembershipRow) throws -> MembershipRow {
        var changed = member
        if let sound = try fields.string("push_sound") { changed.pushSound = sound }
        let value =
            try fields.string("push_trigger_option")
            ?? fields.bool("enable").map { $0 ? "default" : "off" } ?? changed.pushTrigger
        changed.pushTrigger = try PushPreference.trigger(value, allowsDefault: true)
        try storage.members.save(changed, at: now)
        return changed
    }
}
