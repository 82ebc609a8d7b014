import SyncJSON
import SyncModel
import TestSupport

@testable import SyncEngine

/// What other users do, and this user on another device.
extension Simulation {
    private static let longestURLList = 8

    func othersAct() {
        guard let url = random.pick(knowledge.urls) else { return addChannel() }
        if random.chance(12) { return membersAct(in: url) }
        if random.chance(8) { return pollsAct(in: url) }
        act(of: random.below(111), in: url)
    }

    func act(of kind: Int64, in url: String) {
        switch kind {
        case 0..<34: post(url)
        case 34..<40:
            let count: Int64 = 1 + random.below(random.chance(10) ? 400 : 20)
            note("\(count) messages in \(url)")
            service.burst(url, "kit", count)
            if random.chance(50) { service.control("advance_clock", .object(["ms": .int(random.below(5_000))])) }
        case 40..<52:
            guard let id = someMessage(url) else { return }
            note("edit \(id) in \(url)")
            service.ask(
                "PUT", "\(service.path(url))/messages/\(id)",
                .object(["message_type": "MESG", "message": .string("edited \(time)")]))
        case 52..<58:
            guard let id = someMessage(url) else { return }
            note("delete \(id) in \(url)")
            service.ask("DELETE", "\(service.path(url))/messages/\(id)")
        case 58..<64:
            guard let id = someMessage(url) else { return }
            let adds = random.chance(65)
            note("\(adds ? "react" : "react no more") to \(id) in \(url)")
            service.ask(
                adds ? "POST" : "DELETE", "\(service.path(url))/messages/\(id)/reactions",
                .object([
                    "user_id": .string(random.pick(["bo", "kit", SimulatedService.me]) ?? "bo"),
                    "reaction": .string(random.pick(["+1", "heart"]) ?? "+1"),
                ]))
        case 64..<69:
            let name = random.chance(10) ? "" : "Name \(random.below(100))"
            note("rename \(url) to \(name)")
            service.ask("PUT", service.path(url), .object(["name": .string(name)]))
        case 69..<72: addChannel()
        case 72..<74:
            // Most of all one whose messages are shown: made again, its view fills itself.
            let shown = random.pick(engine.shownMessages.map(\.channelURL).filter(knowledge.urls.contains))
            removeChannel(random.chance(60) ? shown ?? url : url)
        case 74..<77:
            let user = random.pick(["bo", "kit", SimulatedService.me]) ?? "bo"
            let starts = random.chance(70)
            note("\(user) \(starts ? "types" : "stops to type") in \(url)")
            service.ask(
                starts ? "POST" : "DELETE", "\(service.path(url))/typing", .object(["user_ids": .strings([user])]))
        case 77..<80:
            freeze(url, random.chance(50))
        case 80..<84:
            let previous = random.chance(40)
            note("hide \(url)\(previous ? " with its messages" : "")")
            service.ask(
                "PUT", "\(service.path(url))/hide",
                .object([
                    "user_id": .string(SimulatedService.me), "hide_previous_messages": .bool(previous),
                    "allow_auto_unhide": .bool(random.chance(70)),
                ]))
        case 84: service.ask("DELETE", "\(service.path(url))/hide", .object(["user_id": .string(SimulatedService.me)]))
        case 85..<90:
            let user = random.chance(60) ? SimulatedService.me : "bo"
            note("\(user) reads \(url)")
            service.ask("PUT", "\(service.path(url))/messages/mark_as_read", .object(["user_id": .string(user)]))
        case 90: service.ask("PUT", "\(service.path(url))/messages/mark_as_delivered", .object(["user_id": "bo"]))
        case 91:
            note("history of \(url) is reset")
            knowledge.historyResetAt = time
            service.ask(
                "PUT", "\(service.path(url))/reset_user_history", .object(["user_id": .string(SimulatedService.me)]))
        case 92..<94: comeOrGo(url)
        case 94:
            // A channel runs empty.
            let ids = service.messageIDs(url).map(\.id)
            guard ids.count < 20 else { return }
            note("delete all \(ids.count) of \(url)")
            for id in ids { service.ask("DELETE", "\(service.path(url))/messages/\(id)") }
        case 95: move(url)
        case 96..<98:
            // This user, on another device.
            lastText += 1
            note("sent from another device in \(url)")
            service.post(url, SimulatedService.me, "elsewhere \(seed) \(lastText)")
        case 98, 99: service.control("advance_clock", .object(["ms": .int(random.below(100_000))]))
        default: countingAct(kind, in: url)
        }
    }

