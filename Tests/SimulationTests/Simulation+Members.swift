import SyncJSON
import SyncModel
import TestSupport

@testable import SyncEngine

/// Who is in a channel and what they may do there: invitations that wait for an answer, operators, bans, mutes, and
/// what the channel carries beside its messages. The witness, bo, stays in every channel: it tells of all messages.
extension Simulation {
    func membersAct(in url: String) {
        switch random.below(20) {
        case 0..<5: myInvitation(url)
        case 5..<9: guestComesOrGoes(url)
        case 9..<12: changeOperators(url)
        case 12..<15: ban(random.pick([SimulatedService.me, "kit", SimulatedService.guest]) ?? "kit", in: url)
        case 15: mute(random.pick(["kit", SimulatedService.guest]) ?? "kit", in: url)
        case 16..<18: changeMap(url, "metadata", .string("value \(random.below(9))"))
        case 18: changeMap(url, "metacounter", .int(random.below(9)))
        default: kitComesOrGoes(url)
        }
    }

    /// This user is asked in and has to answer, which it does on another device or here; or it does not.
    private func myInvitation(_ url: String) {
        let me = JSON.object(["user_id": .string(SimulatedService.me)])
        switch service.channel(url)?["member_state"]?.string {
        case "invited":
            let accepts = random.chance(60)
            note("\(accepts ? "accepts" : "declines") the invitation to \(url)")
            guard random.chance(50) else {
                service.ask("PUT", "\(service.path(url))/\(accepts ? "accept" : "decline")", me)
                return
            }
            let action: Action = accepts ? .member(.acceptInvitation) : .member(.declineInvitation)
            command(
                .call(
                    newCall("call"),
                    .action(ActionCall(action: action, arguments: ["channel_url": .text(url)], timeout: nil))))
        case nil:
            note("invited to \(url), and not asked for an answer at once")
            knowledge.restored[url] = service.messageIDs(url).map(\.id).max() ?? 0
            service.invite(url, isIn: false)
        default:
            note("left \(url), and invited again")
            knowledge.restored[url] = service.messageIDs(url).map(\.id).max() ?? 0
            service.ask("PUT", "\(service.path(url))/leave", me)
            service.invite(url, isIn: false)
        }
    }

    private func guestComesOrGoes(_ url: String) {
        let guest = SimulatedService.guest
        let body = JSON.object(["user_id": .string(guest), "user_ids": .strings([guest])])
        switch random.below(5) {
        case 0, 1:
            let isIn = random.chance(40)
            note("\(guest) is invited to \(url), in at once: \(isIn)")
            invite(guest, to: url, isIn: isIn)
        case 2: service.ask("PUT", "\(service.path(url))/accept", body)
        case 3: service.ask("PUT", "\(service.path(url))/decline", body)
        default: service.ask("PUT", "\(service.path(url))/leave", body)
        }
    }

    private func kitComesOrGoes(_ url: String) {
        note("kit leaves \(url) or comes again")
        let left = service.ask("PUT", "\(service.path(url))/leave", .object(["user_ids": .strings(["kit"])]))
        if left == nil || random.chance(50) { invite("kit", to: url, isIn: random.chance(70)) }
    }

    private func invite(_ user: String, to url: String, isIn: Bool) {
        service.ask(
            "POST", "\(service.path(url))/invite",
            .object([
                "user_ids": .strings([user]), "inviter_id": "bo",
                "invitation_status": .object([user: .string(isIn ? "joined" : "invited")]),
            ]))
    }

    private func changeOperators(_ url: String) {
        let user = random.pick([SimulatedService.me, "kit", SimulatedService.guest]) ?? "kit"
        let adds = random.chance(60)
        note("\(user) is \(adds ? "an" : "no") operator of \(url)")
        if adds {
            service.ask("POST", "\(service.path(url))/operators", .object(["operator_ids": .strings([user])]))
        } else {
            service.ask("DELETE", "\(service.path(url))/operators?operator_ids=\(user)")
        }
    }

    private func ban(_ user: String, in url: String) {
        guard random.chance(50) else {
            note("\(user) is banned no more from \(url)")
            service.ask("DELETE", "\(service.path(url))/ban/\(user)")
            if random.chance(50) { invite(user, to: url, isIn: random.chance(70)) }
            return
        }
        note("\(user) is banned from \(url)")
        let seconds: Int64 = random.chance(50) ? -1 : 1 + random.below(60)
        service.ask(
            "POST", "\(service.path(url))/ban",
            .object(["user_id": .string(user), "seconds": .int(seconds), "description": "noise"]))
    }

    private func mute(_ user: String, in url: String) {
        note("\(user) is muted or heard again in \(url)")
        guard random.chance(60) else {
            service.ask("DELETE", "\(service.path(url))/mute/\(user)")
            return
        }
        service.ask("POST", "\(service.path(url))/mute", .object(["user_id": .string(user), "seconds": -1]))
    }

    private func changeMap(_ url: String, _ name: String, _ value: JSON) {
        let key = random.pick(["colour", "size"]) ?? "size"
        note("\(name) \(key) of \(url): \(value.text)")
        if random.chance(30) {
            service.ask("DELETE", "\(service.path(url))/\(name)/\(key)")
        } else {
            service.ask(
                "PUT", "\(service.path(url))/\(name)", .object([name: .object([key: value]), "upsert": true]))
        }
    }

    // MARK: What is shown of them

    /// Every member with its state and role, as the channel's object says it.
    static func members(_ channel: JSON) -> [String] {
        (channel["members"]?.array ?? []).map { member in
            "\(member["user_id"]?.string ?? "") \(member["state"]?.string ?? "-") \(member["role"]?.string ?? "-")"
        }.sorted()
    }

    func compareMembers(_ here: JSON, _ there: JSON, _ url: String) throws {
        let (shown, wanted) = (Simulation.members(here), Simulation.members(there))
        guard shown == wanted else {
            throw Violation(description: "channel \(url): members are \(shown), not \(wanted)")
        }
    }
}
