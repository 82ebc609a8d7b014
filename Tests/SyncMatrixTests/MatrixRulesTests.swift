import SyncJSON
import SyncModel
import TestSupport
import XCTest

@testable import SyncMatrix

final class MatrixRulesTests: XCTestCase {
    private let rules = MatrixRules()

    private func read(_ text: String) -> RoomEvent {
        guard let event = try? JSON.parse(text) else { return .nothing }
        return EventReader(room: MatrixCase.room, heardAt: 1000).read(event)
    }

    private func message(_ text: String) throws -> MessageRecord {
        var found: MessageRecord?
        if case .message(let message, _) = read(text) { found = message }
        return try XCTUnwrap(found, text)
    }

    private func edit(_ id: String, _ text: String, by sender: String, at time: Int64) -> Relation {
        Relation(
            id: MessageID(id), target: "$1", kind: RelationKind.edit, senderID: UserID(sender), order: time,
            json: Array(#"{"body":"\#(text)"}"#.utf8))
    }

    private func reaction(_ id: String, _ key: String, by sender: String) -> Relation {
        Relation(
            id: MessageID(id), target: "$1", kind: RelationKind.reaction, name: key, senderID: UserID(sender), order: 7,
            json: Array("{}".utf8))
    }

    func testTheNewestEditByTheSenderCounts() throws {
        let message = try message(MatrixCase.text("$1", "first"))
        func shown(_ relations: [Relation]) -> JSON? { try? JSON.parse(rules.folded(message.json, with: relations)) }
        let edits = [
            edit("$2", "second", by: "@bo:x", at: 10), edit("$3", "third", by: "@bo:x", at: 20),
            edit("$4", "by another", by: "@kit:x", at: 30),
        ]
        XCTAssertEqual(shown(edits)?["message"]?.string, "third")
        XCTAssertEqual(shown(edits)?["updated_at"]?.int, 20)
        // The edit was taken back.
        XCTAssertEqual(shown([edits[0], edits[2]])?["message"]?.string, "second")
        XCTAssertEqual(shown([])?["message"]?.string, "first")
        XCTAssertEqual(shown([])?["updated_at"]?.int, 0)
        // What is folded already is folded again.
        let once = rules.folded(message.json, with: edits)
        XCTAssertEqual(rules.folded(once, with: []), rules.folded(message.json, with: []))
    }

    func testReactionsAreGroupedByKey() throws {
        let message = try message(MatrixCase.text("$1", "first"))
        let folded = rules.folded(message.json, with: [
            reaction("$a", "x", by: "@bo:x"), reaction("$b", "y", by: "@bo:x"), reaction("$c", "x", by: "@kit:x"),
            reaction("$d", "x", by: "@bo:x"),
        ])
        let reactions = (try JSON.parse(folded))["reactions"]?.array ?? []
        XCTAssertEqual(reactions.map { $0["key"]?.string }, ["x", "y"])
        XCTAssertEqual(reactions.first?["user_ids"]?.array?.compactMap(\.string), ["@bo:x", "@kit:x"])
        XCTAssertNil((try JSON.parse(rules.folded(folded, with: [])))["reactions"])
    }

    func testWhatComesAsWhat() throws {
        let text = try message(MatrixCase.text("$1", "hi", #","m.mentions":{"user_ids":["@mei:x"]}"#))
        XCTAssertEqual(text.position.order, 5)
        XCTAssertTrue(rules.mentions("@mei:x", in: text.json))
        XCTAssertFalse(rules.mentions("@bo:x", in: text.json))
        let late = #"{"event_id":"$1","type":"m.poll.start","sender":"@bo:x","origin_server_ts":9999999,"content":{}}"#
        XCTAssertEqual(try message(late).position.order, 1000)
        XCTAssertEqual(try message(late).customType, "m.poll.start")
        XCTAssertEqual(try message(late).kind, .admin)
        let file = #"{"event_id":"$1","type":"m.room.message","sender":"@bo:x","origin_server_ts":1,"#
            + #""content":{"msgtype":"m.image","body":"a.png","url":"mxc://x/y","info":{"size":3}}}"#
        XCTAssertEqual(try message(file).kind, .file)
        let gone = #"{"event_id":"$1","type":"m.room.message","sender":"@bo:x","content":{},"#
            + #""unsigned":{"redacted_because":{}}}"#
        guard case .nothing = read(gone) else { return XCTFail("a redacted event is no message") }
    }

    func testAChannelFollowsWhatBecomesKnown() throws {
        let state = RoomState(userID: "@mei:x")
        state.take((try JSON.parse("[\(MatrixCase.state)]")).array ?? [])
        let channel = try XCTUnwrap(state.channel(MatrixCase.room, member: "joined", last: nil))
        XCTAssertEqual(channel.createdAt, 1000)
        let news = #"{"name":"","heroes":["@bo:x","@kit:x"],"names":{"@bo:x":"Bo"},"joined":3,"unread":2}"#
        let patches = try XCTUnwrap(rules.patches(
            for: .patched(Cause(.eventChannelChanged), members: [
                ChannelPatch(key: "matrix", value: Array(news.utf8))
            ]), in: channel, userID: "@mei:x"))
        let json = try XCTUnwrap(JSONSlice.setting(patches.map { ($0.key, $0.value) }, in: channel.json))
        let changed = try XCTUnwrap(ChannelRecord(json: json))
        XCTAssertEqual(changed.name, "Bo, @kit:x")
        XCTAssertEqual(changed.unreadMessageCount, 2)
        XCTAssertEqual(changed.identity, channel.identity)
    }

    /// Answers with members of other kinds, and broken ones: nothing traps, and what is told can be stored.
    func testHostileAnswersDoNotTrap() throws {
        let answer = MatrixCase.joined(
            [
                MatrixCase.text("$1", "hi"),
                MatrixCase.text(
                    "$2", "* b",
                    #","m.new_content":{"body":"b"},"m.relates_to":{"rel_type":"m.replace","event_id":"$1"}"#),
                #"{"event_id":"$3","type":"m.reaction","sender":"@bo:x","origin_server_ts":-9223372036854775808,"#
                    + #""content":{"m.relates_to":{"rel_type":"m.annotation","event_id":"$1","key":"x"}}}"#,
                #"{"event_id":"$4","type":"m.room.redaction","sender":"@bo:x","redacts":"$3","content":{}}"#,
            ], limited: true, state: MatrixCase.state,
            more: #","summary":{"m.heroes":["@bo:x"],"m.joined_member_count":9223372036854775807,"#
                + #""m.invited_member_count":9223372036854775807},"#
                + #""ephemeral":{"events":[{"type":"m.typing","content":{"user_ids":["@bo:x"]}}]},"#
                + #""unread_notifications":{"notification_count":-1,"highlight_count":9223372036854775807}"#,
            next: "s1")
        let values = [
            "null", "true", "-1", "9223372036854775807", "1e300", "\"\"", "\"\\u0000\"", "[]", "{}", "[[[]]]",
            "{\"a\":{}}",
        ]
        var random = SeededGenerator(seed: 7)
        var read = 0
        for _ in 0..<20_000 {
            let whole = try JSON.parse(answer)
            for _ in 0...random.below(3) { change(whole, random.pick(values) ?? "null", &random) }
            let since: String? = random.chance(50) ? "s0" : nil
            var memory = RoomMemory()
            let reader = SyncReader(userID: "@mei:x", heardAt: 1000, since: since, isListing: since == nil)
            guard let news = reader.read(whole, &memory) else { continue }
            read += 1
            for case .messageReceived(_, let message) in news.events {
                XCTAssertNoThrow(try JSON.parse(rules.folded(message.json, with: [])))
            }
        }
        XCTAssertGreaterThan(read, 5_000)
    }

    /// Puts a value in the place of a member or element anywhere below.
    private func change(_ document: JSON, _ value: String, _ random: inout SeededGenerator) {
        var place = document
        while true {
            if let members = place.members, let (key, next) = random.pick(members) {
                guard next.count > 0, random.chance(80) else {
                    return place.set(key, (try? JSON.parse("[\(value)]"))?[0])
                }
                place = next
            } else if let elements = place.array, !elements.isEmpty {
                let index = random.below(elements.count)
                guard elements[index].count > 0, random.chance(80) else {
                    if let new = (try? JSON.parse("[\(value)]"))?[0] { place.set(at: index, new) }
                    return
                }
                place = elements[index]
            } else {
                return
            }
        }
    }
}
