import Foundation
import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

/// Two rows that changed one value with each other, for each column of each table: what is read is what it was, or the
/// damage is seen, or the column stands among those of which it is known that it is not.
final class SwappedColumnTests: XCTestCase {
    /// What is read differs and nobody sees it (docs/durability.md says what that does).
    private let unseen: Set<String> = [
        // Nothing is found under the place, as if nothing were kept.
        "database_value.url", "database_value.name", "database_value.path", "database_value.query",
    ]

    private let urls = ["a", "b", "c"]
    private let names = ["messages.changes.1", "messages.changes.2", "channels.token"]
    private let places = (1...3).map { number in
        DatabasePlace(
            DatabaseInstance(url: "u\(number % 2)", name: "n\(number % 2)"), path: "/\(number)",
            query: number == 1 ? "" : "q\(number)")
    }

    private func message(_ number: Int64, in thread: String) -> MessageRecord {
        let isOdd = number % 2 == 1
        return MessageRecord(
            id: "\(number)", position: MessagePosition(order: 100 + number, tie: 200 + number),
            updatedAt: 300 + number, kind: isOdd ? .user : .file, customType: "type\(number)",
            senderID: "sender\(number)", parentID: MessageID(thread), isReplyToChannel: isOdd, isSilent: !isOdd,
            requestID: "request\(number)", json: Array("{\"message_id\":\(number)}".utf8))
    }

    private func relation(_ number: Int64, of target: String) -> Relation {
        Relation(
            id: "r\(number)", target: MessageID(target), kind: "kind\(number)", name: "name\(number)",
            senderID: "sender\(number)", order: 500 + number, json: Array("{\"r\":\(number)}".utf8))
    }

    /// `withAll`: also what files of schema 8 and before do not have.
    private func fillCache(_ store: CacheStore, withAll: Bool = true) throws {
        try store.channels.upsert([
            #"{"channel_url":"a","name":"second","created_at":7,"last_message":{"message_id":1,"created_at":9000}}"#,
            #"{"channel_url":"b","name":"first","created_at":8}"#,
        ].map { try XCTUnwrap(ChannelRecord(json: Array($0.utf8))) })
        let keys = try urls.map { try store.channels.key(ChannelURL($0)) }
        try store.upsert([message(1, in: ""), message(2, in: "1")], channel: keys[0])
        try store.upsert([message(3, in: "")], channel: keys[1])
        for (number, (key, parent)) in [(keys[0], "1"), (keys[0], "2"), (keys[1], "3")].enumerated() {
            let thread = try store.threads.key(channel: key, parentID: MessageID(parent))
            try store.upsert([message(Int64(10 + number), in: parent)], channel: thread)
        }
        func edge(_ number: Int64) -> HistoryEdge {
            HistoryEdge(MessagePosition(order: number, tie: 1000 - number), token: "token\(number)")
        }
        try store.chunks.set(channel: keys[0], [
            StoredChunk(start: edge(1), end: edge(2), reachedFirst: true, isOpenEnded: false),
            StoredChunk(start: edge(3), end: edge(4), reachedFirst: false, isOpenEnded: true),
        ])
        try store.chunks.set(channel: keys[1], [
            StoredChunk(start: edge(5), end: edge(6), reachedFirst: false, isOpenEnded: false)
        ])
        for (number, (key, target)) in [(keys[0], "1"), (keys[0], "2"), (keys[1], "3")].enumerated() where withAll {
            try store.relations.upsert([relation(Int64(number), of: target)], channel: key)
            try store.counts.use(channel: keys[number], at: 10_000_000 * Int64(number + 1))
        }
        if withAll { try fillNotices(store) }
        for (number, name) in names.enumerated() { try store.setValue(name, "\(number)") }
        for (number, place) in places.enumerated() {
            try store.databaseValues.keep(Array("[\(String(repeating: "1", count: number + 1))]".utf8), at: place)
        }
    }

