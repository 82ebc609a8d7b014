import ServerBase
import SyncBytes
import SyncJSON
import XCTest

@testable import SyncServer

/// One seed, one run: everything the server gives is the same bytes again.
final class RepeatableRunTests: XCTestCase {
    private static let start: Int64 = 1_700_000_000_000
    private static let names = ["ann", "bo", "cy", "di", "eve", "flo", "gus", "hal"]

    /// Random steps of eight users in three channels; the result is every byte that came out, with its place.
    private func transcript(serverSeed: UInt64, stepSeed: UInt64) throws -> [UInt8] {
        var options = ServerOptions()
        options.isControlled = true
        options.sessionLife = 5000
        options.users = Self.names.map { .init(id: $0, token: "") }
        let server = try InProcessServer(options, time: Self.start, seed: serverSeed)
        let admin = [("Api-Token", server.apiToken)]
        var steps = SeededRandom(seed: stepSeed)
        var output: [UInt8] = []
        var sockets: [(name: String, socket: InProcessSocket)] = []
        var polls = 0

        func ask(_ method: String, _ path: String, _ body: JSON) {
            output += server.answer(method, path, headers: admin, body: body.serialized()).response.body + [0x0A]
        }
        func user() -> String { Self.names[steps.below(Self.names.count)] }
        func channel() -> String { "c\(steps.below(3))" }

        ask("POST", "/v3/group_channels", .object(["user_ids": .strings(Self.names)]))
        for number in 0..<3 {
            let body = JSON.object(["user_ids": .strings(Self.names), "channel_url": .string("c\(number)")])
            body.set("custom_type", .string("type\(number)"))
            // In one of them messages do not last.
            if number == 2 { body.set("message_survival_seconds", 5) }
            ask("POST", "/v3/group_channels", body)
        }
        for number in 1...300 {
            // Mostly close together, so that delivery marks of several users and channels gather.
            server.advance(to: server.time + Int64(steps.below(10) == 0 ? steps.below(4000) : steps.below(10)))
            let url = channel()
            let path = "/v3/group_channels/\(url)"
            let body = JSON.object(["channel_url": .string(url), "req_id": .string("r\(number)")])
            switch steps.below(18) {
            case 0:
                let name = user()
                let opening = server.openSocket("/?user_id=\(name)&expiring_session=\(steps.below(2))")
                guard case .opened(let socket) = opening else { throw InProcessClient.Refusal(status: 0) }
                sockets.append((name, socket))
            case 1 where !sockets.isEmpty: sockets.remove(at: steps.below(sockets.count)).socket.closeByClient()
            case 2: ask("POST", "\(path)/operators", .object(["operator_ids": .strings([user(), user(), user()])]))
            case 3:
                let query = "show_read_receipt=true&show_member=true"
                ask("GET", "/v3/users/\(user())/my_group_channels?\(query)", .object())
            case 4: ask("GET", "/v3/users/\(user())/my_group_channels/changelogs?change_ts=0", .object())
            case 5: ask("GET", "/control/state", .object())
            case 6, 7: ask("PUT", "\(path)/messages/mark_as_delivered", .object(["user_id": .string(user())]))
            case 8:
                body.set("message", .string("s\(number)"))
                body.set("scheduled_at", .int(server.time + 1 + Int64(steps.below(3000))))
                body.set("user_id", .string(user()))
                ask("POST", "\(path)/scheduled_messages", body)
            case 9:
                let name = user()
                polls += 1
                ask(
                    "POST", "/v3/polls",
                    .object([
                        "title": .string("p\(number)"), "options": .strings(["x", "y"]), "user_id": .string(name),
                        "close_at": .int(server.time / 1000 + 1 + Int64(steps.below(3))),
                    ]))
                ask(
                    "POST", "\(path)/messages",
                    .object([
                        "message": "poll", "message_type": "MESG", "user_id": .string(name),
                        "poll_id": .int(Int64(polls)),
                    ]))
            case 10...11 where polls > 0:
                // Options are numbered over all polls, two each; one of the last polls, open or closed by now.
                let poll = polls - steps.below(min(polls, 2))
                ask(
                    "PUT", "/v3/polls/\(poll)/vote",
                    .object([
                        "user_id": .string(user()), "option_ids": .array([.int(Int64(poll * 2 - steps.below(2)))]),
                    ]))
            default:
                guard !sockets.isEmpty else { continue }
                let socket = sockets[steps.below(sockets.count)].socket
                body.set("message", .string("m\(number)"))
                body.set("mentioned_user_ids", .strings([user(), user()]))
                socket.receive(Array(["MESG", "MESG", "READ", "TPST"][steps.below(4)].utf8) + body.serialized())
            }
            for (place, entry) in sockets.enumerated() {
                for frame in entry.socket.takeFrames() { output += Array("\(number) \(place) ".utf8) + frame }
            }
        }
        ask("GET", "/control/received", .object())
        ask("POST", "/control/revoke_tokens", .object())
        return output
    }

    func testTheSameSeedGivesTheSameBytes() throws {
        for seed in UInt64(1)...5 {
            let first = try transcript(serverSeed: seed, stepSeed: seed)
            let text = String(decoding: first, as: UTF8.self)
            // Votes, polls that closed, messages that went and such as were sent at their time: all must be in the run.
            for part in [" VOTE{", " PEDI{", " DELM{", "\"status\":\"closed\"", "\"scheduled_message_id\""] {
                XCTAssertTrue(text.contains(part), "seed \(seed): no \(part)")
            }
            XCTAssertTrue(first == (try transcript(serverSeed: seed, stepSeed: seed)), "seed \(seed)")
        }
    }

    /// The keys do come from the seed: with another one the same steps give other bytes.
    func testAnotherSeedGivesOtherKeys() throws {
        let first = try transcript(serverSeed: 1, stepSeed: 1)
        XCTAssertTrue(first != (try transcript(serverSeed: 2, stepSeed: 1)))
    }
}
