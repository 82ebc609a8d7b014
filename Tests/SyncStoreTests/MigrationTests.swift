import Foundation
import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

/// Files of the first build (schema 2 of the cache, 1 of the intents) are brought up to date with all they hold.
///
/// The fixtures were made by the store of commit 629b13f: channels with and without messages, a key without a channel,
/// a deleted channel, least and greatest ids and times, ties, a text of many pages; intents pending, failed, tried
/// before, sent by the host and removed, left in the log as by a kill.
final class MigrationTests: XCTestCase {
    private func raw(_ path: String) throws -> Connection {
        try Connection(path: path, safety: .normal, pageSize: 4096)
    }

    private func rows<Row>(_ connection: Connection, _ sql: String, _ read: (Statement) -> Row) throws -> [Row] {
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        var rows: [Row] = []
        while try statement.next() { rows.append(read(statement)) }
        return rows
    }

    /// What a file of schema 2 holds, read by its own columns.
    private struct Old {
        var meta: [String: String] = [:]
        var keys: [String: Int64] = [:]
        var channels: [[UInt8]] = []
        var messages: [Int64: [MessageRecord]] = [:]
        var chunks: [Int64: [StoredChunk]] = [:]
    }

    private func old(_ connection: Connection) throws -> Old {
        XCTAssertEqual(try connection.schemaVersion(), 2)
        var old = Old()
        for (key, value) in try rows(connection, "SELECT key, value FROM meta", { ($0.text(0), $0.text(1)) }) {
            old.meta[key] = value
        }
        for (key, url) in try rows(connection, "SELECT key, url FROM channel_key", { ($0.int(0), $0.text(1)) }) {
            old.keys[url] = key
        }
        old.channels = try rows(connection, "SELECT json FROM channel ORDER BY url") { $0.bytes(0) }
        let messages = try rows(connection, """
            SELECT channel, created_at, id, updated_at, kind, custom_type, sender_id, parent_id, is_reply_to_channel,
                is_silent, request_id, json FROM message ORDER BY channel, created_at, id
            """) { row in
            (row.int(0), MessageRecord(
                id: "\(row.int(2))", position: MessagePosition(order: row.int(1), tie: row.int(2)),
                updatedAt: row.int(3), kind: MessageRecord.Kind(rawValue: row.int(4)) ?? .user,
                customType: row.text(5), senderID: UserID(row.text(6)),
                parentID: row.int(7) == 0 ? "" : "\(row.int(7))", isReplyToChannel: row.bool(8),
                isSilent: row.bool(9), requestID: RequestID(row.text(10)), json: row.bytes(11)))
        }
        for (channel, message) in messages { old.messages[channel, default: []].append(message) }
        let chunks = try rows(connection, """
            SELECT channel, start_created_at, start_id, end_created_at, end_id, reached_first FROM chunk
            ORDER BY channel, start_created_at, start_id
            """) { row in
            (row.int(0), StoredChunk(
                start: MessagePosition(order: row.int(1), tie: row.int(2)),
                end: MessagePosition(order: row.int(3), tie: row.int(4)), reachedFirst: row.bool(5)))
        }
        for (channel, chunk) in chunks { old.chunks[channel, default: []].append(chunk) }
        return old
    }