    /// What moves counts and receipts without a new message.
    private func countingAct(_ kind: Int64, in url: String) {
        let me = SimulatedService.me
        switch kind {
        case 100..<103:
            guard let id = random.chance(50) ? service.messageIDs(url).last?.id : someMessage(url) else { return }
            let mentions = random.chance(60)
            note("edit \(id) in \(url) to mention \(mentions ? me : "nobody")")
            service.ask(
                "PUT", "\(service.path(url))/messages/\(id)",
                .object([
                    "message_type": "MESG", "mention_type": "users",
                    "mentioned_user_ids": .strings(mentions ? [me] : []),
                ]))
        case 103..<105:
            guard let id = someMessage(url) else { return }
            note("\(me) marks \(id) of \(url) as unread")
            service.ask(
                "PUT", "\(service.path(url))/messages/mark_as_read",
                .object(["user_id": .string(me), "message_id": .int(id), "is_excluded": true]))
        case 105:
            // On another device, and nobody is told of it: the next login brings it.
            let words = ["all", "unread_message_count_only", "unread_mention_count_only", "off"]
            let word = random.pick(words) ?? "all"
            note("\(me) wants \(word) counted in \(url)")
            knowledge.historyResetAt = time
            service.ask(
                "PUT", "/users/\(me)/count_preference/\(url)", .object(["count_preference": .string(word)]))
        case 106:
            let seconds: Int64 = 1 + random.below(30)
            note("\(me) is muted in \(url) for \(seconds) s")
            service.ask(
                "POST", "\(service.path(url))/mute",
                .object(["user_id": .string(me), "seconds": .int(seconds)]))
        case 107:
            guard let id = someMessage(url) else { return }
            let isPinned = random.chance(60)
            note("\(isPinned ? "pin" : "unpin") \(id) of \(url)")
            service.ask(isPinned ? "POST" : "DELETE", "\(service.path(url))/messages/\(id)/pin", .object())
        case 110:
            let all = service.messageIDs(url)
            // Nobody can tell the device where a message was that moved before it was purged.
            guard knowledge.moved.isEmpty, let last = all.dropLast(all.count / 2).last else { return }
            note("messages up to \(last.createdAt) are purged everywhere")
            // Nobody is told: the next login brings it.
            knowledge.historyResetAt = time
            knowledge.purgedThrough = last.createdAt
            service.control(
                "settings", .object(["message_purge_offset": .object(["global": .int(last.createdAt)])]))
        default:
            note("all read by \(me)")
            service.ask("PUT", "/users/\(me)/mark_as_read_all", .object())
        }
    }

    func freeze(_ url: String, _ isFrozen: Bool) {
        note("freeze \(url) \(isFrozen)")
        service.ask("PUT", "\(service.path(url))/freeze", .object(["freeze": .bool(isFrozen)]))
    }

    /// The service mends its history: a message has another time.
    private func move(_ url: String) {
        guard let id = someMessage(url) else { return }
        let all = service.messageIDs(url)
        guard let other = random.pick(all), let newest = all.last, let first = all.first else { return }
        // It may be hidden from this user after that, or shown again.
        var time = min(newest.createdAt, other.createdAt + random.below(Int64(3)))
        // It becomes the channel's last message, or the first one.
        if knowledge.moves.chance(25) { time = newest.createdAt + 1 }
        if knowledge.moves.chance(15) { time = first.createdAt - 1 }
        let offset = service.offset(url)
        if offset > 0, knowledge.moves.chance(30) {
            time = offset - 1
            seen.insert("moved out of sight")
        }
        guard time > knowledge.purgedThrough else { return }
        let before = all.first { $0.id == id }?.createdAt ?? 0
        note("move \(id) in \(url) from \(before) to \(time)")
        if time != before {
            knowledge.moved[String(id)] = url
            notices.moved.insert(id)
        }
        service.move(id, in: url, to: time)
    }

    private func post(_ url: String) {
        if random.chance(60) { service.control("advance_clock", .object(["ms": .int(random.below(5_000))])) }
        let text = "text \(time)"
        note("post in \(url)")
        switch random.below(20) {
        case 0..<4: service.say(url, text)
        case 4..<6: service.post(url, "kit", text, ["mentioned_user_ids": .strings([SimulatedService.me])])
        case 6: service.post(url, "kit", text, ["mention_type": "channel"])
        case 7:
            let sender = random.pick(["bo", "kit", SimulatedService.me]) ?? "bo"
            service.post(
                url, sender, "\(text) \(sender)",
                [
                    "is_silent": true, "force_update_last_message": .bool(random.chance(30)),
                    "mentioned_user_ids": .strings(random.chance(30) ? [SimulatedService.me] : []),
                ])
        case 8:
            guard let parent = random.chance(60) ? someParent(url) : someMessage(url) else { return }
            service.post(
                url, "kit", text,
                ["parent_message_id": .int(parent), "is_reply_to_channel": .bool(random.chance(40))])
        case 9:
            // A message that is unread although it has the time of what this user has read last: the own one.
            service.post(url, SimulatedService.me, "\(text) own")
            service.post(url, "kit", text)
        default: service.post(url, random.chance(50) ? "bo" : "kit", text)
        }
    }

    private func addChannel() {
        guard knowledge.urls.count < Simulation.longestURLList else { return }
        // Some come back under the URL of one that was deleted.
        let gone = random.chance(50) ? random.pick(knowledge.goneURLs) : nil
        addChannel(gone ?? "channel_new_\(time)", name: "New \(time % 7)")
    }

    func addChannel(_ url: String, name: String) {
        note("add \(url)")
        // Who is no operator is refused some of what is asked for, and may not write into what is frozen.
        service.addChannel(url, name: name, operatorID: random.chance(60) ? SimulatedService.me : "bo")
        knowledge.added(url)
    }

    private func removeChannel(_ url: String) {
        guard knowledge.urls.count > 2 else { return }
        note("delete \(url)")
        service.ask("DELETE", service.path(url))
        knowledge.removed(url)
        guard random.chance(50) else { return }
        addChannel(url, name: "Again")
        if random.chance(60) { service.burst(url, "bo", 1 + random.below(6)) }
    }

    /// This user leaves a channel from another device, or is asked in again.
    private func comeOrGo(_ url: String) {
        if service.channel(url) == nil {
            note("invited to \(url)")
            knowledge.restored[url] = service.messageIDs(url).map(\.id).max() ?? 0
            service.invite(url)
        } else {
            note("left \(url)")
            service.ask("PUT", "\(service.path(url))/leave", .object(["user_id": .string(SimulatedService.me)]))
        }
    }

    func someMessage(_ url: String) -> Int64? {
        let all = service.messageIDs(url)
        return random.pick(random.chance(50) ? Array(all.suffix(10)) : all)?.id
    }
}
