import Foundation
import SyncStore
import XCTest

@testable import SyncManager

final class LogCopierTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("copier-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: folder) }

    private var logBytes: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/cache.db-wal")
        return (attributes?[.size] as? Int) ?? 0
    }

    private func write(_ range: Range<Int>, _ cache: CacheStore) throws {
        let text = String(repeating: "x", count: 8000)
        for number in range { try cache.setValue("key \(number)", text) }
    }

    /// A writer that never rests, and work that rests while the log is copied.
    func testALogThatIsCopiedBesideItsWriterIsBoundedAndLosesNothing() throws {
        let cache = try CacheStore(directory: folder, now: 0)
        cache.room.copyLog(by: LogCopier())
        var most = 0
        for part in 0..<40 {
            try write(part * 200..<part * 200 + 200, cache)
            most = max(most, logBytes)
            if part >= 20 {
                // What is written next begins the log again, when nothing was written while it was copied.
                let deadline = Date(timeIntervalSinceNow: 60)
                while cache.room.isCopyingLog { XCTAssertLessThan(Date(), deadline) }
            }
        }
        XCTAssertLessThan(most, 9000 * 4200)
        cache.close()
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder + "/cache.db-wal"))
        let again = try CacheStore(directory: folder, now: 0)
        XCTAssertNil(again.setAsideAs)
        for number in 0..<8000 { XCTAssertEqual(try again.value("key \(number)")?.utf8.count, 8000) }
        again.close()
    }

    func testEmptyingTheLogWaitsForTheCopy() throws {
        let cache = try CacheStore(directory: folder, now: 0)
        cache.room.copyLog(by: LogCopier())
        for part in 0..<20 {
            try write(part * 400..<part * 400 + 400, cache)
            try cache.emptyLog()
            XCTAssertFalse(cache.room.isCopyingLog)
            XCTAssertEqual(logBytes, 0)
        }
        cache.close()
    }
}
