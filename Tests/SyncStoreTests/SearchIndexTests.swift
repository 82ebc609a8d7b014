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

    /// The same page by page, each from behind the last one of the page before.
    private func paged(_ scope: SearchScope, _ index: SearchIndex, rows: Int, page: Int) throws -> [FoundMessage] {
        var all: [FoundMessage] = []
        while true {
            var walk = SearchWalk(scope, behind: all.last?.place)
            var found: [FoundMessage] = []
            while !walk.isAtEnd, found.count < page { found += try walk.step(rows: rows, index) }
            all += found.prefix(page)
            if walk.isAtEnd, found.count <= page { return all }
        }
    }

    private func scope(_ text: String, isTyping: Bool = false) -> SearchScope {
        var query = SearchQuery(text)
        query.isPrefix = isTyping
        return SearchScope(query)
    }

    /// The ids, of messages of the channel "c".
    private func texts(_ query: String, _ index: SearchIndex, isTyping: Bool = false) throws -> [String] {
        try found(scope(query, isTyping: isTyping), index).map { String($0.place.id.text.dropFirst(2)) }
    }

    private func drop(_ store: CacheStore) throws { while try SearchIndex.drop(store, pages: 1) {} }

    private func work(_ index: SearchIndex, rows: Int) throws -> Bool {
        try index.indexNew(rows: rows) || index.indexOld(rows: rows)
    }

    private func finish(_ index: SearchIndex) throws { while try work(index, rows: 100) {} }

    /// A damaged number of the channel, which the indexes still have as it was: lists read it from there.
    func testAMessageWhoseChannelIsDamagedIsSeen() throws {
        let folder = try newFolder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let channel = try store.channels.key("c")
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        try store.upsert([message(1, "one", at: 1_600_000_000_000)], channel: channel)
        try finish(index)
        let indexes = "type = 'index' AND tbl_name = 'message' AND sql IS NOT NULL"
        try store.connection.execute("PRAGMA writable_schema = ON; CREATE TEMP TABLE kept AS "
            + "SELECT * FROM sqlite_schema WHERE \(indexes); DELETE FROM sqlite_schema WHERE \(indexes)")
        func readSchemaAgain() throws {
            let version = try store.connection.prepare("PRAGMA schema_version").first { $0.int(0) } ?? 0
            try store.connection.execute("PRAGMA schema_version = \(version + 1)")
        }
        try readSchemaAgain()
        let other = try Connection(path: folder.path + "/cache.db", safety: .normal, pageSize: 4096)
        try other.execute("UPDATE message SET channel = channel + 64")
        other.shut()
        try store.connection.execute("INSERT INTO sqlite_schema SELECT * FROM temp.kept; PRAGMA writable_schema = OFF")
        try readSchemaAgain()
        XCTAssertEqual(try store.message(id: "1", channel: channel)?.id, "1", "as the index has it")
        XCTAssertThrowsError(try texts("one", index)) { error in
            guard case StoreError.corrupt? = error as? StoreError else { return XCTFail("\(error)") }
        }
    }

    /// Else the messages of those rows would be missing from every search.
    func testRowsOfTheIndexThatNameAnotherMessageAreSeen() throws {
        for damage in ["key = key + 64", "key = 3 - key", "row = row + 8, key = key WHERE key = 2"] {
            let store = try newStore()
            let channel = try store.channels.key("c")
            let index = try SearchIndex(store, read: SearchIndexTests.read)
            try store.upsert(
                [message(1, "one", at: 1_600_000_000_000), message(2, "one", at: 1_600_000_100_000)],
                channel: channel)
            try finish(index)
            XCTAssertEqual(try texts("one", index), ["2", "1"])
            try store.connection.execute("UPDATE search_place SET \(damage)")
            XCTAssertThrowsError(try texts("one", index), damage) { error in
                guard case StoreError.failed(Connection.damagedIndex, _)? = error as? StoreError else {
                    return XCTFail("\(damage): \(error)")
                }
            }
        }
    }

    /// A message that is removed, or gets another time, between two steps of a walk is no damage.
    func testMessagesThatGoDuringAWalkAreNoDamage() throws {
        let store = try newStore()
        let channel = try store.channels.key("c")
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        try store.upsert(
            (1...6).map { message($0, "one", at: 1_600_000_000_000 + $0 * 10_000) }, channel: channel)
        try finish(index)
        var walk = SearchWalk(scope("one"))
        var found = try walk.step(rows: 2, index).count
        try store.deleteMessages(ids: ["4"], channel: channel)
        try store.upsert([message(3, "one", at: 1_700_000_000_000, order: 1_600_000_030_000)], channel: channel)
        while !walk.isAtEnd { found += try walk.step(rows: 1, index).count }
        XCTAssertGreaterThanOrEqual(found, 4, "6, 5, 2 and 1")
    }

    func testWhatChangesIsFoundAsItIs() throws {
        let store = try newStore()
        let channel = try store.channels.key("c")
        try store.upsert([message(1, "old one", at: 1_600_000_000_000)], channel: channel)
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        XCTAssertGreaterThan(try index.progress().remaining, 0)
        XCTAssertEqual(try texts("one", index), [])
        try store.upsert([message(2, "new one", at: 1_600_000_001_000)], channel: channel)
        try finish(index)
        XCTAssertEqual(try index.progress().remaining, 0)
        XCTAssertEqual(try texts("one", index), ["2", "1"])
        XCTAssertEqual(try texts("o", index, isTyping: true), ["2", "1"])
        try store.upsert([message(1, "changed", at: 1_600_000_000_000)], channel: channel)
        XCTAssertEqual(try texts("one", index), ["2"])
        XCTAssertEqual(try texts("changed", index), ["1"])
        // Two texts that count as equal, and have other terms.
        try store.upsert([message(1, "\u{F900}", at: 1_600_000_000_000)], channel: channel)
        try store.upsert([message(1, "\u{8C48}", at: 1_600_000_000_000)], channel: channel)
        XCTAssertEqual(try texts("\u{8C48}", index), ["1"])
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
        let channel = try store.channels.key("c")
        var index = try SearchIndex(store, read: SearchIndexTests.read)
        try store.upsert([message(1, "one", at: 1)], channel: channel)
        try finish(index)
        store.close()
        store = try CacheStore(directory: folder.path, now: 0)
        index = try SearchIndex(store, read: SearchIndexTests.read)
        XCTAssertFalse(try work(index, rows: 1))
        XCTAssertEqual(try texts("one", index), ["1"])
        // Without the index the file is as one that never had it.
        XCTAssertTrue(try SearchIndex.drop(store, pages: 1))
        XCTAssertTrue(try SearchIndex.isOutdated(store))
        try drop(store)
        try store.deleteMessages(ids: ["1"], channel: channel)
        let left = try store.connection.prepare("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'search*'")
        XCTAssertTrue(try left.next())
        XCTAssertEqual(left.int(0), 0)
        left.reset()
    }

    /// More messages of one second than it has rows: in order, and none is left out.
    func testASecondWithManyMessages() throws {
        let store = try newStore()
        let channel = try store.channels.key("c")
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        let start: Int64 = 1_600_000_000_000
        let messages = (0..<3000 as Range<Int64>).map { message($0 + 1, "word", at: start + $0 % 3 * 1000 + $0 % 7) }
        try store.upsert(messages, channel: channel)
        try finish(index)
        let all = try found(scope("word"), index, rows: 50)
        XCTAssertEqual(all.count, 3000)
        XCTAssertEqual(all.map(\.place), all.map(\.place).sorted(by: >))
        XCTAssertEqual(Set(all.map(\.place.id)).count, 3000)
        XCTAssertEqual(try paged(scope("word"), index, rows: 50, page: 1200).map(\.place), all.map(\.place))
        // Each is found in the index by its key, however far from its second it is.
        try store.deleteMessages(ids: (1...2000).map { MessageID("\($0)") }, channel: channel)
        try store.upsert((2001...2500).map { message($0, "other", at: start + 3000) }, channel: channel)
        XCTAssertEqual(try rows(store), 500)
        try finish(index)
        XCTAssertEqual(try rows(store), 1000)
        XCTAssertEqual(try found(scope("word"), index, rows: 50).count, 500)
        XCTAssertEqual(try found(scope("other"), index, rows: 50).count, 500)
    }

    /// How many rows the index has.
    private func rows(_ store: CacheStore) throws -> Int64 {
        let counted = try store.connection.prepare("SELECT count(*) FROM search_place")
        defer { counted.reset() }
        return try counted.next() ? counted.int(0) : 0
    }

    func testEdgesOfTimes() throws {
        let store = try newStore()
        let channel = try store.channels.key("c")
        let index = try SearchIndex(store, read: SearchIndexTests.read)
        let times = [Int64.min, -1, 0, 1, Int64.max]
        for (id, time) in times.enumerated() {
            try store.upsert([message(Int64(id), "word", at: time, order: Int64(id))], channel: channel)
        }
        try finish(index)
        XCTAssertEqual(try found(scope("word"), index).map(\.place.time), times.reversed())
        XCTAssertEqual(try paged(scope("word"), index, rows: 2, page: 1).map(\.place.time), times.reversed())
    }

    /// Numbers of a damaged file are not counted with before they are looked at.
    func testNumbersThatNoRowHas() throws {
        for column in ["key", "channel"] {
            for number in [Int64.min, -1, 0, Int64.max] {
                let store = try newStore()
                let channel = try store.channels.key("c")
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
        let channel = try store.channels.key("c")
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

    /// Messages that are close together in time get rows far behind it, so a page has to read all of them; but each
    /// once.
    func testAPageOfABurstReadsEachMessageOnce() throws {
        var costs: [Int64] = []
        for count in [1000, 4000] as [Int64] {
            let store = try newStore()
            let channel = try store.channels.key("c")
            let index = try SearchIndex(store, read: SearchIndexTests.read)
            try store.upsert((1...count).map { message($0, "word", at: 1_600_000_000_000 + $0) }, channel: channel)
            try finish(index)
            while try index.merge(pages: 1000) {}
            _ = store.connection.takeSteps()
            var walk = SearchWalk(scope("word"))
            var found = 0
            while found < 20, !walk.isAtEnd { found += try walk.step(rows: 20, index).count }
            XCTAssertGreaterThanOrEqual(found, 20)
            costs.append(store.connection.takeSteps())
        }
        XCTAssertLessThan(Double(costs[1]) / Double(costs[0]), 6)
    }

    /// Makes the table `search_range` take any type, as a damaged byte does.
    private static let typeless = """
        ALTER TABLE search_range RENAME TO was;
        CREATE TABLE search_range (version, low, high, spill, sum);
        INSERT INTO search_range SELECT version, low, high, spill, sum FROM was;
        DROP TABLE was;
        """

    func testAnIndexThatFindsNothingIsNotOpened() throws {
        for damage in [
            "UPDATE search_found_data SET block = x'' WHERE id = 10", "DELETE FROM message WHERE key = 2",
            "\(SearchIndexTests.typeless) UPDATE search_range SET high = high | 1024",
            "\(SearchIndexTests.typeless) UPDATE search_range SET spill = spill | 1 << 40",
            "UPDATE search_range SET high = high | 1024",
        ] {
            let folder = try newFolder()
            var store = try CacheStore(directory: folder.path, now: 0)
            let channel = try store.channels.key("c")
            let index = try SearchIndex(store, read: SearchIndexTests.read)
            try store.upsert((1...2).map { message($0, "one", at: $0 * 1000) }, channel: channel)
            try finish(index)
            store.close()
            store = try CacheStore(directory: folder.path, now: 0)
            try store.connection.execute(damage)
            XCTAssertThrowsError(try SearchIndex(store, read: SearchIndexTests.read), damage) { error in
                guard case StoreError.failed(Connection.damagedIndex, _) = error else { return XCTFail("\(error)") }
            }
            try drop(store)
            let new = try SearchIndex(store, read: SearchIndexTests.read)
            try finish(new)
            XCTAssertFalse(try texts("one", new).isEmpty)
        }
    }

    /// The schema does not know the table any more.
    private static func lost(_ table: String) -> String {
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(table)'; PRAGMA writable_schema = OFF;"
    }

    /// However damaged an index is, it goes, and the next one works.
    func testADamagedIndexGoes() throws {
        for damage in [
            "DELETE FROM search_found_data", "UPDATE search_found_data SET block = x'ff' WHERE id = 10",
            "DELETE FROM search_found_config", "DELETE FROM search_found_idx", "DELETE FROM search_range",
            "UPDATE search_place SET row = -row", "UPDATE search_found_data SET block = x'' WHERE id = 10",
            "\(SearchIndexTests.typeless) UPDATE search_range SET spill = 'x'",
            "\(SearchIndexTests.typeless) UPDATE search_range SET low = low + 1",
            "DROP TABLE search_range", "ALTER TABLE search_range RENAME TO other", "DROP TABLE search_place",
            "DROP TABLE search_again", "DROP TABLE search_found", SearchIndexTests.lost("search_found"),
            SearchIndexTests.lost("search_found_data"), SearchIndexTests.lost("search_found_idx"),
            SearchIndexTests.lost("search_found_config"),
            "ALTER TABLE search_range RENAME COLUMN low TO other",
            "ALTER TABLE search_place RENAME COLUMN key TO other",
            "ALTER TABLE search_again RENAME COLUMN key TO other",
            "ALTER TABLE search_found_data RENAME COLUMN block TO other",
            "ALTER TABLE search_found_idx RENAME COLUMN pgno TO other",
            "ALTER TABLE search_found_config RENAME COLUMN v TO other",
        ] {
            let folder = try newFolder()
            var store = try CacheStore(directory: folder.path, now: 0)
            let channel = try store.channels.key("c")
            var index = try SearchIndex(store, read: SearchIndexTests.read)
            try store.upsert((1...50).map { message($0, "one", at: $0) }, channel: channel)
            try finish(index)
            XCTAssertFalse(try SearchIndex.isOutdated(store), "an index that was just made")
            // They are of this connection, and SQLite would refuse to rename a column under them.
            if damage.contains("RENAME COLUMN") { try SearchIndex.dropTriggers(store.connection) }
            try store.connection.execute(damage)
            store.close()
            store = try CacheStore(directory: folder.path, now: 0)
            let isPart = damage.hasPrefix("DROP TABLE") || damage.hasSuffix("OFF;") || damage.contains("RENAME COLUMN")
            if isPart { XCTAssertTrue(try SearchIndex.isOutdated(store), damage) }
            try drop(store)
            XCTAssertFalse(try SearchIndex.isOutdated(store), damage)
            index = try SearchIndex(store, read: SearchIndexTests.read)
            try finish(index)
            XCTAssertEqual(try texts("one", index).count, 50, damage)
        }
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
            var keys = try ["c", "d"].map { try store.channels.key(ChannelURL($0)) }
            keys.append(try store.threads.key(channel: keys[0], parentID: "1"))
            func open() throws -> SearchIndex {
                let index = try SearchIndex(store, read: SearchIndexTests.read)
                index.manyMessages = Int64(seed % 4 + 1)
                return index
            }
            var index = Bool.random(using: &random) ? try open() : nil
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
                case 7 where Int.random(in: 0..<8, using: &random) == 0:
                    try store.clearMessages(channel: Bool.random(using: &random) ? key : nil)
                case 8: if let index { _ = try index.merge(pages: 16) }
                default:
                    if let index {
                        _ = try work(index, rows: Int.random(in: 1...5, using: &random))
                    } else {
                        index = try open()
                    }
                }
            }
            let whole = try index ?? SearchIndex(store, read: SearchIndexTests.read)
            try finish(whole)
            let messages = try keys.map { try store.messageReferences(channel: $0, from: .first, through: .last).count }
            XCTAssertEqual(try rows(store), Int64(messages.reduce(0, +)), "seed \(seed)")
            for _ in 0..<4 {
                let query = Bool.random(using: &random) ? text() : String(word().prefix(2))
                var asked = SearchQuery(query)
                asked.isPrefix = Bool.random(using: &random)
                if Int.random(in: 0..<3, using: &random) == 0 { asked.channelURLs = ["d", "nowhere"] }
                if Int.random(in: 0..<3, using: &random) == 0 { asked.filter.senderIDs = ["al"] }
                if Int.random(in: 0..<4, using: &random) == 0 { asked.filter.customTypes = ["bo"] }
                if Int.random(in: 0..<3, using: &random) == 0 { asked.times = 1_600_000_002_000...1_600_000_006_000 }
                let scope = SearchScope(asked)
                let told = try self.found(scope, whole, rows: Int.random(in: 1...6, using: &random)).map(\.place)
                XCTAssertEqual(Set(told.map(\.id)), try scanned(scope, keys, store), "seed \(seed)")
                XCTAssertEqual(told, told.sorted(by: >), "seed \(seed)")
                let pages = try paged(
                    scope, whole, rows: Int.random(in: 1...6, using: &random),
                    page: Int.random(in: 1...4, using: &random))
                XCTAssertEqual(pages.map(\.place), told, "seed \(seed)")
                found += told.count
            }
        }
        XCTAssertGreaterThan(found, 100)
    }

    /// The same by looking at every message.
    private func scanned(_ scope: SearchScope, _ keys: [Int64], _ store: CacheStore) throws -> Set<ResultID> {
        var result = Set<ResultID>()
        var seen = Set<ResultID>()
        for (key, url) in zip(keys, ["c", "d", "c"] as [ChannelURL]) {
            for reference in try store.messageReferences(channel: key, from: .first, through: .last) {
                let message = try XCTUnwrap(try store.message(id: reference.id, channel: key))
                let id = ResultID(url, message.id)
                // A reply that is in the channel, too, is the channel's.
                guard seen.insert(id).inserted else { continue }
                let text = message.json.withUnsafeBytes { SearchIndexTests.read($0) }
                let query = scope.query
                guard query.channelURLs.isEmpty || query.channelURLs.contains(url), query.filter.matches(message),
                    query.times.contains(text.time), scope.question.match(text.text) != nil
                else { continue }
                result.insert(id)
            }
        }
        return result
    }
}