    private func compare(_ store: CacheStore, _ old: Old) throws {
        XCTAssertNil(store.setAsideAs)
        XCTAssertEqual(try store.connection.schemaVersion(), Int64(CacheSchema.migrations.count))
        for (key, value) in old.meta { XCTAssertEqual(try store.value(key), value) }
        XCTAssertEqual(try rows(store.connection, "SELECT 1 FROM meta") { _ in 1 }.count, old.meta.count)
        for (url, key) in old.keys { XCTAssertEqual(try store.channels.keyIfKnown(ChannelURL(url)), key, url) }
        let channels = try old.channels.map { try XCTUnwrap(ChannelRecord(json: $0)) }
        XCTAssertEqual(
            Set(try store.channels.urls()), Set(channels.map(\.url)))
        for channel in channels { XCTAssertEqual(try store.channels.channel(channel.url), channel) }
        for order in ChannelQuery.Order.allCases where order != .metadataValueAlphabetical {
            var query = ChannelQuery()
            query.order = order
            query.hiddenChannels = .all
            XCTAssertEqual(
                try store.channels.matching(query: query, userID: "me", after: nil, limit: 100),
                channels.sorted { query.areInIncreasingOrder($0, $1) })
        }
        for (channel, messages) in old.messages {
            XCTAssertEqual(
                try store.messageReferences(channel: channel, from: .first, through: .last), messages.map(\.reference))
            for message in messages { XCTAssertEqual(try store.message(id: message.id, channel: channel), message) }
        }
        XCTAssertEqual(
            try rows(store.connection, "SELECT 1 FROM message") { _ in 1 }.count,
            old.messages.values.reduce(0) { $0 + $1.count })
        for key in old.keys.values { XCTAssertEqual(try store.chunks.of(channel: key), old.chunks[key] ?? []) }
        XCTAssertEqual(
            try rows(store.connection, "SELECT count(*) FROM chunk") { $0.int(0) },
            [Int64(old.chunks.values.reduce(0) { $0 + $1.count })])
        XCTAssertEqual(try rows(store.connection, "PRAGMA integrity_check") { $0.text(0) }, ["ok"])
        // Pages of the present size, and none that the old tables left.
        XCTAssertEqual(try rows(store.connection, "PRAGMA page_size") { $0.int(0) }, [4096])
        XCTAssertEqual(try rows(store.connection, "PRAGMA freelist_count") { $0.int(0) }, [0])
        XCTAssertEqual(try rows(store.connection, "PRAGMA journal_mode") { $0.text(0) }, ["wal"])
    }

    func testCacheKeepsAllItHolds() throws {
        let folder = try fixture("cache-2.db")
        let before = try folder.copied()
        let old = try old(raw(before.path + "/cache.db"))
        XCTAssertGreaterThan(old.messages.values.reduce(0) { $0 + $1.count }, 200)
        XCTAssertGreaterThan(old.chunks.values.map(\.count).max() ?? 0, 1)
        XCTAssertGreaterThan(old.channels.count, 4)
        let store = try CacheStore(directory: folder.path, now: 0)
        try compare(store, old)
        // A channel that is new gets a key that was nobody's.
        XCTAssertFalse(old.keys.values.contains(try store.channels.key("new")))
    }

    /// A file of schema 3, made by the library of commit 2dddaa2: two channels, replies in two threads, one of them in
    /// the channel, too. All of it stays, and its threads can be shown from it.
    func testThreadsAreMadeOfWhatWasCached() throws {
        let folder = try fixture("cache-3.db")
        let before = try folder.copied()
        let columns = "channel, id, ord, tie, parent_id, json"
        func all(_ connection: Connection) throws -> [String] {
            try rows(connection, "SELECT \(columns) FROM message ORDER BY channel, ord, tie") { row in
                (0..<6).map { row.text(Int32($0)) }.joined(separator: "|")
            }
        }
        let connection = try raw(before.path + "/cache.db")
        XCTAssertEqual(try connection.schemaVersion(), 3)
        let old = try all(connection)
        XCTAssertEqual(old.count, 63)
        let replies = try rows(
            connection, "SELECT parent_id, count(*) FROM message WHERE parent_id > '' GROUP BY 1 ORDER BY 2"
        ) { (MessageID($0.text(0)), Int($0.int(1))) }
        XCTAssertEqual(replies.map(\.1), [10, 11])
        connection.shut()

        let store = try CacheStore(directory: folder.path, now: 0)
        XCTAssertNil(store.setAsideAs)
        XCTAssertEqual(try all(store.connection), old)
        let channel = try XCTUnwrap(store.channels.keyIfKnown("c"))
        let changes = try XCTUnwrap(store.value("messages.changes.\(channel)"))
        for (parent, count) in replies {
            let key = try store.threads.key(channel: channel, parentID: parent)
            try store.threads.copy(key, parentID: parent, from: channel)
            var filter = MessageFilter()
            filter.parentID = parent
            let shown = try store.messagesBefore(.last, notBefore: .first, channel: key, filter: filter, limit: 100)
            XCTAssertEqual(shown.count, count)
            XCTAssertNotNil(try store.message(id: parent, channel: key))
            let chunk = try XCTUnwrap(store.chunks.of(channel: key).first)
            XCTAssert(chunk.reachedFirst && !chunk.isOpenEnded)
            XCTAssertEqual(try store.chunks.of(channel: channel).first?.end.position, chunk.end.position)
            XCTAssertEqual(try store.value("messages.changes.\(key)"), changes)
        }
    }

