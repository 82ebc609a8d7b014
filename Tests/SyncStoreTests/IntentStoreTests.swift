import Foundation
import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

final class IntentStoreTests: XCTestCase {
    private func add(_ store: IntentStore, _ requestID: RequestID, to channelURL: ChannelURL = "c") throws -> Intent {
        try store.add(
            channelURL: channelURL, requestID: requestID, createdAt: 7, body: Array("{\"message\":\"é\"}".utf8),
            isHostSent: requestID.text.hasPrefix("h"))
    }

    func testWhatWasAddedIsThereAfterAKillInItsOrder() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let added = [try add(store, "z"), try add(store, "h1", to: "d"), try add(store, "a")]
        XCTAssertEqual(added.map(\.isHostSent), [false, true, false])
        XCTAssertEqual(added.map(\.id), added.map(\.id).sorted())
        let killed = try folder.copied()
        let later = try IntentStore(directory: killed.path)
        XCTAssertEqual(try later.intents(), added)
    }

    func testChangesTouchTheirIntentOnly() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        var first = try add(store, "1")
        let second = try add(store, "2")
        first.status = .failed
        first.errorCode = 900_021
        first.retryCount = 3
        first.body = Array("{}".utf8)
        try store.update(first)
        XCTAssertEqual(try store.intents(), [first, second])
        try store.remove(requestID: "1")
        try store.remove(requestID: "1")
        XCTAssertEqual(try store.intents(), [second])
    }

    /// Ids are the order of writing, also across removals and restarts.
    func testIdsAreNeverUsedAgain() throws {
        let folder = try Folder()
        var store = try IntentStore(directory: folder.path)
        let last = try add(store, "1").id
        try store.remove(requestID: "1")
        store.close()
        store = try IntentStore(directory: folder.path)
        XCTAssertGreaterThan(try add(store, "2").id, last)
    }

    func testRequestIdIsTakenOnce() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let first = try add(store, "1")
        XCTAssertThrowsError(try add(store, "1", to: "d"))
        XCTAssertEqual(try store.intents(), [first])
    }

    func testFullDiskPromisesNothing() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let first = try add(store, "1")
        try store.connection.execute("PRAGMA max_page_count = 8")
        let big = [UInt8](repeating: 0x20, count: 100_000)
        XCTAssertThrowsError(
            try store.add(channelURL: "c", requestID: "2", createdAt: 0, body: big, isHostSent: false)
        ) { XCTAssertEqual($0 as? StoreError, .full) }
        store.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertThrowsError(try add(store, "3"))
        store.setCommitHook(nil)
        XCTAssertEqual(try store.intents(), [first])
        let killed = try folder.copied()
        XCTAssertEqual(try IntentStore(directory: killed.path).intents(), [first])
    }

    // MARK: Files that lost their content

    private func assertCorrupt(_ folder: Folder) {
        XCTAssertThrowsError(try IntentStore(directory: folder.path)) { error in
            guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
        }
    }

    /// An empty file that was used is damage, whatever stands beside it, until somebody takes it away; then it is told.
    func testEmptyFileThatWasUsedIsAnErrorAndStays() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        _ = try add(store, "1")
        let killed = try folder.copied()
        store.close()
        for folder in [folder, killed] {
            try Data().write(to: folder.url("intents.db"))
            for _ in 0..<2 { assertCorrupt(folder) }
            XCTAssertEqual(try Data(contentsOf: folder.url("intents.db")).count, 0)
        }
        // The log of the killed one still has all there was.
        XCTAssertGreaterThan(try Data(contentsOf: killed.url("intents.db-wal")).count, 0)
        try FileManager.default.removeItem(at: killed.url("intents.db"))
        assertCorrupt(killed)

        try FileManager.default.removeItem(at: folder.url("intents.db"))
        let new = try IntentStore(directory: folder.path)
        XCTAssert(new.intentsLost)
        XCTAssertEqual(try new.intents(), [])
        let added = try add(new, "2")
        new.close()
        let later = try IntentStore(directory: folder.path)
        XCTAssertFalse(later.intentsLost)
        XCTAssertEqual(try later.intents(), [added])
    }

    /// A file whose tables stood in a log that is gone.
    func testFileWithoutItsTablesIsAnError() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        _ = try add(store, "1")
        let killed = try folder.copied()
        try FileManager.default.removeItem(at: killed.url("intents.db-wal"))
        XCTAssertGreaterThan(try Data(contentsOf: killed.url("intents.db")).count, 0)
        assertCorrupt(killed)
    }

    /// SQLite takes a file shorter than its header for a new one, and writes over it.
    func testAFileShorterThanAHeaderIsAnErrorAndStays() throws {
        for (count, isUsed) in [(1, true), (1, false), (99, true), (99, false)] {
            let folder = try Folder()
            if isUsed {
                let store = try IntentStore(directory: folder.path)
                _ = try add(store, "1")
                store.close()
            }
            let content = Data("SQLite format 3".utf8.prefix(count)) + Data(count: max(0, count - 15))
            try content.write(to: folder.url("intents.db"))
            for _ in 0..<2 { assertCorrupt(folder) }
            XCTAssertEqual(try Data(contentsOf: folder.url("intents.db")), content)
        }
    }

    /// SQLite passes over such a log without a word.
    func testALogWithADamagedHeaderIsAnErrorAndStays() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let intent = try add(store, "1")
        for index in 0..<32 {
            let killed = try folder.copied()
            let whole = try Data(contentsOf: killed.url("intents.db-wal"))
            var log = whole
            log[index] ^= 1
            try log.write(to: killed.url("intents.db-wal"))
            let file = try Data(contentsOf: killed.url("intents.db"))
            assertCorrupt(killed)
            XCTAssertEqual(try Data(contentsOf: killed.url("intents.db-wal")), log)
            XCTAssertEqual(try Data(contentsOf: killed.url("intents.db")), file)
            // Mended, it has what there was.
            try whole.write(to: killed.url("intents.db-wal"))
            XCTAssertEqual(try IntentStore(directory: killed.path).intents(), [intent])
        }
        store.close()
    }

    /// As a power loss leaves a log that was begun: nothing was committed to it.
    func testALogThatWasOnlyBegunIsNone() throws {
        for count in [0, 1, 32] {
            let folder = try Folder()
            let store = try IntentStore(directory: folder.path)
            let intent = try add(store, "1")
            store.close()
            try Data(count: count).write(to: folder.url("intents.db-wal"))
            XCTAssertEqual(try IntentStore(directory: folder.path).intents(), [intent], "\(count)")
        }
    }

    /// Each part of the schema: without it the file is an error at opening, not a failure at some later call.
    func testAFileWithoutAPartOfItsSchemaIsAnErrorAndStays() throws {
        let parts = [
            "DROP TABLE intent", "DROP TABLE database_write", "DROP TABLE damaged_intent", "DROP TABLE damaged_write",
            "ALTER TABLE intent DROP COLUMN retry_count", "ALTER TABLE database_write DROP COLUMN kind",
            "ALTER TABLE damaged_write DROP COLUMN body", "DROP INDEX database_write_by_id",
            "ALTER TABLE intent RENAME TO other",
            "DROP TABLE draft", "DROP INDEX draft_by_place", "DROP TABLE damaged_draft",
        ]
        for part in parts {
            let folder = try Folder()
            let store = try IntentStore(directory: folder.path)
            _ = try add(store, "1")
            store.close()
            let connection = try Connection(path: folder.path + "/intents.db", safety: .full, pageSize: 1024)
            try connection.execute(part)
            connection.shut()
            let file = try Data(contentsOf: folder.url("intents.db"))
            for _ in 0..<2 { assertCorrupt(folder) }
            XCTAssertEqual(try Data(contentsOf: folder.url("intents.db")), file, part)
        }
    }

    /// As a kill leaves it while the file is made: nothing was promised yet.
    func testEmptyFileThatWasNeverUsedIsNew() throws {
        let folder = try Folder()
        try IntentStore(directory: folder.path).close()
        try Data().write(to: folder.url("intents.db"))
        let store = try IntentStore(directory: folder.path)
        XCTAssertFalse(store.intentsLost)
        store.close()
        try FileManager.default.removeItem(at: folder.url("intents.db"))
        XCTAssertFalse(try IntentStore(directory: folder.path).intentsLost)
    }

    /// The mark is there before the first intent can be.
    func testMarkComesBeforeTheFirstIntent() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        XCTAssertFalse(folder.exists("intents.used"))
        var wasThere: Bool?
        store.setStatementHook { _ throws(StoreError) in wasThere = folder.exists("intents.used") }
        _ = try add(store, "1")
        XCTAssertEqual(wasThere, true)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/intents.used")[.posixPermissions]
        XCTAssertEqual(mode as? Int, 0o600)
    }

    /// A kill while a lost file is made again: the next opening tells it once more.
    func testInterruptedReplacementIsToldAgain() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        _ = try add(store, "1")
        store.close()
        try FileManager.default.moveItem(at: folder.url("intents.db"), to: folder.url("intents.db.new"))
        let new = try IntentStore(directory: folder.path)
        XCTAssert(new.intentsLost)
        XCTAssertEqual(try new.intents(), [])
        XCTAssertFalse(folder.exists("intents.db.new"))
    }

    /// Each call is one transaction, and a statement that fails leaves what was there.
    func testFailingStatementsChangeNothing() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let first = try add(store, "1")
        store.setStatementHook { _ throws(StoreError) in throw .full }
        XCTAssertThrowsError(try add(store, "2"))
        var changed = first
        changed.status = .failed
        XCTAssertThrowsError(try store.update(changed))
        XCTAssertThrowsError(try store.remove(requestID: "1"))
        store.setStatementHook(nil)
        store.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertThrowsError(try store.update(changed))
        XCTAssertThrowsError(try store.remove(requestID: "1"))
        store.setCommitHook(nil)
        XCTAssertEqual(try store.intents(), [first])
        XCTAssertEqual(try add(store, "2").requestID, "2")
    }
}
