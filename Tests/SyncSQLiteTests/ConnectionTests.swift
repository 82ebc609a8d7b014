import CSQLite
import Foundation
import SyncSQLite
import XCTest

final class ConnectionTests: XCTestCase {
    private struct Own: Error {}

    private var folder = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    private func open(_ name: String = "some.db", _ change: (inout ConnectionSettings) -> Void = { _ in }) throws
        -> Connection
    {
        var settings = ConnectionSettings(safety: .normal, pageSize: 8192, cacheSize: 1000, logLimit: 1 << 20)
        change(&settings)
        return try Connection(path: name == ":memory:" ? name : folder.path + "/" + name, settings)
    }

    private func numbers(_ connection: Connection) throws -> [Int64] {
        try connection.prepare("SELECT n FROM t ORDER BY n").all { $0.int(0) }
    }

    private func table(_ connection: Connection) throws {
        try connection.execute("CREATE TABLE t (n INTEGER NOT NULL UNIQUE)")
    }

    private func insert(_ number: Int64, _ connection: Connection) throws {
        try connection.prepare("INSERT INTO t VALUES (?)").bind(number).run()
    }

    // MARK: Opening

    /// Opens files as SQLite's own does when the system does not open them for writing.
    private func openingForReading<T>(_ body: () throws -> T) throws -> T {
        let own = try XCTUnwrap(sqlite3_vfs_find(nil))
        var reading = own.pointee
        reading.zName = UnsafePointer(strdup("reading"))
        reading.xOpen = { vfs, name, file, flags, told in
            let isMain = flags & SQLITE_OPEN_MAIN_DB != 0
            let write = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            return sqlite3_vfs_find("unix")?.pointee.xOpen(
                vfs, name, file, isMain ? flags & ~write | SQLITE_OPEN_READONLY : flags, told) ?? SQLITE_CANTOPEN
        }
        return try withUnsafeMutablePointer(to: &reading) { reading in
            XCTAssertEqual(sqlite3_vfs_register(reading, 1), SQLITE_OK)
            defer {
                sqlite3_vfs_unregister(reading)
                sqlite3_vfs_register(own, 1)
                free(UnsafeMutablePointer(mutating: reading.pointee.zName))
            }
            return try body()
        }
    }

    func testAFileThatTheSystemDoesNotOpenForWritingIsNotDamaged() throws {
        try table(try open())
        XCTAssertThrowsError(try openingForReading { try open() }) { error in
            guard case StoreError.cannotOpen(_, let message)? = error as? StoreError else { return XCTFail("\(error)") }
            XCTAssertEqual(message, "the system did not open it for writing")
        }
        try open().checkWritable()
    }

    // MARK: Transactions with errors of their own

    func testAnErrorOfTheBodyUndoesTheWhole() throws {
        let connection = try open()
        try table(connection)
        XCTAssertThrowsError(
            try connection.atomically {
                try insert(1, connection)
                throw Own()
            }
        ) { XCTAssert($0 is Own) }
        XCTAssertFalse(connection.isInTransaction)
        XCTAssertEqual(try connection.atomically { try numbers(connection) }, [])
    }

    /// A rule that was refused within another one may be answered there.
    func testAnOwnErrorThatIsSwallowedUndoesNothing() throws {
        let connection = try open()
        try table(connection)
        try connection.atomically {
            try insert(1, connection)
            try? connection.atomically { throw Own() }
            try insert(2, connection)
        }
        XCTAssertEqual(try numbers(connection), [1, 2])
    }

    /// SQLite may have undone everything before the failure, so what follows must not be committed alone.
    func testAFailureOfTheFileThatIsSwallowedUndoesTheWhole() throws {
        let connection = try open()
        try table(connection)
        XCTAssertThrowsError(
            try connection.atomically {
                try insert(1, connection)
                try? insert(1, connection)
                try? insert(2, connection)
            })
        XCTAssertEqual(try numbers(connection), [])
        try insert(3, connection)
        XCTAssertEqual(try numbers(connection), [3])
    }

    // MARK: Files