    /// Files of schema 5 of the cache and 3 of the intents, made by the library of commit fd1200f: three channels, a
    /// thread, three values of a database and three writes to it, three messages that wait and one that failed.
    private func present() throws -> Folder { try fixture("cache-5.db", "intents-3.db") }

    private func values(_ connection: Connection) throws -> [(place: DatabasePlace, json: [UInt8])] {
        try rows(connection, "SELECT url, name, path, query, json FROM database_value ORDER BY used") { row in
            let instance = DatabaseInstance(url: row.text(0), name: row.text(1))
            return (DatabasePlace(instance, path: row.text(2), query: row.text(3)), row.bytes(4))
        }
    }

    /// Their checksums did not cover place and size: none of them counts as damaged, whatever its size says.
    func testValuesOfDatabasesAreKept() throws {
        let folder = try present()
        let connection = try raw(folder.path + "/cache.db")
        XCTAssertEqual(try connection.schemaVersion(), 5)
        let old = try values(connection)
        XCTAssertEqual(old.map(\.json.count), [411, 1, 46])
        try connection.execute("UPDATE database_value SET size = 9223372036854775807 WHERE key = 2")
        connection.shut()
        let store = try CacheStore(directory: folder.path, now: 0)
        XCTAssertNil(store.setAsideAs)
        for (place, json) in old { XCTAssertEqual(try store.databaseValues.value(at: place), json) }
        XCTAssertEqual(
            try rows(store.connection, "SELECT size FROM database_value ORDER BY used") { $0.int(0) }, [411, 1, 46])
        try store.databaseValues.keep(Array("7".utf8), at: old[1].place)
        XCTAssertEqual(try store.channels.urls().count, 3)
        for url in try store.channels.urls() { XCTAssertNotNil(try store.channels.channel(url)) }
    }

    /// What was damaged before the migration is damaged behind it.
    func testADamagedValueStaysDamaged() throws {
        let folder = try present()
        let connection = try raw(folder.path + "/cache.db")
        let old = try values(connection)
        try connection.execute("UPDATE database_value SET json = '6' WHERE key = 2")
        connection.shut()
        let store = try CacheStore(directory: folder.path, now: 0)
        XCTAssertEqual(try store.databaseValues.value(at: old[0].place), old[0].json)
        XCTAssertThrowsError(try store.databaseValues.value(at: old[1].place)) { error in
            guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
        }
        XCTAssert(folder.exists("cache.db.damaged"))
    }

    /// Their checksums covered the bodies alone: none of them counts as damaged.
    func testIntentsAndWritesAreKept() throws {
        let folder = try present()
        let before = try folder.copied()
        let old = try raw(before.path + "/intents.db")
        XCTAssertEqual(try old.schemaVersion(), 3)
        let instance = try XCTUnwrap(rows(old, "SELECT url, name FROM database_write LIMIT 1") {
            DatabaseInstance(url: $0.text(0), name: $0.text(1))
        }.first)
        let writes = try rows(old, "SELECT id, path, kind, body FROM database_write ORDER BY id") {
            DatabaseWrite(id: $0.int(0), path: $0.text(1), kind: $0.int(2), body: $0.bytes(3))
        }
        XCTAssertEqual(writes.map(\.kind), [0, 1, 2])
        let messages = try rows(old, "SELECT request_id, status, body FROM intent ORDER BY id") {
            "\($0.text(0)) \($0.int(1)) \($0.text(2))"
        }
        XCTAssertEqual(messages.count, 4)
        let store = try IntentStore(directory: folder.path)
        XCTAssertEqual(try store.databaseWrites(to: instance), writes)
        let kept = try store.intents().map {
            "\($0.requestID) \($0.status.rawValue) \(String(decoding: $0.body, as: UTF8.self))"
        }
        XCTAssertEqual(kept, messages)
        XCTAssertEqual(store.takeLost().count, 0)
    }

