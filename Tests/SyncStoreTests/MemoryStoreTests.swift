import Foundation
import SyncModel
import SyncSQLite
import TestSupport
import XCTest

@testable import SyncStore

/// A cache and an outbox that are in memory.
final class MemoryStoreTests: XCTestCase {
    /// The files that the process has open and had not before; one that was unlinked is among them.
    private func openFiles(notOf before: Set<String> = []) throws -> Set<String> {
        let folder = "/proc/self/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let targets = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0) }
        return Set(targets.filter { $0.hasPrefix("/") && !$0.hasPrefix("/proc") }).subtracting(before)
    }

    /// The files that a sort of 60 MB opens.
    private func filesOfASort(_ connection: Connection) throws -> Set<String> {
        let before = try openFiles()
        let sort = try connection.prepare("""
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
            SELECT i, hex(zeroblob(500)) AS t FROM n ORDER BY t, -i
            """)
        defer { sort.reset() }
        XCTAssertTrue(try sort.next())
        return try openFiles(notOf: before)
    }

    private func add(to outbox: IntentStore) throws -> Intent {
        try outbox.add(channelURL: "c", requestID: "r", createdAt: 1, body: Array("{}".utf8), isHostSent: false)
    }

    func testTwoAreSeparateAndEndWithTheirConnection() throws {
        let first = try CacheStore(.memory, now: 0)
        let second = try CacheStore(.memory, now: 0)
        try first.setValue("a", "b")
        XCTAssertEqual(try first.value("a"), "b")
        XCTAssertNil(try second.value("a"))
        XCTAssertNil(first.setAsideAs)
        let outbox = try IntentStore(.memory)
        let other = try IntentStore(.memory)
        XCTAssertFalse(outbox.intentsLost)
        let intent = try add(to: outbox)
        XCTAssertEqual(try outbox.intents(), [intent])
        XCTAssertEqual(try other.intents(), [])
        outbox.close()
        XCTAssertThrowsError(try outbox.intents())
        XCTAssertEqual(try IntentStore(.memory).intents(), [])
    }

    /// What touches logs, marks and directories of files has nothing to do here.
    func testSigningOutEmptiesThem() throws {
        let cache = try CacheStore(.memory, now: 0)
        let outbox = try IntentStore(.memory)
        try cache.setValue("a", "b")
        _ = try add(to: outbox)
        try outbox.removeAll()
        try cache.forgetAll(open: [])
        try cache.emptyLog()
        try outbox.emptyLog()
        XCTAssertNil(try cache.value("a"))
        XCTAssertEqual(try outbox.intents(), [])
        XCTAssertGreaterThan(try cache.statistics().bytes, 0)
    }

    /// A sort of more than the memory that SQLite takes for it goes to a file where that is not forbidden: as over a
    /// file, which shows that this test can fail.
    func testALargeSortOpensNoFile() throws {
        try Encrypted.skip("with a key the same sort of a file opens none either")
        let folder = try Folder()
        let memory = try Connection(path: Connection.inMemory, safety: .normal, pageSize: 1024)
        XCTAssertEqual(try filesOfASort(memory), [])
        let file = try Connection(path: folder.path + "/a.db", safety: .normal, pageSize: 1024)
        XCTAssertNotEqual(try filesOfASort(file), [])
    }
}
