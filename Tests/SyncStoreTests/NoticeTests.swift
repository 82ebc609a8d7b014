import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

/// Messages that wait until the host has acknowledged them.
final class NoticeTests: XCTestCase {
    private func store(_ folder: Folder) throws -> CacheStore { try CacheStore(directory: folder.path, now: 0) }

    private func add(_ number: Int, in url: ChannelURL = "c", to store: CacheStore, at now: Int64 = 1000) throws {
        try store.notices.add(
            StoredNotice(
                channelURL: url, messageID: MessageID("\(number)"),
                position: MessagePosition(order: Int64(number), tie: 0), isMention: number % 2 == 0,
                json: Array("{\"n\":\(number)}".utf8)),
            now: now)
    }

    private func told(_ store: CacheStore, after id: Int64 = 0) throws -> [String] {
        try store.notices.notices(after: id, limit: 100_000).map { "\($0.id):\($0.messageID)" }
    }

    func testNumbersOnlyGrow() throws {
        let folder = try Folder()
        var store = try store(folder)
        try add(1, to: store)
        try add(2, to: store, at: 5_000_000)
        XCTAssertEqual(try told(store), ["1000:1", "1001:2"], "only the first is a time")
        try store.notices.acknowledge(through: 1001)
        store.close()
        store = try self.store(folder)
        try add(3, to: store, at: 5)
        XCTAssertEqual(try told(store), ["1002:3"])
        try store.forgetAll(open: [])
        XCTAssertEqual(try told(store), [])
        XCTAssertFalse(try store.notices.isUsed())
        try add(4, to: store, at: 5)
        XCTAssertEqual(try told(store), ["1003:4"], "not even after a sign-out")
        store.close()
        // The last number is damaged: a clock goes on from where it was.
        try spoil(folder, "meta", "value = '7' WHERE key = 'notices.last'")
        store = try self.store(folder)
        try add(5, to: store, at: 9000)
        XCTAssertEqual(try told(store), ["1003:4", "9000:5"])
        store.close()
    }

    private func spoil(_ folder: Folder, _ table: String, _ change: String) throws {
        let connection = try Connection(path: folder.path + "/cache.db", safety: .normal, pageSize: 4096)
        try connection.execute("UPDATE \(table) SET \(change)")
        connection.shut()
    }

    func testTheOldestGoAndTheNextOneSaysSo() throws {
        let store = try store(Folder())
        for number in 1...(NoticeStore.channelLimit + 2) { try add(number, to: store) }
        let waiting = try store.notices.notices(of: "c")
        XCTAssertEqual(waiting.count, NoticeStore.channelLimit)
        XCTAssertEqual(waiting[0].messageID, "3")
        XCTAssertEqual(waiting[0].missed, MissedNotices(count: 2))
        try store.notices.delete(waiting[0])
        XCTAssertEqual(try store.notices.notices(of: "c")[0].missed, MissedNotices(count: 2), "of the next one now")
        for notice in try store.notices.notices(of: "c") { try store.notices.delete(notice) }
        XCTAssertEqual(try store.notices.mark("c").missed, MissedNotices(count: 2), "and of the next one that comes")
        store.close()
    }

    func testOfAllChannelsTheOldestGo() throws {
        let store = try store(Folder())
        try store.connection.execute("""
            WITH RECURSIVE row(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM row WHERE id < \(NoticeStore.limit))
            INSERT INTO notice (id, channel_url, message_id, ord, tie, is_mention, missed, may_be_more, json, checksum)
            SELECT id, 'c' || (id / 50), id, id, 0, 0, 0, 0, '{}',
                checksum_of_row(id, 'c' || (id / 50), CAST(id AS TEXT), id, 0, 0, 0, 0, '{}')
            FROM row
            """)
        try store.setValue(NoticeStore.lastKey, String(NoticeStore.limit))
        try add(1, to: store)
        let waiting = try told(store)
        XCTAssertEqual(waiting.count, NoticeStore.limit)
        XCTAssertEqual(waiting.first, "2:2")
        XCTAssertEqual(waiting.last, "10001:1")
        XCTAssertEqual(try store.notices.notices(of: "c0")[0].missed, MissedNotices(count: 1))
        store.close()
    }

    func testADamagedRowIsMissingAndTheOthersStay() throws {
        for damage in [
            "channel_url = 'd'", "message_id = '9'", "ord = 9", "tie = 9", "is_mention = 1", "missed = 4",
            "may_be_more = 1", "checksum = 0", "json = '{}'",
        ] {
            let folder = try Folder()
            var store = try store(folder)
            for number in 1...3 { try add(number * 2 - 1, to: store) }
            store.close()
            try spoil(folder, "notice", "\(damage) WHERE id = 1001")
            store = try self.store(folder)
            XCTAssertEqual(try told(store), ["1000:1", "1002:5"], damage)
            XCTAssertNotNil(store.takeDamage(), damage)
            XCTAssertEqual(try told(store), ["1000:1", "1002:5"], damage)
            XCTAssertNil(store.takeDamage(), damage)
            store.close()
        }
    }
}