    private func fillNotices(_ store: CacheStore) throws {
        for (number, url) in urls.enumerated() {
            let missed = MissedNotices(count: Int64(number), mayBeMore: number == 1)
            let place = MessagePosition(order: 700 + Int64(number), tie: 800 + Int64(number))
            try store.notices.add(
                StoredNotice(
                    channelURL: ChannelURL(url), messageID: "n\(number)", position: place, isMention: number == 2,
                    missed: missed, json: Array("{\"n\":\(number)}".utf8)),
                now: 5)
            var mark = NoticeMark()
            mark.position = number == 0 ? nil : place
            mark.isWanted = number == 1
            mark.missed = missed
            try store.notices.set(mark, of: ChannelURL(url))
        }
    }

    /// All that can be read, by what hosts and services name, not by keys of the file.
    private func readCache(_ store: CacheStore) throws -> String {
        var lines: [String] = []
        for order in ChannelQuery.Order.allCases where order != .metadataValueAlphabetical {
            var query = ChannelQuery()
            query.order = order
            for limit in [1, 9] {
                let channels = try store.channels.matching(query: query, userID: "me", after: nil, limit: limit)
                lines.append("\(order): \(channels)")
                if let last = channels.last {
                    lines.append("\(try store.channels.matching(query: query, userID: "me", after: last, limit: 9))")
                }
            }
        }
        for url in urls {
            lines.append("\(url): \(String(describing: try store.channels.channel(ChannelURL(url))))")
            guard let channel = try store.channels.keyIfKnown(ChannelURL(url)) else { continue }
            lines.append("\(url) takes \(String(describing: try store.counts.usage(channel: channel)))")
            for number in 1...3 {
                lines.append("\(url) \(number): \(try store.relations.relations(of: "\(number)", channel: channel))")
                let relation = try store.relations.relation(id: "r\(number - 1)", channel: channel)
                lines.append("\(String(describing: relation))")
            }
            let threads = try ["1", "2", "3"].map { try store.threads.keyIfKnown(channel: channel, parentID: $0) }
            for (number, key) in ([channel] + threads).enumerated() {
                guard let key else { continue }
                let page = try store.messagesBefore(
                    .last, notBefore: .first, channel: key, filter: everything, limit: 9)
                let messages = try page.map { try store.message(id: $0.id, channel: key) }
                lines.append("\(url) \(number): \(page) \(messages) \(try store.chunks.of(channel: key))")
            }
        }
        lines.append("\(try store.notices.notices(after: 0, limit: 9)) \(try store.notices.wanted())")
        for url in urls { lines.append("\(url) is told up to \(try store.notices.mark(ChannelURL(url)))") }
        for name in names { lines.append("\(name): \(try store.value(name) ?? "-")") }
        for place in places { lines.append("\(place): \(try store.databaseValues.value(at: place) ?? [])") }
        return lines.joined(separator: "\n")
    }

    private func fillIntents(_ store: IntentStore) throws {
        for number in 1...3 as ClosedRange<Int64> {
            var intent = try store.add(
                channelURL: "channel\(number)", requestID: "request\(number)", createdAt: number,
                body: Array("{\"n\":\(number)}".utf8), isHostSent: number == 3)
            intent.status = [.pending, .failed, .accepted][Int(number) - 1]
            intent.messageID = number == 3 ? "m3" : nil
            intent.errorCode = Int(number)
            intent.retryCount = Int(number) + 10
            try store.update(intent)
            let write = DatabaseWrite(
                id: number * 2, path: "/\(number)", kind: number - 1, body: Array("\(number)".utf8))
            try store.add(write, to: places[Int(number) - 1].instance)
            try store.keep("value\(number)", as: "name\(number)")
            try store.keep(StoredDraft(
                channelURL: "channel\(number)", parentID: MessageID("\(number)"), updatedAt: number,
                body: Array("{\"message\":\"\(number)\"}".utf8)))
        }
    }

