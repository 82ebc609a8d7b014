import SyncModel
import XCTest

@testable import SyncEngine

/// What others are told of this user's reading and writing, and what time brings without a word of the service.
final class ReadingTests: EngineTestCase {
    private typealias Case = EngineTestCase

    private func begin(_ info: SessionInfo? = nil, channels: [ChannelRecord] = [Case.channel("c")]) {
        start()
        command(.call(newCall(), .connect))
        event(.connected(info ?? SessionInfo(userID: "mei", loginTime: Case.wall)))
        serve(channels: channels)
    }

    private func call(_ document: String) throws -> CallID {
        let call = newCall()
        command(.call(call, .action(try ActionCall(Array(document.utf8)))))
        return call
    }

    private func receive(_ id: Int64, _ url: ChannelURL = "c", by sender: String = "bo") {
        event(.messageReceived(channelURL: url, message: Case.message(id, in: url, by: sender)))
    }

    // MARK: Delivery

    private var marks: [String] {
        asked { if case .markDelivered = $0 { true } else { false } }.map {
            if case .markDelivered(let url, let id) = $0 { "\(url) \(id)" } else { "" }
        }
    }

    func testOfManyMessagesAtOnceTheLastIsMarked() {
        begin(channels: [Case.channel("c"), Case.channel("d")])
        receive(1)
        receive(2)
        receive(3, "d")
        receive(4)
        XCTAssertEqual(marks, ["c 1", "d 3"])
        wait(1000)
        XCTAssertEqual(marks, ["c 1", "d 3", "c 4"])
        wait(10_000)
        XCTAssertEqual(marks.count, 3)
        receive(5)
        XCTAssertEqual(marks.last, "c 5")
    }

    func testOwnMessagesAreNotMarked() {
        begin()
        receive(1, by: "mei")
        XCTAssertEqual(marks, [])
    }

    func testWhoIsInvitedMarksNothing() {
        begin(channels: [Case.channel("c"), Case.channel("i", membership: "invited")])
        receive(1, "i")
        receive(2)
        wait(10_000)
        XCTAssertEqual(marks, ["c 2"])
    }

    func testAServiceThatDoesNotWantMarksOfSuperChannels() {
        func kind(_ url: ChannelURL, _ more: String) -> ChannelRecord {
            let json = #"{"channel_url":"\#(url)","created_at":1,"member_state":"joined","is_super":true\#(more)}"#
            return ChannelRecord(json: Array(json.utf8)) ?? Case.channel(url)
        }
        let info = SessionInfo(userID: "mei", loginTime: Case.wall, wantsDeliveriesOfSuperChannels: false)
        begin(info, channels: [Case.channel("c"), kind("s", ""), kind("b", #","is_broadcast":true"#)])
        for (id, url) in (["c", "s", "b"] as [ChannelURL]).enumerated() { receive(Int64(id + 1), url) }
        XCTAssertEqual(marks, ["c 1", "b 3"])
    }

    // MARK: Typing

    private var typing: [String] {
        asked { _ in true }.compactMap { if case .action(let call) = $0 { call.action.rawValue } else { nil } }
    }

    func testOneWordASecondAndAnEndByItself() throws {
        begin()
        for _ in 0..<5 {
            _ = try call(#"{"action":"start_typing","channel_url":"c"}"#)
            wait(300)
        }
        XCTAssertEqual(typing, ["start_typing", "start_typing"])
        wait(9_000)
        XCTAssertEqual(typing.count, 2)
        wait(1_000)
        XCTAssertEqual(typing, ["start_typing", "start_typing", "end_typing"])
        wait(60_000)
        XCTAssertEqual(typing.count, 3)
    }

    func testWhatNobodyKnowsOfIsNotEnded() throws {
        begin()
        let end = try call(#"{"action":"end_typing","channel_url":"c"}"#)
        XCTAssertEqual(host.status(end), .ok)
        XCTAssertEqual(typing, [])
        _ = try call(#"{"action":"start_typing","channel_url":"c"}"#)
        _ = try call(#"{"action":"end_typing","channel_url":"c"}"#)
        XCTAssertEqual(typing, ["start_typing", "end_typing"])
    }

    // MARK: Reading

    func testAllIsMarkedAsReadOnceASecond() throws {
        begin()
        _ = try call(#"{"action":"mark_all_as_read"}"#)
        let second = try call(#"{"action":"mark_all_as_read"}"#)
        XCTAssertEqual(host.status(second), .service)
        XCTAssertEqual(host.results[second]?.failure?.code, 800_160)
        wait(1000)
        _ = try call(#"{"action":"mark_all_as_read"}"#)
        XCTAssertEqual(asked { if case .action = $0 { true } else { false } }.count, 2)
    }

    func testWhoHasReadIsTold() throws {
        begin()
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        fetch(1, .next)
        forgetEvents()
        event(.channel(url: "c", .read(userID: "mei", at: Case.wall + 5)))
        event(.channel(url: "c", .read(userID: "bo", at: Case.wall + 6)))
        let causes = host.events.compactMap { event -> Cause? in
            if case .change(let change) = event { change.cause } else { nil }
        }
        XCTAssertEqual(causes.map(\.source), [.eventCurrentUserMarkedRead, .eventUserMarkedRead])
        let facts = [("current_user", "mei", Case.wall + 5), ("user", "bo", Case.wall + 6)].map { who, user, time in
            #"{"event":"event_\#(who)_marked_read","user":{"user_id":"\#(user)"},"read_at":\#(time)}"#
        }
        XCTAssertEqual(causes.flatMap(\.facts).map { String(decoding: $0.json, as: UTF8.self) }, facts)
    }

    func testTotalsAreToldWhenTheyChange() {
        begin()
        forgetEvents()
        func totals() -> [Int64] {
            host.events.compactMap { if case .client(.unreadCounts(let counts)) = $0 { counts.all } else { nil } }
        }
        for (all, time) in [(3, 10), (3, 11), (4, 12), (9, 5), (4, 13)] as [(Int64, Int64)] {
            event(.unreadCounts(UnreadCounts(all: all, byCustomType: [:], time: time)))
        }
        XCTAssertEqual(totals(), [3, 4])
        event(.unreadCounts(UnreadCounts(all: 4, byCustomType: ["a": 1], time: 14)))
        XCTAssertEqual(totals(), [3, 4, 4])
    }

    // MARK: Mutes

    /// The device's clock is an hour wrong, and the service never says that the mute is over.
    func testAMuteEndsWithoutAWord() {
        func channel(_ isMuted: Bool) -> ChannelRecord {
            let end = Case.wall + 3_600_000 + 60_000
            let json = #"{"channel_url":"c","created_at":1,"member_state":"joined","is_muted":\#(isMuted),"#
                + #""members":[{"user_id":"mei","muted_end_at":\#(isMuted ? end : -1)}]}"#
            return ChannelRecord(json: Array(json.utf8)) ?? Case.channel("c")
        }
        let info = SessionInfo(userID: "mei", loginTime: Case.wall + 3_600_000)
        begin(info, channels: [channel(true)])
        openMessages(1, "c")
        serve(channels: [channel(true)])
        wait(60_500)
        XCTAssertEqual(asked(isGetChannel).count, 0)
        forgetEvents()
        wait(1_000)
        answer(.channel(channel(false)), to: isGetChannel)
        let causes = host.events.compactMap { event -> EventSource? in
            if case .collection(1, .channelUpdated(_, let cause)) = event { cause.source } else { nil }
        }
        XCTAssertEqual(causes, [.eventUserUnmuted])
        wait(3_600_000)
        XCTAssertEqual(asked(isGetChannel).count, 0)
    }
}
