import SyncBytes
import SyncModel
import SyncSQLite
import SyncText
import TestSupport
import XCTest

@testable import SyncStore

/// What the index finds is what a scan of all messages finds.
final class SearchIndexTests: StoreTestCase {
    private static func read(_ json: UnsafeRawBufferPointer) -> SearchedText {
        let text = String(decoding: json, as: UTF8.self)
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count > 5, let time = Int64(parts[5]) else { return SearchedText(text: "", time: 0) }
        return SearchedText(text: String(parts[3]), time: time)
    }

    private func message(
        _ id: Int64, _ text: String, at time: Int64, order: Int64? = nil, sender: String = "bo", thread: String = "",
        type: String = ""
    ) -> MessageRecord {
        MessageRecord(
            id: "\(id)", position: MessagePosition(order: order ?? time, tie: id), customType: type,
            senderID: UserID(sender), parentID: MessageID(thread),
            json: Array(#"{"text":"\#(text)","\#(time)":0}"#.utf8))
    }

    private func found(_ scope: SearchScope, _ index: SearchIndex, rows: Int = 3) throws -> [FoundMessage] {
        var walk = SearchWalk(scope)
        var all: [FoundMessage] = []
        while !walk.isAtEnd { all += try walk.step(rows: rows, index) }
        return all
    }

    private func texts(_ query: String, _ index: SearchIndex, isTyping: Bool = false) throws -> [String] {
        try found(SearchScope(SearchQuestion(query, isTyping: isTyping)), index).map { $0.id.text }
    }

    private func finish(_ index: SearchIndex) throws { while try index.work(rows: 100) {} }

    func testWhatChangesIsFoundAsItIs() throws {
        let store = try newStore()
        let channel = try store.channelKey("c")
        try store.upsert([message(1, "old one", at: 1_600_000_000_000)], channel: channel)
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        XCTAssertGreaterThan(try index.remaining(), 0)
        XCTAssertEqual(try texts("one", index), [])
        try store.upsert([message(2, "new one", at: 1_600_000_001_000)], channel: channel)
        try finish(index)
        XCTAssertEqual(try index.remaining(), 0)
        XCTAssertEqual(try texts("one", index), ["2", "1"])
        XCTAssertEqual(try texts("o", index, isTyping: true), ["2", "1"])
        try store.upsert([message(1, "changed", at: 1_600_000_000_000)], channel: channel)
        XCTAssertEqual(try texts("one", index), ["2"])
        XCTAssertEqual(try texts("changed", index), ["1"])
        try store.deleteMessages(ids: ["2"], channel: channel)
        XCTAssertEqual(try texts("one", index), [])
        // The key of the one that is gone comes again.
        try store.upsert([message(3, "another one", at: 1_600_000_002_000)], channel: channel)
        try finish(index)
        XCTAssertEqual(try texts("one", index), ["3"])
        try store.clearMessages(channel: nil)
        XCTAssertEqual(try texts("another", index), [])
    }

    func testAnIndexIsGoneOnWithAndDropped() throws {
        let folder = try newFolder()
        var store = try CacheStore(directory: folder.path, now: 0)
        let channel = try store.channelKey("c")
        var index = try SearchIndex(store, read: SearchIndexTests.read)
        try store.upsert([message(1, "one", at: 1)], channel: channel)
        try finish(index)
        store.close()
        store = try CacheStore(directory: folder.path, now: 0)
        index = try SearchIndex(store, read: SearchIndexTests.read)
        XCTAssertFalse(try index.work(rows: 1))
        XCTAssertEqual(try texts("one", index), ["1"])
        // Without the index the file is as one that never had it.
        try SearchIndex.drop(store)
        try store.deleteMessages(ids: ["1"], channel: channel)
        let left = try store.connection.prepare("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'search*'")
        XCTAssertTrue(try left.next())
        XCTAssertEqual(left.int(0), 0)
        left.reset()
    }

    /// More messages of one second than it has rows: in order, and none is left out.
    func testASecondWithManyMessages() throws {
        let store = try newStore()
        let channel = try store.channelKey("c")
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        let start: Int64 = 1_600_000_000_000
        let messages = (0..<3000 as Range<Int64>).map { message($0 + 1, "word", at: start + $0 % 3 * 1000 + $0 % 7) }
        try store.upsert(messages, channel: channel)
        try finish(index)
        let all = try found(SearchScope(SearchQuestion("word", isTyping: false)), index, rows: 50)
        XCTAssertEqual(all.count, 3000)
        XCTAssertEqual(all.map(\.time), all.map(\.time).sorted(by: >))
        XCTAssertEqual(Set(all.map(\.id)).count, 3000)
    }

    func testEdgesOfTimes() throws {
        let store = try newStore()
        let channel = try store.channelKey("c")
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        let times = [Int64.min, -1, 0, 1, Int64.max]
        for (id, time) in times.enumerated() {
            try store.upsert([message(Int64(id), "word", at: time, order: Int64(id))], channel: channel)
        }
        try finish(index)
        let all = try found(SearchScope(SearchQuestion("word", isTyping: false)), index)
        XCTAssertEqual(all.map(\.time), times.reversed())
    }

    /// Numbers of a damaged file are not counted with before they are looked at.
    func testNumbersThatNoRowHas() throws {
        for column in ["key", "channel"] {
            for number in [Int64.min, -1, 0, Int64.max] {
                let store = try newStore()
                let channel = try store.channelKey("c")
                try store.upsert([message(1, "one", at: 1)], channel: channel)
                let index = try SearchIndex(store, read: SearchIndexTests.read)
                try store.connection.execute("UPDATE message SET \(column) = \(number)")
                try finish(index)
                let found = try? texts("one", index)
                XCTAssertTrue(found == nil || found == [] || found == ["1"], "\(column) \(number)")
                try store.connection.execute("UPDATE search_place SET row = \(number)")
                _ = try? texts("one", index)
                _ = try? texts("on", index, isTyping: true)
            }
        }
    }

    func testADamagedIndexIsNoDamageOfTheFile() throws {
        let store = try newStore()
        let channel = try store.channelKey("c")
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        var isDamaged = false
        store.connection.onDamage = { isDamaged = true }
        try store.upsert([message(1, "one", at: 1)], channel: channel)
        try finish(index)
        try store.connection.execute("DELETE FROM search_found_data WHERE id > 10")
        XCTAssertThrowsError(try texts("one", index)) { error in
            guard case StoreError.failed(Connection.damagedIndex, _) = error else { return XCTFail("\(error)") }
        }
        XCTAssertFalse(isDamaged)
    }

    /// Random histories in eight scripts: 200, or as many as SM_SEARCHES says.
    func testFoundIsWhatAScanFinds() throws {
        let words = [
            "hello", "Hell", "Köln", "koln", "会議", "明日の会議", "회의자료", "자료", "مَرْحَبًا", "مرحبا",
            "שָׁלוֹם", "नमस्ते", "สวัสดี", "👍🏽", "❤️", "Привет", "привет", "a", "ab", "ガギ", "co", "comp",
        ]
        var found = 0
        let seeds = ProcessInfo.processInfo.environment["SM_SEARCHES"].flatMap { UInt64($0) } ?? 200
        for seed in 1...seeds {
            var random = SeededGenerator(seed: seed)
            func word() -> String { words.randomElement(using: &random) ?? "" }
            func text() -> String {
                (0..<Int.random(in: 1...4, using: &random)).map { _ in word() }.joined(separator: " ")
            }
            let store = try CacheStore(.memory, now: 0)
            var keys = try ["c", "d"].map { try store.channelKey(ChannelURL($0)) }
            keys.append(try store.threadKey(channel: keys[0], parentID: "1"))
            var index = Bool.random(using: &random) ? try SearchIndex(store, read: SearchIndexTests.read) : nil
            for _ in 0..<Int.random(in: 5...40, using: &random) {
                let key = keys.randomElement(using: &random) ?? keys[0]
                let id = Int64.random(in: 1...30, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0...4:
                    // Times of the service are no order of places, and some are far away.
                    let time = 1_600_000_000_000 + (id &* 7919) % 23 * 400
                    let sender = ["bo", "al"].randomElement(using: &random) ?? "bo"
                    try store.upsert(
                        [message(id, text(), at: time, order: id, sender: sender, type: sender)], channel: key)
                case 5: try store.deleteMessages(ids: ["\(id)"], channel: key)
                case 6: try store.deleteMessages(channel: key, before: Int64.random(in: 1...8, using: &random))
                case 7 where Int.random(in: 0..<8, using: &random) == 0: try store.clearMessages(channel: key)
                case 8: if let index { try index.merge(pages: 16) }
                default:
                    if let index {
                        _ = try index.work(rows: Int.random(in: 1...5, using: &random))
                    } else {
                        index = try SearchIndex(store, read: SearchIndexTests.read)
                    }
                }
            }
            let whole = try index ?? SearchIndex(store, read: SearchIndexTests.read)
            try finish(whole)
            for _ in 0..<4 {
                let query = Bool.random(using: &random) ? text() : String(word().prefix(2))
                var scope = SearchScope(SearchQuestion(query, isTyping: Bool.random(using: &random)))
                if Int.random(in: 0..<3, using: &random) == 0 { scope.channels = ["d", "nowhere"] }
                if Int.random(in: 0..<3, using: &random) == 0 { scope.senders = ["al"] }
                if Int.random(in: 0..<4, using: &random) == 0 { scope.customTypes = TextSet(["bo"]) }
                if Int.random(in: 0..<3, using: &random) == 0 { scope.times = 1_600_000_002_000...1_600_000_006_000 }
                let told = try self.found(scope, whole, rows: Int.random(in: 1...6, using: &random))
                XCTAssertEqual(
                    Set(told.map { "\($0.channelURL) \($0.id)" }), try scanned(scope, keys, store), "seed \(seed)")
                XCTAssertEqual(told.map(\.time), told.map(\.time).sorted(by: >), "seed \(seed)")
                XCTAssertEqual(Set(told.map { "\($0.channelURL) \($0.id)" }).count, told.count, "seed \(seed)")
                found += told.count
            }
        }
        XCTAssertGreaterThan(found, 100)
    }

    /// The same by looking at every message.
    private func scanned(_ scope: SearchScope, _ keys: [Int64], _ store: CacheStore) throws -> Set<String> {
        var result = Set<String>()
        var seen = Set<String>()
        for (key, url) in zip(keys, ["c", "d", "c"]) {
            let first = MessagePosition(order: Int64.min, tie: Int64.min)
            let last = MessagePosition(order: Int64.max, tie: Int64.max)
            for reference in try store.messageReferences(channel: key, from: first, through: last) {
                let message = try XCTUnwrap(try store.message(id: reference.id, channel: key))
                // A reply that is in the channel, too, is the channel's.
                guard seen.insert("\(url) \(message.id)").inserted else { continue }
                let text = message.json.withUnsafeBytes { SearchIndexTests.read($0) }
                if let channels = scope.channels, !channels.contains(ChannelURL(url)) { continue }
                if !scope.senders.isEmpty, !scope.senders.contains(message.senderID) { continue }
                if !scope.customTypes.isEmpty, !scope.customTypes.contains(message.customType) { continue }
                guard scope.times.contains(text.time), scope.question.match(text.text) != nil else { continue }
                result.insert("\(url) \(message.id)")
            }
        }
        return result
    }
}
