import SyncJSON
import SyncModel
import TestSupport

@testable import SyncEngine

/// Polls: made, sent, changed, voted in and closed, by others, by this user elsewhere and by the host.
extension Simulation {
    private static let longestPollList = 12

    func pollsAct(in url: String) {
        guard let poll = random.pick(polls), random.chance(70), polls.count > 1 else { return sendPoll(in: url) }
        let users = SimulatedService.others + [SimulatedService.me]
        let user = JSON.string(random.pick(users) ?? "bo")
        let owner = JSON.object(["user_id": .string(poll.owner)])
        let path = "/polls/\(poll.id)"
        let options = (service.ask("GET", path)?["options"]?.array ?? []).compactMap { $0["id"]?.int }
        note("an act on poll \(poll.id) of \(poll.url)")
        switch random.below(20) {
        case 0..<12:
            let chosen = options.filter { _ in random.chance(45) }.map { JSON.int($0) }
            service.ask("PUT", path + "/vote", .object(["user_id": user, "option_ids": .array(chosen)]))
        case 12..<14:
            owner.set("title", .string("Title \(time)"))
            service.ask("PUT", path, owner)
        case 14, 15:
            service.ask("POST", path + "/options", .object(["user_id": user, "text": .string("option \(time)")]))
        case 16:
            guard let option = random.pick(options) else { return }
            owner.set("text", .string("other \(time)"))
            service.ask("PUT", path + "/options/\(option)", owner)
        case 17:
            guard options.count > 1, let option = random.pick(options) else { return }
            service.ask("DELETE", path + "/options/\(option)", owner)
        case 18: service.ask("PUT", path + "/close", owner)
        default:
            service.ask("DELETE", path, owner)
            polls.removeAll { $0.id == poll.id }
        }
    }

    private func sendPoll(in url: String) {
        let owner = random.pick(SimulatedService.others + [SimulatedService.me]) ?? "bo"
        let fields = JSON.object([
            "user_id": .string(owner), "title": .string("poll \(time)"), "options": .strings(["yes", "no", "perhaps"]),
            "allow_multiple_votes": .bool(random.chance(60)), "allow_user_suggestion": .bool(random.chance(60)),
        ])
        // The service closes it by its clock, whoever is connected then.
        if random.chance(40), let now = service.control("advance_clock", .object(["ms": 0]))?["ts"]?.int {
            fields.set("close_at", .int(now / 1000 + 1 + random.below(60)))
        }
        guard let poll = service.ask("POST", "/polls", fields), let id = poll["id"]?.int else { return }
        note("poll \(id) of \(owner) in \(url)")
        guard service.post(url, owner, "poll \(seed) \(time)", ["poll_id": .int(id)]) != nil else { return }
        polls.append((id, url, owner))
        if polls.count > Simulation.longestPollList { polls.removeFirst() }
    }

    /// The host votes in a poll that it is shown, or does something to one that this user has made.
    func callPollAction() {
        guard let view = random.pick(engine.shownMessages) else { return }
        let shown = view.window.window.rows.compactMap { row -> (MessageID, JSON)? in
            guard let poll = (try? JSON.parse(row.json))?["poll"], poll["options"] != nil else { return nil }
            return (row.id, poll)
        }
        guard let (message, poll) = random.pick(shown), let id = poll["id"]?.text else { return }
        let options = (poll["options"]?.array ?? []).compactMap { $0["id"]?.text }
        switch random.below(10) {
        case 0: call(.poll(.closePoll), view.channelURL, ["poll_id": .text(id)])
        case 1: call(.poll(.updatePoll), view.channelURL, ["poll_id": .text(id), "title": .text("Title \(time)")])
        case 2: call(.poll(.addPollOption), view.channelURL, ["poll_id": .text(id), "text": .text("mine \(time)")])
        default:
            call(.poll(.votePoll), view.channelURL, [
                "message_id": .text(message.text), "poll_id": .text(id),
                "option_ids": .texts(options.filter { _ in random.chance(45) }),
            ])
        }
    }

    // MARK: Convergence

    /// A poll is as the service has it for all, and has what it tells this user of the own votes.
    func comparePoll(_ here: JSON, _ there: JSON, _ leftOut: Set<MessagePart>) throws {
        guard let other = there["poll"] else {
            if here["poll"] != nil { throw Violation(description: "a poll is shown that is not there: \(here.text)") }
            return
        }
        guard let poll = here["poll"] else { throw Violation(description: "a poll is missing: \(there.text)") }
        if leftOut.contains(.pollDetails) { return }
        func text(_ poll: JSON) -> String {
            let options = (poll["options"]?.array ?? []).map {
                "\($0["id"]?.text ?? "") \($0["text"]?.text ?? "") \($0["vote_count"]?.text ?? "")"
            }
            let members = ["id", "title", "status", "voter_count", "close_at"].map { poll[$0]?.text ?? "-" }
            return members.joined(separator: " ") + ": " + options.joined(separator: ", ")
        }
        guard text(poll) == text(other) else {
            throw Violation(description: "a poll is \(text(poll)), not \(text(other))")
        }
        seen.insert("poll \(poll["status"]?.string ?? "")")
        guard let id = poll["id"]?.text, let own = service.ask("GET", "/polls/\(id)?user_id=\(SimulatedService.me)")
        else { return }
        func chosen(_ poll: JSON) -> [Int64] { (poll["voted_option_ids"]?.array ?? []).compactMap(\.int).sorted() }
        guard chosen(poll) == chosen(own) else {
            throw Violation(description: "of poll \(id) \(chosen(poll)) is chosen, not \(chosen(own))")
        }
        if !chosen(poll).isEmpty { seen.insert("poll voted in") }
    }
}
