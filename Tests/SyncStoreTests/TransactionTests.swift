import Foundation
import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

final class TransactionTests: XCTestCase {
    private let chunk = StoredChunk(
        start: MessagePosition(order: 1, tie: 1), end: MessagePosition(order: 2, tie: 2), reachedFirst: true)

    private func count(_ store: CacheStore, _ key: Int64) throws -> Int {
        try store.messageCount(channel: key, from: .first, through: .last)
    }

    func testWhatWasCommittedSurvivesAndNothingElse() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("c")
        try store.transaction { () throws(StoreError) in
            try store.upsert([message(1, at: 1), message(2, at: 2)], channel: key)
            try store.chunks.set(channel: key, [chunk])
        }
        // The disk is full at the commit: neither rows nor the range that covers them are left behind.
        store.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
            try store.upsert([message(3, at: 3)], channel: key)
            try store.chunks.set(channel: key, [])
        }) { XCTAssertEqual($0 as? StoreError, .full) }
        let killed = try folder.copied()
        for opened in [store, try CacheStore(directory: killed.path, now: 0)] {
            XCTAssertEqual(try opened.channels.key("c"), key)
            XCTAssertEqual(try opened.chunks.of(channel: key), [chunk])
            let references = try opened.messageReferences(channel: key, from: .first, through: .last)
            XCTAssertEqual(references.map(\.id), ["1", "2"])
        }
    }

    func testKillInMidTransactionLeavesNothing() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("c")
        var copy: Folder?
        try store.transaction { () throws(StoreError) in
            // More than the connection's page cache, so that pages of the transaction are in the log already.
            for part in 0..<20 as Range<Int64> {
                let text = String(repeating: "x", count: 4000)
                try store.upsert((1...100).map { message(part * 100 + $0, at: $0, text: text) }, channel: key)
            }
            copy = try? folder.copied()
        }
        let killed = try XCTUnwrap(copy)
        let size = try FileManager.default.attributesOfItem(atPath: killed.path + "/cache.db-wal")[.size] as? Int
        XCTAssertGreaterThan(size ?? 0, 1_000_000)
        let after = try CacheStore(directory: killed.path, now: 0)
        XCTAssertNil(after.setAsideAs)
        XCTAssertEqual(try count(after, key), 0)
        XCTAssertEqual(try count(store, key), 1000)
    }

    /// A failure that a body swallows still undoes the whole.
    func testSwallowedFailureDoesNotCommitAHalf() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("c")
        XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
            try store.upsert([message(1, at: 1)], channel: key)
            try? store.transaction { () throws(StoreError) in
                try store.upsert([message(2, at: 2)], channel: key)
                throw .full
            }
        }) { XCTAssertEqual($0 as? StoreError, .full) }
        XCTAssertEqual(try count(store, key), 0)
        // The store goes on as if nothing had been.
        try store.upsert([message(3, at: 3)], channel: key)
        XCTAssertEqual(try count(store, key), 1)
    }

    /// A full disk makes SQLite roll back by itself; what the body does after it must not be committed on its own.
    func testNothingIsCommittedBehindAFullDisk() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("c")
        try store.upsert([message(1, at: 1)], channel: key)
        try store.connection.execute("PRAGMA max_page_count = 40")
        let text = String(repeating: "x", count: 10_000)
        XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
            try? store.upsert((2...200).map { message($0, at: $0, text: text) }, channel: key)
            try? store.setValue("behind", "1")
            try? store.chunks.set(channel: key, [chunk])
        }) { XCTAssertEqual($0 as? StoreError, .full) }
        XCTAssertNil(try store.value("behind"))
        XCTAssertEqual(try store.chunks.of(channel: key), [])
        XCTAssertEqual(try count(store, key), 1)
        try store.connection.execute("PRAGMA max_page_count = 1000000")
        try store.upsert((2...200).map { message($0, at: $0, text: text) }, channel: key)
        XCTAssertEqual(try count(store, key), 200)
    }

    /// A key made in a transaction that was undone is not given to messages: another channel may get it.
    func testKeyOfAnUndoneTransactionIsForgotten() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
            _ = try store.channels.key("undone")
            throw .full
        })
        let other = try store.channels.key("other")
        let undone = try store.channels.key("undone")
        XCTAssertNotEqual(other, undone)
        store.close()
        let later = try CacheStore(directory: folder.path, now: 0)
        XCTAssertEqual(try later.channels.key("undone"), undone)
        XCTAssertEqual(try later.channels.key("other"), other)
    }

    func testChannelOfAnUndoneTransactionIsForgotten() throws {
        func channel(_ name: String) throws -> ChannelRecord {
            try XCTUnwrap(ChannelRecord(json: Array(#"{"channel_url":"c","name":"\#(name)"}"#.utf8)))
        }
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let stored = try channel("stored")
        try store.channels.upsert([stored])
        let changed = try channel("changed")
        for isDeletion in [false, true] {
            // Looked up inside as well: it is what the transaction made of it, and only until that is undone.
            var inside: ChannelRecord?
            XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
                if isDeletion { try store.channels.delete("c") } else { try store.channels.upsert([changed]) }
                inside = try store.channels.channel("c")
                throw .full
            })
            XCTAssertEqual(inside, isDeletion ? nil : changed)
            XCTAssertEqual(try store.channels.channel("c"), stored)
            // And without the failure it stays.
            if isDeletion { try store.channels.delete("c") } else { try store.channels.upsert([changed]) }
            XCTAssertEqual(try store.channels.channel("c"), isDeletion ? nil : changed)
            try store.channels.upsert([stored, try channel("again")])
            XCTAssertEqual(try store.channels.channel("c")?.name, "again")
            try store.channels.upsert([stored])
        }
    }

    /// After `close` every call gives an error.
    func testClosedStoreGivesErrors() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        store.close()
        store.close()
        XCTAssertThrowsError(try store.value("a"))
        XCTAssertThrowsError(try store.upsert([message(1, at: 1)], channel: 1))
        XCTAssertThrowsError(try store.clearMessages(channel: nil))
        XCTAssertThrowsError(try store.channels.key("c"))
    }

    /// Each statement of a transaction fails in turn: nothing of it stays, in the file or in memory, and the next one
    /// works.
    func testEveryStatementCanFail() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("c")
        let channel = ChannelRecord(url: "c", name: "n", json: Array("{\"channel_url\":\"c\",\"name\":\"n\"}".utf8))
        try store.channels.upsert([channel])
        try store.upsert([message(1, at: 1), message(2, at: 2)], channel: key)
        try store.chunks.set(channel: key, [chunk])
        try store.setValue("messages.changes.\(key)", "t")
        let other = StoredChunk(start: chunk.start, end: chunk.end, reachedFirst: false, isOpenEnded: true)
        func work() throws(StoreError) {
            try store.transaction { () throws(StoreError) in
                // A moved message, an edited one and a new one; a changed chunk, a gone one and a new one.
                let messages = [message(1, at: 7), message(2, at: 2, text: "edited"), message(3, at: 3)]
                try store.upsert(messages, channel: key)
                try store.chunks.set(channel: key, [other])
                let renamed = ChannelRecord(
                    url: "c", name: "m", json: Array("{\"channel_url\":\"c\",\"name\":\"m\"}".utf8))
                try store.channels.upsert([renamed])
                _ = try store.channels.key("new")
                try store.setValue("v", "w")
                try store.deleteMessages(ids: ["2"], channel: key)
                try store.deleteMessages(channel: key, before: 3)
                try store.chunks.set(channel: key, [])
                try store.channels.delete("c")
            }
        }
        var statements = 0
        store.setStatementHook { _ throws(StoreError) in statements += 1 }
        store.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertThrowsError(try work())
        store.setCommitHook(nil)
        XCTAssertGreaterThan(statements, 12)
        for failing in 1...statements {
            var number = 0
            store.setStatementHook { sql throws(StoreError) in
                number += 1
                if number == failing { throw .failed(code: 10, message: sql) }
            }
            XCTAssertThrowsError(try work()) { error in
                guard case .failed(10, _)? = error as? StoreError else { return XCTFail("\(failing): \(error)") }
            }
            store.setStatementHook(nil)
            XCTAssertFalse(store.connection.hasUnfinishedStatement)
            let killed = try folder.copied()
            for opened in [store, try CacheStore(directory: killed.path, now: 0)] {
                XCTAssertEqual(
                    try opened.messagesAfter(.first, notAfter: .last, channel: key, filter: everything, limit: 9),
                    [message(1, at: 1).row, message(2, at: 2).row], "statement \(failing)")
                XCTAssertEqual(try opened.chunks.of(channel: key), [chunk], "statement \(failing)")
                XCTAssertEqual(try opened.channels.channel("c"), channel, "statement \(failing)")
                XCTAssertNil(try opened.channels.keyIfKnown("new"), "statement \(failing)")
                XCTAssertNil(try opened.value("v"))
                XCTAssertEqual(try opened.value("messages.changes.\(key)"), "t")
            }
        }
        try work()
        XCTAssertNil(try store.channels.channel("c"))
        XCTAssertEqual(try store.chunks.of(channel: key), [])
        XCTAssertEqual(try count(store, key), 0)
        XCTAssertEqual(try store.value("v"), "w")
    }
}