    /// What was damaged before the migration is damaged behind it: a body by its checksum, a number by its range.
    func testDamagedIntentsStayDamaged() throws {
        let folder = try present()
        let connection = try raw(folder.path + "/intents.db")
        let instance = try XCTUnwrap(rows(connection, "SELECT url, name FROM database_write LIMIT 1") {
            DatabaseInstance(url: $0.text(0), name: $0.text(1))
        }.first)
        for (number, damage) in [
            "id = 9223372036854775807", "created_at = -9223372036854775808", "retry_count = 9223372036854775807",
            "body = replace(body, 'failed', 'FAILED')",
        ].enumerated() {
            try connection.execute("UPDATE intent SET \(damage) WHERE rowid = \(number + 1)")
        }
        try connection.execute("UPDATE database_write SET id = -9223372036854775808 WHERE key = 1")
        try connection.execute("UPDATE database_write SET body = '8' WHERE key = 3")
        connection.shut()
        let store = try IntentStore(directory: folder.path)
        XCTAssertEqual(try store.intents(), [])
        XCTAssertEqual(try store.databaseWrites(to: instance).map(\.kind), [1])
        try store.setAsideDamaged()
        XCTAssertEqual(store.takeLost().count, 6)
    }

    /// A file of schema 4 of the intents, made by the library of commit 5dd1d75: three messages that wait.
    func testAServiceMayHaveSomethingKept() throws {
        let folder = try fixture("intents-4.db")
        let before = try folder.copied()
        XCTAssertEqual(try raw(before.path + "/intents.db").schemaVersion(), 4)
        let store = try IntentStore(directory: folder.path)
        XCTAssertEqual(try store.intents().count, 3)
        XCTAssertNil(try store.kept("service"))
        try store.keep("first", as: "service")
        try store.keep("second", as: "service")
        store.close()
        let again = try IntentStore(directory: folder.path)
        XCTAssertEqual(try again.kept("service"), "second")
        XCTAssertEqual(try again.intents().count, 3)
        try again.connection.execute("UPDATE kept SET value = 'other'")
        XCTAssertThrowsError(try again.kept("service"))
        try again.keep("third", as: "service")
        XCTAssertEqual(try again.kept("service"), "third")
        try again.removeAll()
        XCTAssertNil(try again.kept("service"))
    }

    /// A file of schema 5 of the intents, made by the library of commit 613746e: three messages of the library's, one
    /// that the host sends, one of those that failed.
    func testAMessageMayBeAccepted() throws {
        let folder = try fixture("intents-5.db")
        let before = try folder.copied()
        XCTAssertEqual(try raw(before.path + "/intents.db").schemaVersion(), 5)
        var store = try IntentStore(directory: folder.path)
        var intents = try store.intents()
        XCTAssertEqual(intents.map(\.id), [1, 2, 3, 4, 5])
        XCTAssertEqual(intents.map(\.status), [.pending, .pending, .pending, .pending, .failed])
        XCTAssertEqual(intents.map(\.isHostSent), [false, false, false, true, true])
        XCTAssertEqual(intents.map(\.messageID), [nil, nil, nil, nil, nil])
        XCTAssertEqual(store.takeLost().count, 0)
        intents[1].status = .accepted
        intents[1].messageID = "$m:example.org"
        try store.update(intents[1])
        store.close()
        store = try IntentStore(directory: folder.path)
        XCTAssertEqual(try store.intents(), intents)
        store.close()
        // Numbers are under the checksum now: two messages cannot change places unseen.
        let connection = try raw(before.path + "/intents.db")
        try connection.execute("UPDATE intent SET body = '{}' WHERE id = 3")
        connection.shut()
        store = try IntentStore(directory: before.path)
        try store.connection.execute("UPDATE intent SET id = 40 WHERE id = 4; UPDATE intent SET id = 4 WHERE id = 5")
        XCTAssertEqual(try store.intents().map(\.id), [1, 2], "what was damaged before the migration stays so")
        XCTAssertEqual(store.takeLost().count, 3)
    }