    /// `nil`: something was told as lost.
    private func readIntents(_ store: IntentStore) throws -> String? {
        let intents = try store.intents().map { intent in
            var intent = intent
            intent.id = 0
            return intent
        }
        let writes = try places.map { try store.databaseWrites(to: $0.instance) }
        guard let kept = try? (1...3).map({ try store.kept("name\($0)") }) else { return nil }
        let drafts = try store.drafts().sorted { $0.channelURL < $1.channelURL }
        return store.takeLost().count > 0 ? nil : "\(intents) \(writes) \(kept) \(drafts)"
    }

    /// `false` when both rows have the same there.
    private func swap(_ file: String, _ table: String, _ column: String, _ first: Int, _ second: Int) throws -> Bool {
        let connection = try Connection(path: file, safety: .normal, pageSize: 4096)
        defer { connection.shut() }
        try connection.execute("CREATE TEMP TABLE old AS SELECT * FROM \(table)")
        let columns = try strings(connection, "SELECT name FROM pragma_table_info('\(table)')")
        func value(_ row: Int) -> String { "(SELECT \(column) FROM old WHERE rowid = \(row))" }
        guard try strings(connection, "SELECT \(value(first)) IS \(value(second))") == ["0"] else { return false }
        let values = columns.map { name in
            guard name == column else { return name }
            return "CASE rowid WHEN \(first) THEN \(value(second)) WHEN \(second) THEN \(value(first)) ELSE \(name) END"
        }.joined(separator: ", ")
        try connection.execute("DELETE FROM \(table)")
        try connection.execute(
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT \(values) FROM old ORDER BY rowid")
        return true
    }

    private func strings(_ connection: Connection, _ sql: String) throws -> [String] {
        let row = try connection.prepare(sql)
        defer { row.reset() }
        var result: [String] = []
        while try row.next() { result.append(row.text(0)) }
        return result
    }

    /// Each column of each table that has three rows. `read` says `nil` for damage that was seen.
    private func check(_ file: String, _ pristine: Folder, _ read: (Folder) throws -> String?) throws {
        let expected = try XCTUnwrap(read(pristine.copied()))
        let copy = try pristine.copied()
        let connection = try Connection(path: copy.path + "/" + file, safety: .normal, pageSize: 4096)
        let tables = try strings(connection, """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                AND name NOT LIKE 'damaged_%'
            """)
        for table in tables {
            XCTAssertEqual(try strings(connection, "SELECT count(*) FROM \(table) HAVING count(*) > 2").count, 1, table)
            for column in try strings(connection, "SELECT name FROM pragma_table_info('\(table)')") {
                var (swaps, silent) = (0, 0)
                for (first, second) in [(1, 2), (1, 3), (2, 3)] {
                    let folder = try pristine.copied()
                    guard try swap(folder.path + "/" + file, table, column, first, second) else { continue }
                    swaps += 1
                    if let found = try read(folder), found != expected { silent += 1 }
                }
                XCTAssertGreaterThan(swaps, 0, "\(table).\(column) is the same in all rows")
                XCTAssertEqual(silent > 0, unseen.contains("\(table).\(column)"), "\(table).\(column): \(silent)")
            }
        }
    }

    func testCache() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try fillCache(store)
        store.close()
        try check("cache.db", folder) { folder in
            let store = try CacheStore(directory: folder.path, now: 1)
            defer { store.close() }
            guard store.setAsideAs == nil else { return nil }
            do {
                let found = try readCache(store)
                return store.takeDamage() == nil ? found : nil
            } catch {
                guard case .corrupt? = error as? StoreError else { throw error }
                return nil
            }
        }
    }

    /// Files of schemas 6 to 8 with the same, made by the libraries of that time: the checksums of 6 covered the JSON
    /// of channels and no key, those of 7 no cursor, and none of their rows counts as damaged. 8 had no counts: they
    /// are what a new file has.
    func testTheCacheBefore() throws {
        for name in ["cache-6.db", "cache-7.db", "cache-8.db"] { try checkTheCacheBefore(name) }
    }

