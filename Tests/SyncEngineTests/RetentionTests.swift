import SyncModel
import XCTest

@testable import SyncEngine

/// What the service has purged is asked for after a login that says so, and goes from cache and lists.
final class RetentionTests: EngineTestCase {
    private let history = (1...4).map { EngineTestCase.message($0) }
    private let kept = EngineTestCase.typed("k", "kept")

    private func time(_ second: Int64) -> Int64 { EngineTestCase.wall + second * 1000 }
    private var asked: [ServiceRequest] { asked { if case .retention = $0 { true } else { false } } }

    private func begin() {
        start()
        connect()
        openMessages(1, "c")
        openMessages(2, "k")
        fetch(1, .previous)
        fetch(2, .previous)
        serve(
            channels: [EngineTestCase.channel("c", last: history[3]), kept],
            messages: ["c": history, "k": history])
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"])
        XCTAssertEqual(host.ids(2), ["1", "2", "3", "4"])
        XCTAssertEqual(asked, [], "nothing new was said")
        loseConnection()
    }

    private func answer(_ page: RetentionPage) {
        answer(.retention(page)) { if case .retention = $0 { true } else { false } }
    }

    func testPagesAreReadToTheirEndAndATypesOwnTimeHolds() throws {
        begin()
        connect(hasNewRetention: true)
        XCTAssertEqual(starts.last?.retentionTime, 0)
        XCTAssertEqual(asked, [.retention(since: .time(0))])
        answer(RetentionPage(generalEnd: time(3), time: 7, hasMore: true, next: "s7"))
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"], "what a later page says may hold instead")
        XCTAssertEqual(asked, [.retention(since: .token("s7"))])
        answer(RetentionPage(ends: ["kept": time(1)], time: 9))
        XCTAssertEqual(host.ids(1), ["4"], "messages of that very time are gone, too")
        XCTAssertEqual(host.ids(2), ["2", "3", "4"])
        XCTAssertEqual(try cache.channels.channel("c")?.messageOffset, time(3) + 1)
        loseConnection()
        connect()
        XCTAssertEqual(starts.last?.retentionTime, 9)
        XCTAssertEqual(asked, [])
    }

    func testAPurgedLastMessageLeavesNoneAndNothingUnread() throws {
        begin()
        connect(hasNewRetention: true)
        answer(RetentionPage(generalEnd: time(4), time: 9))
        XCTAssertEqual(host.ids(1), [])
        XCTAssertNil(try cache.channels.channel("c")?.lastMessage)
    }

    func testAFailureIsRepeatedAndARefusalIsNot() {
        begin()
        connect(hasNewRetention: true)
        answer(EngineTestCase.failure(.unavailable, 500)) { if case .retention = $0 { true } else { false } }
        XCTAssertEqual(asked, [])
        wait(2000)
        XCTAssertEqual(asked.count, 1)
        answer(EngineTestCase.failure(.notFound, 404)) { if case .retention = $0 { true } else { false } }
        wait(600_000)
        XCTAssertEqual(asked, [])
    }

    func testWhatCouldNotBeStoredIsAskedForAgain() throws {
        begin()
        connect(hasNewRetention: true)
        try sql("CREATE TRIGGER full BEFORE UPDATE ON channel BEGIN SELECT RAISE(FAIL, 'full'); END", file: "cache.db")
        answer(RetentionPage(generalEnd: time(3), time: 9))
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"])
        try sql("DROP TRIGGER full", file: "cache.db")
        wait(2000)
        answer(RetentionPage(generalEnd: time(3), time: 9))
        XCTAssertEqual(host.ids(1), ["4"])
    }
}

extension EngineTestCase {
    fileprivate static func typed(_ url: ChannelURL, _ customType: String) -> ChannelRecord {
        let json = #"{"channel_url":"\#(url)","created_at":1600000000,"custom_type":"\#(customType)","#
            + #""member_state":"joined","last_message":null}"#
        return ChannelRecord(json: Array(json.utf8)) ?? ChannelRecord(url: url, json: Array(json.utf8))
    }
}
