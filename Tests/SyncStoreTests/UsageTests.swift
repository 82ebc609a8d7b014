import SyncModel
import TestSupport
import XCTest

@testable import SyncStore

/// What the messages of a channel take is what is stored, after every transaction.
final class UsageTests: StoreTestCase {
    private func relation(_ id: Int64, of target: Int64, order: Int64 = 0) -> Relation {
        Relation(id: "r\(id)", target: "\(target)", kind: "k", order: order, json: Array("{\"r\":\(id)}".utf8))
    }

    private func channel(_ url: String) throws -> ChannelRecord {
        try XCTUnwrap(ChannelRecord(json: Array(#"{"channel_url":"\#(url)","name":""}"#.utf8)))
    }

    /// The sum is read some channels at a time, while they change, and is what is stored; a transaction that is undone
    /// makes it unknown.
    func testTheSumOfAllChannelsIsKept() throws {
        let store = try newStore()
        func add(_ id: Int64, to url: ChannelURL) throws {
            try store.upsert([message(id, at: id, text: "text")], channel: try store.channels.key(url))
        }
        for channel in 0..<7 as Range<Int64> { try add(channel, to: ChannelURL("c\(channel)")) }
        XCTAssertNil(store.counts.total)
        try store.counts.countTotal(channels: 3)
        // One that was read, and one that is yet to be.
        try add(20, to: "c1")
        try add(21, to: "c6")
        try store.counts.countTotal(channels: 3)
        XCTAssertNil(store.counts.total)
        try store.counts.countTotal(channels: 3)
        func sum() throws -> Int64 {
            try store.counts.used(after: 0, limit: 100).reduce(0) { $0 + $1.usage.bytes }
        }
        XCTAssertEqual(store.counts.total, try sum())
        try add(22, to: "c2")
        try store.deleteMessages(ids: ["1"], channel: try store.channels.key("c1"))
        XCTAssertEqual(store.counts.total, try sum())
        let key = try store.channels.key("c2")
        XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
            try store.clearMessages(channel: key)
            throw StoreError.full
        })
        XCTAssertNil(store.counts.total)
        XCTAssertEqual(try store.counts.completeTotal(), try sum())
        try store.clearMessages(channel: nil)
        XCTAssertEqual(store.counts.total, 0)
    }

    /// A stream tells of a relation once, also before its message: a host that clears the cache does not lose it.
    func testRelationsOfMessagesToComeOutliveTheMessages() throws {
        for isOfAll in [false, true] {
            let store = try newStore()
            let key = try store.channels.key("c")
            try store.upsert([message(1, at: 1, text: "t")], channel: key)
            _ = try store.relations.upsert([relation(1, of: 1), relation(2, of: 2)], channel: key)
            try store.clearMessages(channel: isOfAll ? nil : key, keepsEarly: true)
            XCTAssertEqual(try store.relations.relations(of: "1", channel: key), [])
            XCTAssertEqual(try store.relations.relations(of: "2", channel: key), [relation(2, of: 2)])
            XCTAssertEqual(try store.counts.usage(channel: key), try store.counts.counted(channel: key))
            try store.clearMessages(channel: isOfAll ? nil : key)
            XCTAssertEqual(try store.relations.relations(of: "2", channel: key), [])
            XCTAssertEqual(try store.counts.usage(channel: key)?.bytes, 0)
        }
    }

    /// Of relations whose messages may still come the newest stay, and not any number: most are of old messages that
    /// nobody asks for.
    func testEarlyRelationsAreLimited() throws {
        let store = try newStore()
        let key = try store.channels.key("c")
        try store.upsert([message(1, at: 1, text: "t")], channel: key)
        let relations = (1...130 as ClosedRange<Int64>).map { relation($0, of: $0, order: $0) }
        _ = try store.relations.upsert(relations, channel: key)
        try store.clearMessages(channel: key, keepsEarly: true)
        let left = try relations.filter { try store.relations.relation(id: $0.id, channel: key) != nil }
        XCTAssertEqual(left, Array(relations.suffix(100)))
        XCTAssertEqual(try store.counts.usage(channel: key), try store.counts.counted(channel: key))
    }

    /// The oldest go up to where they may, and the newest stay.
    func testTrimEndsBeforeTheNewest() throws {
        let store = try newStore()
        let key = try store.channels.key("c")
        for id in 1...10 as ClosedRange<Int64> { try store.upsert([message(id, at: id, text: "t")], channel: key) }
        XCTAssertEqual(try store.room.trimEnd(channel: key, rows: 3, keeping: .newest(5))?.order, 3)
        XCTAssertEqual(try store.room.trimEnd(channel: key, rows: 30, keeping: .newest(5))?.order, 5)
        XCTAssertEqual(try store.room.trimEnd(channel: key, rows: 30, keeping: .newest(0))?.order, 10)
        XCTAssertNil(try store.room.trimEnd(channel: key, rows: 30, keeping: .newest(10)))
        XCTAssertNil(try store.room.trimEnd(channel: key, rows: 30, keeping: .newest(11)))
        let end = try XCTUnwrap(try store.room.trimEnd(channel: key, rows: 3, keeping: .newest(5)))
        XCTAssertEqual(try store.room.deleteMessages(channel: key, through: end), 3)
        XCTAssertEqual(try store.counts.usage(channel: key), try store.counts.counted(channel: key))
    }

    /// Random writes in a few channels and threads, some of them undone.
    func testCountsAreWhatIsStored() throws {
        struct Undone: Error {}
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let store = try newStore()
            func number(_ limit: Int64) -> Int64 { Int64.random(in: 1...limit, using: &random) }
            func key() throws -> Int64 {
                let channel = try store.channels.key(ChannelURL("c\(number(2))"))
                return Bool.random(using: &random)
                    ? channel : try store.threads.key(channel: channel, parentID: "\(number(2))")
            }
            func act() throws {
                let (key, id) = (try key(), number(30))
                let text = String(repeating: "é", count: Int(number(40)))
                switch number(12) {
                case 1...4: try store.upsert([message(id, at: number(30), text: text)], channel: key)
                case 5: try store.upsert([message(id, at: id, text: text, thread: "1")], channel: key)
                case 6: try store.deleteMessages(ids: ["\(id)", "\(number(30))"], channel: key)
                case 7: try store.deleteMessages(channel: key, before: number(9))
                case 8: if key > 0 { try store.relations.upsert([relation(id, of: number(9))], channel: key) }
                case 9: if key > 0 { try store.relations.delete(of: "\(number(9))", channel: key) }
                case 10: if number(4) == 1 { try store.clearMessages(channel: key) }
                case 11: if number(9) == 1 { try store.clearMessages(channel: nil) }
                default:
                    if number(9) == 1 {
                        try store.channels.delete("c1")
                    } else {
                        try store.channels.upsert([channel("c1")])
                    }
                    try store.setValue("messages.changes.\(key)", "1")
                    try store.chunks.set(
                        channel: key, [StoredChunk(start: .first, end: .last, reachedFirst: true)])
                    if key > 0 {
                        let thread = try store.threads.key(channel: key, parentID: "1")
                        if try store.chunks.of(channel: thread).isEmpty {
                            try store.clearMessages(channel: thread)
                            try store.setValue("messages.changes.\(key)", "1")
                            try store.threads.copy(thread, parentID: "1", from: key)
                        }
                    }
                }
            }
            var sum: Int64 = 0
            for step in 1...300 {
                if number(9) == 1 {
                    store.setCommitHook { () throws(StoreError) in throw .full }
                    XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
                        try store.upsert([message(99, at: 99)], channel: 1)
                        try store.setValue("step", "\(step)")
                    })
                    store.setCommitHook(nil)
                }
                try act()
                for url in ["c1", "c2"] {
                    guard let key = try store.channels.keyIfKnown(ChannelURL(url)) else { continue }
                    let usage = try XCTUnwrap(store.counts.usage(channel: key))
                    XCTAssertEqual(usage, try store.counts.counted(channel: key), "seed \(seed), step \(step), \(url)")
                    sum += usage.bytes
                }
            }
            XCTAssertGreaterThan(sum, 0)
            XCTAssertNil(store.takeDamage())
            store.close()
        }
    }

    func testBytesAreThoseOfJSONAndRows() throws {
        let store = try newStore()
        let key = try store.channels.key("c")
        let first = message(1, at: 1, text: "é")
        try store.upsert([first, message(2, at: 2, text: "")], channel: key)
        let bytes = Int64(first.json.count + message(2, at: 2, text: "").json.count)
        XCTAssertEqual(
            try store.counts.usage(channel: key), ChannelUsage(messages: 2, bytes: bytes + 2 * 176, usedAt: 0))
        try store.relations.upsert([relation(7, of: 1)], channel: key)
        XCTAssertEqual(
            try store.counts.usage(channel: key), ChannelUsage(messages: 2, bytes: bytes + 3 * 176 + 7, usedAt: 0))
        XCTAssertNil(try store.counts.usage(channel: key + 1))
    }

    /// Each use costs a page on the disk: the next one counts an hour later. A clock that was set back is believed.
    func testAUseIsNotedOnceAnHour() throws {
        let store = try newStore()
        let key = try store.channels.key("c")
        for (now, noted) in [(10_000_000, 10_000_000), (13_600_000, 10_000_000), (13_600_001, 13_600_001), (5, 5)] {
            try store.counts.use(channel: key, at: Int64(now))
            XCTAssertEqual(try store.counts.usage(channel: key)?.usedAt, Int64(noted))
        }
        try store.upsert([message(1, at: 1)], channel: key)
        XCTAssertEqual(try store.counts.usage(channel: key)?.usedAt, 5)
    }

    /// Damaged counts are told, and are right again.
    func testDamagedCountsAreFoundAgain() throws {
        for change in [
            "messages = 7", "bytes = 9223372036854775807", "used_at = 9", "usage_checksum = 0", "messages = -1",
            "bytes = -9223372036854775808, usage_checksum = checksum_of_row(key, messages, -9223372036854775808, 0)",
        ] {
            let store = try newStore()
            let key = try store.channels.key("c")
            try store.upsert([message(1, at: 1)], channel: key)
            try store.connection.execute("UPDATE channel SET \(change)")
            XCTAssertEqual(try store.counts.usage(channel: key), try store.counts.counted(channel: key), change)
            XCTAssertNotNil(store.takeDamage(), change)
            try store.upsert([message(2, at: 2)], channel: key)
            XCTAssertNotNil(store.takeDamage(), change)
            XCTAssertEqual(try store.counts.usage(channel: key), try store.counts.counted(channel: key), change)
            XCTAssertEqual(try store.counts.usage(channel: key)?.messages, 2, change)
            XCTAssertNil(store.takeDamage(), change)
            store.close()
        }
    }

    /// Rows that a lost channel has left belong to nobody.
    func testRemainsAreNotSubtracted() throws {
        let store = try newStore()
        let lost = try store.channels.key("c")
        try store.upsert([message(1, at: 1)], channel: lost)
        try store.relations.upsert([relation(1, of: 1)], channel: lost)
        try store.connection.execute("DELETE FROM channel")
        let key = try store.channels.key("d")
        XCTAssertEqual(key, lost)
        XCTAssertEqual(try store.counts.usage(channel: key), ChannelUsage(messages: 0, bytes: 0, usedAt: 0))
        XCTAssertEqual(try store.relations.relations(of: "1", channel: key), [])
    }

    // MARK: Relations

    func testRelationsAreHeldByTheirMessage() throws {
        let store = try newStore()
        let key = try store.channels.key("c")
        let relations = [relation(1, of: 5, order: 3), relation(2, of: 5, order: 1), relation(3, of: 6)]
        XCTAssertEqual(try store.relations.upsert(relations, channel: key), ["5", "6"])
        XCTAssertEqual(try store.relations.upsert(relations, channel: key), [], "nothing is new")
        XCTAssertEqual(try store.relations.relations(of: "5", channel: key), [relations[1], relations[0]])
        XCTAssertEqual(try store.relations.relations(of: "5", channel: key + 1), [])
        // One that is about another message now.
        XCTAssertEqual(try store.relations.upsert([relation(1, of: 6, order: 3)], channel: key), ["5", "6"])
        XCTAssertEqual(try store.relations.delete(id: "r2", channel: key), relations[1])
        XCTAssertNil(try store.relations.delete(id: "r2", channel: key))
        XCTAssertEqual(try store.relations.relations(of: "6", channel: key).map(\.id), ["r3", "r1"])
        try store.clearMessages(channel: key)
        XCTAssertEqual(try store.relations.relations(of: "6", channel: key), [])
    }

    func testOfTooManyRelationsTheOldestGo() throws {
        let store = try newStore()
        let key = try store.channels.key("c")
        let count = Int64(Relation.limit) + 5
        try store.relations.upsert((1...count).reversed().map { relation($0, of: 1, order: $0) }, channel: key)
        let held = try store.relations.relations(of: "1", channel: key)
        XCTAssertEqual(held.map(\.order), Array(6...count))
        XCTAssertEqual(try store.counts.usage(channel: key), try store.counts.counted(channel: key))
    }
}
