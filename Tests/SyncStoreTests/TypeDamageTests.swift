import Foundation
import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

/// Values of a type that their column cannot have, as after a changed serial type on the disk: the schema is whole.
final class TypeDamageTests: XCTestCase {
    private func filled() throws -> Folder {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let channel = ChannelRecord(url: "a", name: "a", json: Array(#"{"channel_url":"a","name":"a"}"#.utf8))
        try store.channels.upsert([channel])
        let key = try store.channels.key("a")
        try store.upsert((1...3).map { message($0, at: $0) }, channel: key)
        let ends = (1...3).map { MessagePosition(order: $0, tie: $0) }
        try store.chunks.set(channel: key, [StoredChunk(start: ends[0], end: ends[2], reachedFirst: true)])
        try store.setValue("messages.changes.\(key)", "1")
        _ = try store.threads.key(channel: key, parentID: "1")
        try store.relations.upsert(
            [Relation(id: "r", target: "1", kind: "k", order: 1, json: Array("{}".utf8))], channel: key)
        let place = DatabasePlace(DatabaseInstance(url: "u", name: "n"), path: "/p")
        try store.databaseValues.keep(Array("[0]".utf8), at: place)
        store.close()
        return folder
    }

    /// Writes what the schema forbids, and puts the schema back.
    private func spoil(_ folder: Folder, _ file: String, _ table: String, _ change: String) throws {
        func open() throws -> Connection {
            let connection = try Connection(path: folder.path + "/" + file, safety: .normal, pageSize: 4096)
            try connection.execute("PRAGMA writable_schema = ON")
            return connection
        }
        var connection = try open()
        let sql = try connection.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").bind(table)
        XCTAssert(try sql.next())
        let strict = sql.text(0)
        sql.reset()
        var loose = strict
        for (word, other) in [
            ("STRICT, ", ""), (" STRICT", ""), ("TEXT NOT NULL", "BLOB"), ("INTEGER NOT NULL", "BLOB"),
        ] {
            loose = loose.replacingOccurrences(of: word, with: other)
        }
        func setSchema(_ sql: String) throws {
            try connection.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = ?").bind(sql).bind(table).run()
            connection.shut()
        }
        try setSchema(loose)
        connection = try open()
        try connection.execute("UPDATE \(table) SET \(change)")
        XCTAssertGreaterThan(connection.changes, 0, change)
        try setSchema(strict)
    }

    /// Everything that a list of messages and channels is made of.
    private func readAll(_ store: CacheStore) throws {
        _ = try store.channels.matching(query: ChannelQuery(), userID: "me", after: nil, limit: 10)
        let key = try store.channels.key("a")
        _ = try store.threads.keyIfKnown(channel: key, parentID: "1")
        _ = try store.chunks.of(channel: key)
        _ = try store.relations.relation(id: "r", channel: key)
        _ = try store.relations.relations(of: "1", channel: key)
        _ = try store.counts.usage(channel: key)
        if let damage = store.takeDamage() { throw damage }
        _ = try store.value("messages.changes.\(key)")
        _ = try store.messagesBefore(.last, notBefore: .first, channel: key, filter: everything, limit: 10)
        let place = DatabasePlace(DatabaseInstance(url: "u", name: "n"), path: "/p")
        _ = try store.databaseValues.value(at: place)
    }

    func testAValueOfAnotherTypeIsDamage() throws {
        let numbers = ["'x'", "x'00'", "NULL"]
        let texts = ["5", "x'00'", "NULL"]
        let columns: [(table: String, column: String, values: [String])] = [
            ("message", "channel", numbers), ("message", "ord", numbers), ("message", "tie", numbers),
            ("message", "tie", ["1.5"]), ("message", "ord", ["1.5"]), ("message", "id", texts),
            ("message", "parent_id", texts), ("message", "checksum", numbers), ("message", "json", texts),
            ("chunk", "channel", numbers), ("chunk", "start_ord", numbers), ("chunk", "start_token", texts),
            ("channel", "messages", numbers), ("channel", "bytes", numbers), ("channel", "used_at", numbers),
            ("channel", "usage_checksum", numbers), ("relation", "channel", numbers), ("relation", "id", texts),
            ("relation", "target", texts), ("relation", "ord", numbers), ("relation", "json", texts),
            ("chunk", "end_tie", numbers), ("chunk", "end_token", texts), ("chunk", "reached_first", numbers),
            ("thread", "channel", numbers), ("channel", "url", texts), ("channel", "checksum", numbers),
            ("channel", "json", texts), ("meta", "key", texts), ("meta", "value", texts),
            ("database_value", "url", texts), ("database_value", "size", numbers), ("database_value", "json", texts),
        ]
        for (table, column, values) in columns {
            for value in values {
                let folder = try filled()
                // Of one row: others are beside it.
                let change = "\(column) = \(value) WHERE rowid = (SELECT max(rowid) FROM \(table))"
                let hasRows = !["chunk", "meta"].contains(table)
                // The key of a table without row ids cannot be NULL for SQLite either.
                if !hasRows, value == "NULL", ["channel", "start_ord", "key"].contains(column) { continue }
                try spoil(folder, "cache.db", table, hasRows ? change : "\(column) = \(value)")
                let store = try CacheStore(directory: folder.path, now: 1)
                if store.setAsideAs == nil {
                    XCTAssertThrowsError(try readAll(store), "\(table).\(column) = \(value)") { error in
                        guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
                    }
                    XCTAssertFalse(store.connection.hasUnfinishedStatement)
                    store.close()
                    let next = try CacheStore(directory: folder.path, now: 2)
                    XCTAssertNotNil(next.setAsideAs, "\(table).\(column) = \(value)")
                    next.close()
                } else {
                    store.close()
                }
            }
        }
    }

    /// The same bytes as a blob have the same checksum, and a row under a request id of bytes would never be removed.
    func testAnIntentOfAnotherTypeIsSetAside() throws {
        for column in ["channel_url", "request_id", "body"] {
            let folder = try Folder()
            let store = try IntentStore(directory: folder.path)
            _ = try store.add(
                channelURL: "c", requestID: "r", createdAt: 1, body: Array("{}".utf8), isHostSent: false)
            store.close()
            try spoil(folder, "intents.db", "intent", "\(column) = CAST(\(column) AS BLOB)")
            let next = try IntentStore(directory: folder.path)
            XCTAssertEqual(try next.intents(), [], column)
            try next.setAsideDamaged()
            XCTAssertEqual(next.takeLost().count, 1, column)
            next.close()
        }
    }

    /// The row with the greatest key is lost, and the next channel gets that key: with nothing of the other one.
    func testANewKeyHasNothingOfAnother() throws {
        for take in [{ try $0.channels.key("b") }, { store in
            let channel = ChannelRecord(url: "b", name: "b", json: Array(#"{"channel_url":"b","name":"b"}"#.utf8))
            try store.channels.upsert([channel])
            return try store.channels.key("b")
        }] as [(CacheStore) throws -> Int64] {
            let folder = try filled()
            let store = try CacheStore(directory: folder.path, now: 1)
            let lost = try store.channels.key("a")
            let thread = try store.threads.key(channel: lost, parentID: "1")
            try store.upsert([message(1, at: 1)], channel: thread)
            try store.connection.execute("DELETE FROM channel WHERE url = 'a'")
            XCTAssertEqual(try take(store), lost)
            for key in [lost, thread] {
                XCTAssertEqual(
                    try store.messagesBefore(.last, notBefore: .first, channel: key, filter: everything, limit: 9), [])
                XCTAssertEqual(try store.chunks.of(channel: key), [])
                XCTAssertNil(try store.value("messages.changes.\(key)"))
            }
            XCTAssertEqual(try store.threads.of(channel: lost).map(\.key), [])
            store.close()
        }
    }

    func testANewThreadHasNothingOfAnother() throws {
        let folder = try filled()
        let store = try CacheStore(directory: folder.path, now: 1)
        let channel = try store.channels.key("a")
        let lost = try store.threads.key(channel: channel, parentID: "1")
        try store.upsert([message(1, at: 1)], channel: lost)
        try store.connection.execute("DELETE FROM thread")
        XCTAssertEqual(try store.threads.key(channel: channel, parentID: "2"), lost)
        XCTAssertNil(try store.message(id: "1", channel: lost))
        XCTAssertNotNil(try store.message(id: "1", channel: channel))
        store.close()
    }
}
