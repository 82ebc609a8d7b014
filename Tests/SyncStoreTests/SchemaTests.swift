import CSQLite
import Foundation
import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

final class SchemaTests: XCTestCase {
    private func statements(_ sql: String) -> [String] {
        sql.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n").split(separator: ";")
            .map {
                // SQLite adds a column behind a line's end.
                $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    .replacingOccurrences(of: " ,", with: ",").replacingOccurrences(of: " )", with: ")")
            }.filter { !$0.isEmpty }.sorted()
    }

    private func rows(_ connection: Connection, _ sql: String, column: Int32 = 0) throws -> [String] {
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        var result: [String] = []
        while try statement.next() { result.append(statement.text(column)) }
        return result
    }

    /// docs/schema.sql is what the library really makes.
    func testDocumentedSchemaIsTheRealOne() throws {
        let folder = try Folder()
        try CacheStore(directory: folder.path, now: 0).close()
        try IntentStore(directory: folder.path).close()
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../docs/schema.sql")
        let documented = try String(contentsOf: page, encoding: .utf8)
        var real: [String] = []
        for file in ["cache.db", "intents.db"] {
            let connection = try Connection(path: folder.path + "/" + file, safety: .normal, pageSize: 4096)
            real += try rows(
                connection, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            ).flatMap(statements)
            let version = try rows(connection, "PRAGMA user_version")[0]
            XCTAssert(documented.contains("-- \(file) (user_version \(version))"), "\(file): \(version)")
        }
        XCTAssertEqual(statements(documented), real.sorted())
    }

    /// A new file is made at once; it is as one that every version has migrated, down to the order of the columns.
    func testANewFileIsAsAMigratedOne() throws {
        for (migrations, whole) in [
            (CacheSchema.migrations, CacheSchema.whole), (IntentSchema.migrations, IntentSchema.whole),
        ] {
            var seen: [[String]] = []
            for whole in [whole, nil] {
                var settings = StoredFile.cache.settings(nil)
                settings.isPrivate = false
                settings.gathersLog = false
                let connection = try Connection(path: Connection.inMemory, settings)
                try connection.migrate(migrations, whole: whole)
                XCTAssertEqual(try connection.schemaVersion(), Int64(migrations.count))
                // Migrated caches also have SQLite's table of sequences, which is not used any more.
                let all = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
                seen.append(
                    try rows(connection, all).flatMap(statements)
                        .map { $0.replacingOccurrences(of: "\"", with: "") }.sorted())
            }
            XCTAssertEqual(seen[0], seen[1])
            XCTAssertGreaterThan(seen[0].count, 5)
        }
    }

    func testPromisesOfTheTwoFilesAreSetInSQLite() throws {
        let folder = try Folder()
        let cache = try CacheStore(directory: folder.path, now: 0)
        let intents = try IntentStore(directory: folder.path)
        XCTAssertEqual(try rows(cache.connection, "PRAGMA journal_mode"), ["wal"])
        XCTAssertEqual(try rows(cache.connection, "PRAGMA synchronous"), ["1"])
        XCTAssertEqual(try rows(intents.connection, "PRAGMA journal_mode"), ["wal"])
        XCTAssertEqual(try rows(intents.connection, "PRAGMA synchronous"), ["2"])
        let tables = "SELECT name FROM pragma_table_list WHERE NOT strict AND name NOT LIKE 'sqlite_%'"
        XCTAssertEqual(try rows(cache.connection, tables), [])
        XCTAssertEqual(try rows(intents.connection, tables), [])
    }

