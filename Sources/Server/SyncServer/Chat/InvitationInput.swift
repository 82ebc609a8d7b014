import ServerBase
import ServerHTTP
import SyncJSON

/// How invited users are to be let in, as a creation or an invitation says it for each of them.
struct InvitationInput {
    /// Who is in at once (true) or has to accept (false), against the user's own preference.
    let joined: [String: Bool]
    let hidden: [String: MembershipRow.Hidden]

    init(_ payload: Payload) throws {
        var joined: [String: Bool] = [:]
        for (id, value) in try payload.object("invitation_status")?.json.members ?? [] {
            switch value.string {
            case "joined": joined[id] = true
            case "invited", "invited_by_friend", "invited_by_non_friend": joined[id] = false
            default: throw Refusal.invalid("invitation_status", "there is no such status")
            }
        }
        var hidden: [String: MembershipRow.Hidden] = [:]
        for (id, value) in try payload.object("hidden_status")?.json.members ?? [] {
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

    /// One user who is let in at once.
    init(joining userID: String) {
        joined = [userID: true]
        hidden = [:]
    }

    func isIn(_ user: UserRow) -> Bool { joined[user.id] ?? user.acceptsInvitations }
}