    /// A file of schema 6 of the intents, made by the library of commit d83a2052: three messages and a write.
    func testThereMayBeDrafts() throws {
        let folder = try fixture("intents-6.db")
        let before = try folder.copied()
        XCTAssertEqual(try raw(before.path + "/intents.db").schemaVersion(), 6)
        let store = try IntentStore(directory: folder.path)
        XCTAssertEqual(try store.intents().map(\.requestID), ["r0", "r1", "r2"])
        XCTAssertEqual(try store.drafts(), [])
        let draft = StoredDraft(channelURL: "c", parentID: "7", updatedAt: 1, body: Array(#"{"message":"a"}"#.utf8))
        try store.keep(draft)
        store.close()
        let again = try IntentStore(directory: folder.path)
        XCTAssertEqual(try again.drafts(), [draft])
        XCTAssertEqual(again.takeLost().count, 0)
    }

    /// The second opening finds nothing to do.
    func testSecondOpeningChangesNothing() throws {
        let folder = try fixture("cache-2.db", "intents-1.db", "intents-1.db-wal")
        try CacheStore(directory: folder.path, now: 0).close()
        try IntentStore(directory: folder.path).close()
        let files = ["cache.db", "intents.db"].map(folder.url)
        let bytes = try files.map { try Data(contentsOf: $0) }
        try CacheStore(directory: folder.path, now: 0).close()
        try IntentStore(directory: folder.path).close()
        XCTAssertEqual(try files.map { try Data(contentsOf: $0) }, bytes)
    }

    /// A kill before the commit, and a disk that is full at it: the file is what it was, and the next opening migrates.
    func testInterruptedMigrationLeavesTheOldFile() throws {
        let folder = try fixture("cache-2.db")
        let before = try folder.copied()
        let old = try old(raw(before.path + "/cache.db"))
        let connection = try raw(folder.path + "/cache.db")
        // Most of it is in the log already when the kill comes.
        try connection.execute("PRAGMA cache_size = 1")
        var killed: Folder?
        connection.beforeCommit = { () throws(StoreError) in
            killed = try? folder.copied()
            throw .full
        }
        XCTAssertThrowsError(try connection.migrate(CacheSchema.migrations)) {
            XCTAssertEqual($0 as? StoreError, .full)
        }
        connection.shut()
        let copy = try XCTUnwrap(killed)
        let log = try FileManager.default.attributesOfItem(atPath: copy.path + "/cache.db-wal")[.size] as? Int
        XCTAssertGreaterThan(log ?? 0, 100_000)
        for folder in [folder, copy] {
            let unharmed = try raw(folder.path + "/cache.db")
            XCTAssertEqual(try self.old(unharmed).messages, old.messages)
            unharmed.shut()
            try compare(CacheStore(directory: folder.path, now: 0), old)
        }
    }

    /// A row that is no JSON any more is damage, and a cache can be made again.
    func testDamagedRowSetsTheOldFileAside() throws {
        let folder = try fixture("cache-2.db")
        let connection = try raw(folder.path + "/cache.db")
        try connection.execute("UPDATE message SET json = '{\"message_id\":12,' WHERE id = 12")
        connection.shut()
        let store = try CacheStore(directory: folder.path, now: 5)
        XCTAssertEqual(store.setAsideAs, folder.path + "/cache.db.corrupt-5")
        XCTAssertEqual(try store.channels.urls(), [])
    }

    func testIntentsAreKept() throws {
        let folder = try fixture("intents-1.db", "intents-1.db-wal")
        let columns = "id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body"
        let before = try folder.copied()
        let old = try rows(raw(before.path + "/intents.db"), "SELECT \(columns) FROM intent ORDER BY id") { row in
            Intent(
                id: row.int(0), channelURL: ChannelURL(row.text(1)), requestID: RequestID(row.text(2)),
                createdAt: row.int(3),
                status: Intent.Status(rawValue: row.int(4)) ?? .pending, errorCode: Int(row.int(5)),
                retryCount: Int(row.int(6)), body: row.bytes(8), isHostSent: row.bool(7))
        }
        XCTAssertEqual(old.map(\.requestID), ["req-1", "req-2", "host-4", "req-5"])
        let store = try IntentStore(directory: folder.path)
        XCTAssertFalse(store.intentsLost)
        XCTAssertEqual(try store.intents(), old)
        // The ids of intents that are gone stay theirs.
        let write = DatabaseWrite(id: 1, path: "/", kind: 0, body: [])
        try store.add(write, to: DatabaseInstance(url: "u", name: "n"))
        XCTAssertEqual(try store.databaseWrites(to: DatabaseInstance(url: "u", name: "n")), [write])
        let added = try store.add(channelURL: "c", requestID: "new", createdAt: 0, body: [], isHostSent: false)
        XCTAssertEqual(added.id, 7)
        store.close()
        // It was used before it came to this version, and it is remembered.
        try Data().write(to: folder.url("intents.db"))
        XCTAssertThrowsError(try IntentStore(directory: folder.path))
    }
}
