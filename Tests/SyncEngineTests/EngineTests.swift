import SyncModel
import XCTest

@testable import SyncEngine

final class EngineTests: EngineTestCase {
    private func message(_ id: Int64) -> MessageRecord {
        MessageRecord(
            position: MessagePosition(createdAt: EngineTestCase.wall + id, id: id), senderID: "bo",
            json: Array(#"{"message_id":\#(id),"channel_url":"c","message":"m","user":{"user_id":"bo"}}"#.utf8))
    }

    private func channel(_ url: String, membership: String = "joined") throws -> ChannelRecord {
        let text = #"{"channel_url":"\#(url)","name":"\#(url)","created_at":1,"member_state":"\#(membership)"}"#
        return try XCTUnwrap(ChannelRecord(json: Array(text.utf8)))
    }

    /// A collection that could not be filed when it was opened is filed by its next fetch.
    func testACollectionOpenedOnAFullDiskRecovers() throws {
        let engine = makeEngine()
        try sql(
            "CREATE TRIGGER full BEFORE INSERT ON channel_key BEGIN SELECT RAISE(ABORT, 'full'); END", file: "cache.db")
        openMessages(engine, "c")
        engine.handle(.fetch(collection: 1, direction: .previous, call: 1), now: now)
        XCTAssertEqual(completions(engine.takeOutputs()), [1: .storage])
        try sql("DROP TRIGGER full", file: "cache.db")
        engine.handle(.fetch(collection: 1, direction: .previous, call: 2), now: now)
        XCTAssertEqual(completions(engine.takeOutputs()), [2: .ok])
    }

    /// Events that come faster than the answers about their channel: it is shown by the first answer, and asked for
    /// again after a pause, not at once and without end.
    func testABusyChannelIsShownAndAskedForWithPauses() throws {
        let engine = makeEngine()
        _ = connect(engine)
        var id: Int64 = 0
        var asked: [UInt64] = []
        func event() {
            id += 1
            engine.receive(.messageReceived(channelURL: "c", message: message(id)), now: now)
            for (number, request) in requests(engine.takeOutputs()) {
                if case .getChannel("c") = request { asked.append(number) }
            }
        }
        event()
        XCTAssertEqual(asked.count, 1)
        for round in 1...5 {
            // Something happens between each question and its answer.
            engine.receive(.channel(url: "c", .changed(source: .eventChannelChanged)), now: now)
            engine.receive(.channel(try channel("c")), for: try XCTUnwrap(asked.popLast()), now: now)
            XCTAssertNotNil(engine.cachedChannel("c"), "round \(round)")
            XCTAssertEqual(requests(engine.takeOutputs()).count, 0, "round \(round)")
            now = EngineTime(monotonic: now.monotonic + 499, wall: now.wall + 499)
            engine.advance(now: now)
            XCTAssertEqual(requests(engine.takeOutputs()).count, 0, "round \(round)")
            now = EngineTime(monotonic: now.monotonic + 1, wall: now.wall + 1)
            engine.advance(now: now)
            for (number, request) in requests(engine.takeOutputs()) {
                if case .getChannel("c") = request { asked.append(number) }
            }
            XCTAssertEqual(asked.count, 1, "round \(round)")
        }
    }

    /// Who is a friend only the service knows: such a list takes in neither what is cached nor what an event brings.
    func testAListByFriendsIsTheServicesAlone() throws {
        let engine = makeEngine()
        var query = ChannelQuery()
        query.memberState = .invitedByFriend
        try cache.upsert([try channel("cached", membership: "invited")])
        engine.handle(.openChannelCollection(id: 1, query: query), now: now)
        _ = connect(engine)
        engine.handle(.fetch(collection: 1, direction: .next, call: 1), now: now)
        let page = try XCTUnwrap(requests(engine.takeOutputs()).first {
            if case .listChannels(query, _, _) = $0.request { true } else { false }
        })
        engine.receive(
            .channels(ChannelPage(channels: [try channel("friend", membership: "invited")], next: "")), for: page.id,
            now: now)
        XCTAssertEqual(completions(engine.takeOutputs()), [1: .ok])
        engine.receive(.channel(url: "stranger", .changed(source: .eventChannelChanged)), now: now)
        let asked = try XCTUnwrap(requests(engine.takeOutputs()).first)
        engine.receive(.channel(try channel("stranger", membership: "invited")), for: asked.id, now: now)
        XCTAssertEqual(engine.channelViews[1]?.shown.map(\.url), ["friend"])
        XCTAssertNotNil(engine.cachedChannel("stranger"))
    }
}
