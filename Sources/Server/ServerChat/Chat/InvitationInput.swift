import ServerBase
import SyncBytes
import SyncJSON

/// How invited users join, as the fields of a creation or an invitation say for each of them.
public struct InvitationInput {
    /// Who joins at once (true) or has to accept (false), whatever the user's own preference is.
    public let joined: TextMap<Bool>
    public let hidden: TextMap<MembershipRow.Hidden>

    public init(_ fields: Fields) throws {
        var joined: TextMap<Bool> = [:]
        for (id, value) in try fields.object("invitation_status")?.json.members ?? [] {
            switch value.string {
            case "joined": joined[id] = true
            case "invited", "invited_by_friend", "invited_by_non_friend": joined[id] = false
            default: throw Refusal.invalid("invitation_status", "there is no such status")
            }
        }
        var hidden: TextMap<MembershipRow.Hidden> = [:]
        for (id, value) in try fields.object("hidden_status")?.json.members ?? [] {
            switch value.string {
            case "unhidden": hidden[id] = .no
            case "hidden_allow_auto_unhide": hidden[id] = .untilNewMessage
            case "hidden_prevent_auto_unhide": hidden[id] = .always
            default: throw Refusal.invalid("hidden_status", "there is no such status")
            }
        }
        self.joined = joined
        self.hidden = hidden
    }

    /// One user who joins at once.
    public init(joining userID: String) {
        joined = [userID: true]
        hidden = [:]
    }

    public func isIn(_ user: UserRow) -> Bool { joined[user.id] ?? user.acceptsInvitations }
}