    func testAPrivateFileIsItsOwnersAlone() throws {
        let connection = try open { $0.isPrivate = true }
        try table(connection)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.posixPermissions]
            XCTAssertEqual(mode as? Int, 0o600, name)
        }
    }

    func testAFileHasWhatItsSettingsSay() throws {
        let connection = try open {
            $0.safety = .full
            $0.erasesDeleted = true
        }
        func pragma(_ name: String) throws -> String? { try connection.prepare("PRAGMA " + name).first { $0.text(0) } }
        XCTAssertEqual(
            try ["page_size", "journal_mode", "synchronous", "secure_delete", "cache_size", "journal_size_limit"]
                .map { try pragma($0) }, ["8192", "wal", "2", "1", "-1000", "1048576"])
    }

    func testAFileThatCannotBeOpenedIsNamed() throws {
        for isPrivate in [false, true] {
            XCTAssertThrowsError(try open("none/some.db") { $0.isPrivate = isPrivate }) { error in
                guard case .cannotOpen(let path, _)? = error as? StoreError else { return XCTFail("\(error)") }
                XCTAssertEqual(path, folder.path + "/none/some.db")
            }
        }
    }

    func testAClosedConnectionGivesErrors() throws {
        let connection = try open(":memory:")
        try table(connection)
        connection.shut()
        XCTAssertThrowsError(try numbers(connection))
        XCTAssertEqual([connection.changes, Int(connection.lastInsertID)], [0, 0])
    }

    // MARK: Statements

    func testMoreTextsThanAreKept() throws {
        let connection = try open(":memory:")
        let first = try connection.prepare("SELECT 0")
        for number in 1...Int64(1500) {
            XCTAssertEqual(try connection.prepare("SELECT \(number)").first { $0.int(0) }, number)
        }
        XCTAssertLessThanOrEqual(connection.preparedSQL.count, 1000)
        XCTAssertEqual(try first.first { $0.int(0) }, 0, "who holds one may use it")
    }

    func testValuesComeBackAsTheyWereBound() throws {
        let connection = try open(":memory:")
        let row = try connection.prepare("SELECT ?, ?, ?, ?, ?, ?, typeof(?5)")
            .bind(Int64.min).bind("t\u{0}é").bind([UInt8]()).bind(optional: nil).bind(blob: [0, 0xFF]).bind(true)
        XCTAssert(try row.next())
        XCTAssertEqual(row.int(0), .min)
        XCTAssertEqual(row.text(1), "t\u{0}é")
        XCTAssertEqual(row.optionalBytes(2), [])
        XCTAssertNil(row.optionalBytes(3))
        XCTAssertEqual(row.blob(4), [0, 0xFF])
        XCTAssert(row.bool(5))
        XCTAssertEqual(row.text(6), "blob")
    }

    func testMoreValuesThanPlacesAreAnError() throws {
        let connection = try open(":memory:")
        XCTAssertThrowsError(try connection.prepare("SELECT ?").bind(1).bind(2).run())
        XCTAssertEqual(try connection.prepare("SELECT ?").bind(3).first { $0.int(0) }, 3, "bound anew")
    }

    func testTimesAndCountsCanBeCountedWith() throws {
        let connection = try open(":memory:")
        let row = try connection.prepare("SELECT ?1, ?2").bind(Int64.max).bind(Int64.min)
        XCTAssert(try row.next())
        XCTAssertEqual([row.time(0), row.time(1), row.count(0), row.count(1)], [1 << 53, -1, 1 << 53, 0])
    }

    // MARK: Functions

    func testAFunctionGetsItsArguments() throws {
        let connection = try open(":memory:") {
            $0.functions = [
                SQLFunction("sum_of", argumentCount: nil) { arguments in
                    let numbers = (0..<arguments.count).filter { arguments.isInteger($0) }.map { arguments.int($0) }
                    return .number(numbers.reduce(0, +) + Int64(arguments.text(arguments.count).count))
                },
                SQLFunction("damaged", argumentCount: 1) { $0.text(0).elementsEqual("x".utf8) ? .damage : .number(1) },
            ]
        }
        let sums = try connection.prepare("SELECT sum_of(1, 'a', 2), sum_of()").first { [$0.int(0), $0.int(1)] }
        XCTAssertEqual(sums, [3, 0])
        XCTAssertEqual(try connection.prepare("SELECT damaged('y')").first { $0.int(0) }, 1)
        XCTAssertThrowsError(try connection.prepare("SELECT damaged('x')").run()) { error in
            guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
        }
        XCTAssertThrowsError(try connection.prepare("SELECT damaged()"))
    }
}