    private func checkTheCacheBefore(_ name: String) throws {
        let (folder, before) = (try Folder(), try fixture(name))
        let store = try CacheStore(directory: folder.path, now: 0)
        try fillCache(store, withAll: false)
        let old = try CacheStore(directory: before.path, now: 0)
        XCTAssertNil(old.setAsideAs)
        XCTAssertEqual(try readCache(old), try readCache(store))
        // What it changes and adds is right, too.
        for store in [store, old] {
            let other = ChannelRecord(json: Array(#"{"channel_url":"b","name":"other"}"#.utf8))
            try store.channels.upsert([XCTUnwrap(other)])
            let key = try store.channels.key("d")
            try store.upsert([message(9, in: "")], channel: try store.threads.key(channel: key, parentID: "1"))
        }
        XCTAssertEqual(try readCache(old), try readCache(store))
        XCTAssertEqual(try old.channels.key("d"), try store.channels.key("d"))
        XCTAssertNil(old.takeDamage())
    }

    /// What was damaged before the migration is damaged behind it, and nothing else is.
    private func checkStaysDamaged(
        by change: String, sound: (CacheStore) throws -> Bool, damaged: (CacheStore) throws -> Bool
    ) throws {
        let folder = try fixture("cache-6.db")
        let connection = try Connection(path: folder.path + "/cache.db", safety: .normal, pageSize: 4096)
        try connection.execute(change)
        XCTAssertEqual(connection.changes, 1)
        connection.shut()
        let store = try CacheStore(directory: folder.path, now: 0)
        XCTAssert(try sound(store))
        XCTAssertThrowsError(try damaged(store)) { error in
            guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
        }
    }

    func testADamagedChannelStaysDamaged() throws {
        try checkStaysDamaged(
            by: "UPDATE channel SET json = replace(json, 'first', 'third') WHERE url = 'b'",
            sound: { try $0.channels.channel("a") != nil }, damaged: { try $0.channels.channel("b") != nil })
    }

    func testADamagedMessageStaysDamaged() throws {
        func holds(_ id: String, in url: String) -> (CacheStore) throws -> Bool {
            { try $0.message(id: MessageID(id), channel: $0.channels.key(ChannelURL(url))) != nil }
        }
        try checkStaysDamaged(
            by: "UPDATE message SET json = replace(json, '3', '4') WHERE id = '3'",
            sound: holds("1", in: "a"), damaged: holds("3", in: "b"))
    }

    /// A cursor that is damaged counts as none, is told, and is written anew; the next opening begins a new file.
    func testADamagedCursorCountsAsNone() throws {
        let folder = try Folder()
        for change in ["value = '7'", "checksum = checksum + 1", "value = CAST(x'ff' AS TEXT)"] {
            var store = try CacheStore(directory: folder.path, now: 0)
            try store.setValue("one", "1")
            try store.setValue("two", "2")
            try store.connection.execute("UPDATE meta SET \(change) WHERE key = 'one'")
            // What else is done in the same transaction is done.
            try store.transaction { () throws(StoreError) in
                XCTAssertNil(try store.value("one"))
                try store.setValue("two", "3")
            }
            XCTAssert(try store.hasValue("one"))
            guard case .corrupt? = store.takeDamage() else { return XCTFail(change) }
            XCTAssertNil(store.takeDamage())
            XCTAssertEqual(try store.value("two"), "3")
            try store.setValue("one", "3")
            XCTAssertEqual(try store.value("one"), "3")
            store.close()
            store = try CacheStore(directory: folder.path, now: 1)
            XCTAssertNotNil(store.setAsideAs)
            XCTAssertFalse(try store.hasValue("one"))
            store.close()
        }
    }

    func testIntents() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        try fillIntents(store)
        store.close()
        try check("intents.db", folder) { folder in
            let store = try IntentStore(directory: folder.path)
            defer { store.close() }
            return try readIntents(store)
        }
    }
}
