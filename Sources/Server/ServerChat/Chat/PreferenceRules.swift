import ServerBase
import SyncJSON

/// What users have set for themselves: pushes, counts, invitations.
public struct PreferenceRules: ChatRules {
    let chat: Chat

    public func setPushTemplate(_ name: String, of user: UserRow) throws {
        guard name == "default" || name == "alternative" else {
            throw Refusal.invalid("name", "default or alternative is expected")
        }
        var changed = user
        changed.setDetail("push_template", .string(name))
        try storage.users.save(changed)
    }

    /// Sets a user's preferences for pushes of all channels; `nil` goes back to those of users who never set any.
    public func setPushPreference(_ preference: PushPreference?, of user: UserRow) throws -> PushPreference {
        var changed = user
        changed.setDetail("push_preference", preference?.json)
        try storage.users.save(changed)
        return PushPreference(changed)
    }

    /// Sets whether the user joins at once when invited.
    public func setInvitationPreference(_ id: String, acceptsAtOnce: Bool) throws {
        var user = try activeUser(id)
        user.acceptsInvitations = acceptsAtOnce
        try storage.users.save(user)
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

extension Chat {
    public var preferences: PreferenceRules { PreferenceRules(chat: self) }
}