    /// A file of the first schema is brought up to date with what it holds.
    func testOldSchemaIsMigrated() throws {
        let folder = try Folder()
        do {
            let old = try Connection(path: folder.path + "/cache.db", safety: .normal, pageSize: 4096)
            try old.migrate(Array(CacheSchema.migrations.prefix(1)))
            try old.prepare("INSERT INTO meta (key, value) VALUES ('a', 'b')").run()
            old.shut()
        }
        let cache = try CacheStore(directory: folder.path, now: 0)
        XCTAssertNil(cache.setAsideAs)
        XCTAssertEqual(try cache.value("a"), "b")
        XCTAssertEqual(try rows(cache.connection, "PRAGMA user_version"), ["\(CacheSchema.migrations.count)"])
        XCTAssertEqual(
            try rows(cache.connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'channel_by_name'"), ["1"])
    }

    func testFileOfALaterVersionIsRefusedAndKept() throws {
        let folder = try Folder()
        do {
            let store = try CacheStore(directory: folder.path, now: 0)
            try store.setValue("a", "b")
            try store.connection.execute("PRAGMA user_version = 99")
            store.close()
            let intents = try IntentStore(directory: folder.path)
            try intents.connection.execute("PRAGMA user_version = 98")
            intents.close()
        }
        let before = try Data(contentsOf: folder.url("cache.db"))
        XCTAssertThrowsError(try CacheStore(directory: folder.path, now: 0)) { error in
            XCTAssertEqual(
                error as? StoreError, .newerSchema(found: 99, known: Int64(CacheSchema.migrations.count)))
        }
        XCTAssertThrowsError(try IntentStore(directory: folder.path)) { error in
            XCTAssertEqual(
                error as? StoreError, .newerSchema(found: 98, known: Int64(IntentSchema.migrations.count)))
        }
        XCTAssertEqual(try Data(contentsOf: folder.url("cache.db")), before)
    }

    /// Whatever the stores run is looked at, as they run it: none looks at more rows than it needs, and none sorts.
    func testEveryStatementWalksAnIndex() throws {
        let folder = try Folder()
        let cache = try CacheStore(directory: folder.path, now: 0)
        let intents = try IntentStore(directory: folder.path)
        let channel = ChannelRecord(url: "c", name: "n", json: Array("{\"channel_url\":\"c\",\"name\":\"n\"}".utf8))
        let position = MessagePosition(order: 1, tie: 1)
        let key = try cache.channels.key("c")
        try cache.channels.upsert([channel])
        // In each way in which a channel that is there can differ.
        for changed in ["{\"channel_url\":\"c\",\"name\":\"n\",\"data\":\"\"}",
            "{\"channel_url\":\"c\",\"name\":\"n\",\"last_message\":{\"message_id\":1,\"created_at\":1}}",
            "{\"channel_url\":\"c\",\"name\":\"m\"}"]
        {
            try cache.channels.upsert([try XCTUnwrap(ChannelRecord(json: Array(changed.utf8)))])
        }
        _ = try cache.channels.channel("c")
        _ = try cache.channels.urls()
        for order in ChannelQuery.Order.allCases where order != .metadataValueAlphabetical {
            var query = ChannelQuery()
            query.order = order
            _ = try cache.channels.matching(query: query, userID: "u", after: nil, limit: 5)
            _ = try cache.channels.matching(query: query, userID: "u", after: channel, limit: 5)
        }
        try cache.upsert([message(1, at: 1)], channel: key)
        try cache.upsert([message(1, at: 2)], channel: key)
        _ = try cache.message(id: "1", channel: key)
        _ = try cache.messagesBefore(position, notBefore: .first, channel: key, filter: everything, limit: 5)
        _ = try cache.messagesAfter(position, notAfter: .last, channel: key, filter: everything, limit: 5)
        _ = try cache.messageReferences(channel: key, from: .first, through: .last)
        _ = try cache.messageCount(channel: key, from: .first, through: .last)
        try cache.deleteMessages(ids: ["1"], channel: key)
        try cache.deleteMessages(channel: key, before: 1)
        try cache.chunks.set(
            channel: key, [StoredChunk(start: position, end: position, reachedFirst: true, isOpenEnded: true)])
        _ = try cache.chunks.of(channel: key)
        try cache.chunks.set(channel: key, [])
        try cache.setValue("a", "b")
        _ = try cache.value("a")
        try cache.setValue("messages.changes.\(key)", "t")
        try cache.upsert([message(1, at: 1)], channel: key)
        try cache.chunks.set(
            channel: key, [StoredChunk(start: position, end: position, reachedFirst: true, isOpenEnded: true)])
        try cache.threads.copy(cache.threads.key(channel: key, parentID: "1"), parentID: "1", from: key)
        XCTAssertEqual(try cache.threads.of(channel: key).map(\.key), [-1])
        let relation = Relation(id: "r", target: "1", kind: "k", order: 1, json: Array("{}".utf8))
        try cache.relations.upsert([relation], channel: key)
        try cache.relations.upsert([relation], channel: key)
        try cache.relations.delete(of: "1", channel: key)
        try cache.counts.use(channel: key, at: 9_000_000)
        try cache.clearMessages(channel: key)
        try cache.channels.delete("c")
        let instance = DatabaseInstance(url: "u", name: "n")
        let place = DatabasePlace(instance, path: "/a/b")
        cache.databaseValues.valuesLimit = 1
        for json in ["1", "1", "2"] { try cache.databaseValues.keep(Array(json.utf8), at: place) }
        try cache.databaseValues.keep(Array("3".utf8), at: DatabasePlace(instance, path: "/a", query: "q"))
        _ = try cache.databaseValues.places(in: instance, touching: "/a")
        _ = try cache.databaseValues.value(at: place)
        try cache.databaseValues.use(at: DatabasePlace(instance, path: "/a", query: "q"))
        try cache.databaseValues.drop(at: place)
        try intents.add(DatabaseWrite(id: 1, path: "/a", kind: 0, body: []), to: instance)
        _ = try intents.databaseWrites(to: instance)
        try intents.removeDatabaseWrite(1, of: instance)
        try intents.update(
            try intents.add(channelURL: "c", requestID: "r", createdAt: 0, body: [], isHostSent: false))
        try intents.connection.execute("UPDATE intent SET checksum = 0")
        _ = try intents.intents()
        try intents.setAsideDamaged()
        try intents.remove(requestID: "r")

        // Two rows at most, looked at when a file is opened, and the number of rows of the outbox, which are all read
        // then. A table without row ids is its own index.
        func isOfOpening(_ sql: String) -> Bool {
            sql.hasPrefix("SELECT key FROM meta ORDER BY key ") || sql.hasPrefix("SELECT channel FROM chunk ORDER BY ")
                || sql.hasPrefix("SELECT channel_url FROM notice_mark ORDER BY ")
                || (sql.hasPrefix("SELECT * FROM") && sql.hasSuffix(" LIMIT 1")) || sql.contains("FROM sqlite_s")
                || sql.hasSuffix(" LIMIT 0") || sql.hasPrefix("SELECT (SELECT count(*) FROM ")
        }
        let words = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        var searched = 0
        for connection in [cache.connection, intents.connection] {
            for sql in connection.preparedSQL where words.contains(where: sql.hasPrefix) && !isOfOpening(sql) {
                let plan = try rows(connection, "EXPLAIN QUERY PLAN " + sql, column: 3)
                // A list from its start, and all of the outbox, are walks of what is wanted in its order.
                let isWalk = sql.contains("ORDER BY")
                    && (!sql.contains("WHERE") || sql.contains("WHERE is_cached = 1 ORDER BY"))
                for line in plan {
                    XCTAssertFalse(line.contains("TEMP B-TREE"), "\(sql): \(line)")
                    guard !line.hasPrefix("SEARCH"), line.hasPrefix("SCAN") else { continue }
                    let isOfRows = !line.contains("subquery") && line != "SCAN CONSTANT ROW"
                    XCTAssert(isWalk || !isOfRows, "\(sql): \(line)")
                    if isWalk, connection === cache.connection {
                        XCTAssert(
                            line.contains("USING INDEX") || line.contains("USING COVERING INDEX"), "\(sql): \(line)")
                    }
                }
                if plan.contains(where: { $0.hasPrefix("SEARCH") }) { searched += 1 }
            }
        }
        XCTAssertGreaterThan(searched, 30)
    }

    /// The same calls cost the same number of steps in a cache of a hundred messages and channels and in one of thirty
    /// times as many.
    func testCallsCostTheSameInALargeCache() throws {
        func steps(_ count: Int64) throws -> [Int64] {
            let folder = try Folder()
            let cache = try CacheStore(directory: folder.path, now: 0)
            func channel(_ number: Int64) throws -> ChannelRecord {
                let json = """
                    {"channel_url":"c\(number)","name":"n\(number)","created_at":\(number),\
                    "last_message":{"message_id":\(number),"created_at":\(number)}}
                    """
                return try XCTUnwrap(ChannelRecord(json: Array(json.utf8)))
            }
            try cache.channels.upsert((1000..<1000 + count).map(channel))
            let key = try cache.channels.key("c1050")
            try cache.upsert((1000..<1000 + count).map { message($0, at: $0) }, channel: key)
            func relation(_ number: Int64) -> Relation {
                Relation(id: "r\(number)", target: "\(number)", kind: "k", order: 1, json: Array("{}".utf8))
            }
            try cache.relations.upsert((1000..<1000 + count).map(relation), channel: key)
            for other in 0..<count { _ = try cache.channels.key("other \(other)") }
            let instance = DatabaseInstance(url: "u", name: "n")
            func place(_ number: Int64) -> DatabasePlace { DatabasePlace(instance, path: "/c/\(number)") }
            cache.databaseValues.valuesLimit = 10_000
            for number in 1000..<1000 + count { try cache.databaseValues.keep(Array("[0]".utf8), at: place(number)) }
            let middle = MessagePosition(order: 1050, tie: 1050)
            let chunk = StoredChunk(start: middle, end: middle, reachedFirst: false, isOpenEnded: true)
            try cache.chunks.set(channel: key, [chunk])
            var typed = everything
            typed.type = .user
            let calls: [() throws -> Void] = [
                {
                    _ = try cache.messagesBefore(
                        middle, notBefore: .first, channel: key, filter: everything, limit: 30)
                },
                { _ = try cache.messagesAfter(middle, notAfter: .last, channel: key, filter: typed, limit: 30) },
                { _ = try cache.message(id: "1050", channel: key) },
                {
                    _ = try cache.messageReferences(
                        channel: key, from: middle, through: MessagePosition(order: 1060, tie: 1060))
                },
                {
                    _ = try cache.messageCount(
                        channel: key, from: MessagePosition(order: 1010, tie: 0), through: middle)
                },
                { try cache.upsert([message(9_999, at: 9_999)], channel: key) },
                { try cache.upsert([message(1050, at: 1050, text: "edited")], channel: key) },
                { try cache.upsert([message(1050, at: 1051, text: "moved")], channel: key) },
                { try cache.channels.upsert([try channel(1050)]) },
                { try cache.channels.upsert([try channel(99_999)]) },
                // Not the one that was just written, which is in memory.
                { _ = try cache.channels.channel("c1060") },
                { _ = try cache.channels.key("c1050") },
                { _ = try cache.chunks.of(channel: key) },
                { try cache.chunks.set(channel: key, []) },
                { try cache.deleteMessages(ids: ["1050"], channel: key) },
                { try cache.deleteMessages(channel: key, before: 1010) },
                { try cache.relations.upsert([relation(9_999)], channel: key) },
                { try cache.relations.delete(of: "1050", channel: key) },
                { try cache.counts.use(channel: key, at: 9_000_000) },
                { try cache.setValue("a", "b") },
                { try cache.databaseValues.keep(Array("[1]".utf8), at: place(1050)) },
                { try cache.databaseValues.keep(Array("[2]".utf8), at: place(99_999)) },
                { _ = try cache.databaseValues.value(at: place(1050)) },
                { try cache.databaseValues.use(at: place(1050)) },
                { _ = try cache.databaseValues.places(in: instance, touching: "/c/1050/d") },
            ] + ChannelQuery.Order.allCases.filter { $0 != .metadataValueAlphabetical }.map { order in
                {
                    var query = ChannelQuery()
                    query.order = order
                    _ = try cache.channels.matching(query: query, userID: "u", after: nil, limit: 20)
                    _ = try cache.channels.matching(query: query, userID: "u", after: try channel(1050), limit: 20)
                }
            }
            _ = cache.connection.takeSteps()
            return try calls.map { call in
                try call()
                XCTAssertFalse(cache.connection.hasUnfinishedStatement)
                return cache.connection.takeSteps()
            }
        }
        let small = try steps(100)
        XCTAssert(small.allSatisfy { $0 > 0 }, "\(small)")
        XCTAssertEqual(small, try steps(3000))
    }

    /// The near end of a page is found by the index, and the walk stops at the far end.
    func testAPageIsOneRangeOfAnIndex() throws {
        let folder = try Folder()
        let cache = try CacheStore(directory: folder.path, now: 0)
        _ = try cache.messagesBefore(.last, notBefore: .first, channel: 1, filter: everything, limit: 1)
        _ = try cache.messagesAfter(.first, notAfter: .last, channel: 1, filter: everything, limit: 1)
        let pages = cache.connection.preparedSQL.filter { $0.contains("FROM message WHERE") && $0.contains("ORDER BY") }
        XCTAssertEqual(pages.count, 2)
        for sql in pages {
            let bound = sql.contains("DESC") ? "(ord,tie)<(?,?)" : "(ord,tie)>(?,?)"
            XCTAssertEqual(
                try rows(cache.connection, "EXPLAIN QUERY PLAN " + sql, column: 3),
                ["SEARCH message USING INDEX message_by_position (channel=? AND \(bound))"])
        }
    }
}
