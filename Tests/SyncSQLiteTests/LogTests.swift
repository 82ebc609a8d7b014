import Foundation
import SyncSQLite
import XCTest

/// When the log is copied into the file, and by whom.
final class LogTests: XCTestCase {
    /// Copies when it is told to, or never.
    private final class Copier: LogCopying {
        var log: LogCopy?
        var begun = 0
        var finished = 0
        var canCopy = true
        var isStuck = false
        private(set) var isCopying = false

        func begin(_ open: () throws(StoreError) -> LogCopy) -> Bool {
            guard canCopy else { return false }
            begun += 1
            if log == nil { log = try? open() }
            isCopying = true
            if !isStuck { copy() }
            return true
        }

        private func copy() {
            log?.copy()
            isCopying = false
        }

        func finish() {
            finished += 1
            if isCopying { copy() }
            log = nil
        }
    }

    private var folder = URL(fileURLWithPath: "/")
    private let page = 4096

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    private func open() throws -> Connection {
        let settings = ConnectionSettings(safety: .normal, pageSize: page, cacheSize: 1000, logLimit: 1 << 20)
        let connection = try Connection(path: folder.path + "/some.db", settings)
        try connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        return connection
    }

    /// Transactions that write a page or two each.
    private func write(_ count: Int, _ connection: Connection) throws {
        let text = String(repeating: "x", count: page - 100)
        for _ in 0..<count {
            try connection.transaction { () throws(StoreError) in
                try connection.prepare("INSERT INTO t (text) VALUES (?)").bind(text).run()
            }
        }
    }

    private var logPages: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path + "/some.db-wal")
        return ((attributes?[.size] as? Int) ?? 0) / page
    }

    func testWithoutACopierTheWriterCopies() throws {
        let connection = try open()
        try write(5000, connection)
        XCTAssertLessThan(logPages, 1100)
        XCTAssertFalse(connection.isCopyingLog)
    }

    func testACopierCopiesAndTheLogBeginsAgain() throws {
        let connection = try open()
        let copier = Copier()
        connection.copyLog(by: copier)
        try write(5000, connection)
        XCTAssertGreaterThan(copier.begun, 3)
        XCTAssertEqual(copier.finished, 0)
        XCTAssertLessThan(logPages, 1100)
    }

    func testACopierThatCannotLeavesItToTheWriter() throws {
        let connection = try open()
        let copier = Copier()
        copier.canCopy = false
        connection.copyLog(by: copier)
        try write(5000, connection)
        XCTAssertLessThan(logPages, 1100)
    }

    /// Then the writer waits for it, and the log stays within its bound.
    func testACopierThatIsTooSlowIsWaitedFor() throws {
        let connection = try open()
        let copier = Copier()
        copier.isStuck = true
        connection.copyLog(by: copier)
        try write(20_000, connection)
        XCTAssertGreaterThan(copier.finished, 0)
        XCTAssertLessThan(logPages, 8100)
    }

    /// Two connections that lock the file, and what deletes or changes it, would be in each other's way.
    func testItIsFinishedBeforeTheFileIsEmptiedOrClosed() throws {
        let connection = try open()
        let copier = Copier()
        copier.isStuck = true
        connection.copyLog(by: copier)
        try write(1500, connection)
        XCTAssertTrue(connection.isCopyingLog)
        try connection.emptyLog()
        XCTAssertEqual(copier.finished, 1)
        XCTAssertFalse(connection.isCopyingLog)
        XCTAssertEqual(logPages, 0)
        try write(1500, connection)
        XCTAssertTrue(connection.isCopyingLog)
        connection.shut()
        XCTAssertEqual(copier.finished, 2)
        XCTAssertNil(copier.log)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path + "/some.db-wal"), "the last one closes it")
    }

    func testNothingIsLost() throws {
        let connection = try open()
        let copier = Copier()
        connection.copyLog(by: copier)
        try write(3000, connection)
        connection.shut()
        let again = try Connection(
            path: folder.path + "/some.db",
            ConnectionSettings(safety: .normal, pageSize: page, cacheSize: 1000, logLimit: 1 << 20))
        XCTAssertEqual(try again.prepare("SELECT count(*) FROM t").all { $0.int(0) }, [3000])
        XCTAssertEqual(try again.prepare("PRAGMA integrity_check").all { $0.text(0) }, ["ok"])
    }
}
