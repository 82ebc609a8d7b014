import CSQLite
import Foundation
import Glibc
import SyncModel
import TestSupport
import XCTest

@testable import SyncSQLite
@testable import SyncStore

/// The log's frames are written together, and a commit that has returned is in the file all the same.
final class WALGatheringTests: XCTestCase {
    private typealias Rows = [Int64: String]

    private func open(_ folder: Folder, cachedPages: Int) throws -> Connection {
        let connection = try Connection(path: folder.path + "/some.db", safety: .normal, pageSize: 4096)
        try connection.execute("PRAGMA cache_size = \(cachedPages)")
        try connection.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY, b TEXT NOT NULL) STRICT")
        return connection
    }

    private func rows(_ connection: Connection) throws -> Rows {
        let row = try connection.prepare("SELECT a, b FROM t")
        defer { row.reset() }
        var rows: Rows = [:]
        while try row.next() { rows[row.int(0)] = row.text(1) }
        return rows
    }

    /// Some writes; far more than the page cache holds at times, so that frames go to the log before the commit, are
    /// read back, and are written again at their place when a page changes twice.
    private func write(to connection: Connection, _ rows: inout Rows, using random: inout SeededGenerator) throws {
        for _ in 0..<[1, 3, 30, 400][Int.random(in: 0...3, using: &random)] {
            let key = Int64.random(in: 1...600, using: &random)
            if Int.random(in: 0...4, using: &random) == 0 {
                try connection.prepare("DELETE FROM t WHERE a = ?").bind(key).run()
                rows[key] = nil
            } else {
                let size = [0, 50, 700, 20_000][Int.random(in: 0...20, using: &random) / 6]
                let text = String(repeating: "\(key) ", count: size / 3)
                try connection.prepare("INSERT OR REPLACE INTO t (a, b) VALUES (?, ?)").bind(key).bind(text).run()
                rows[key] = text
            }
        }
    }

    /// What a kill at this moment leaves to the next process.
    private func rowsAfterKill(_ folder: Folder) throws -> Rows {
        let copy = try folder.copied()
        let connection = try Connection(path: copy.path + "/some.db", safety: .normal, pageSize: 4096)
        let check = try connection.prepare("PRAGMA integrity_check")
        XCTAssert(try check.next())
        XCTAssertEqual(check.text(0), "ok")
        check.reset()
        return try rows(connection)
    }

    func testACommitThatReturnedSurvivesAKill() throws {
        for seed in 1...(ProcessInfo.processInfo.environment["SM_LONG"] == nil ? 3 : 20) as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let folder = try Folder()
            let connection = try open(folder, cachedPages: [1, 10, 1000][Int(seed % 3)])
            var committed: Rows = [:]
            for step in 0..<40 {
                var after = committed
                if Int.random(in: 0...4, using: &random) == 0 {
                    XCTAssertThrowsError(try connection.transaction { () throws(StoreError) in
                        try? write(to: connection, &after, using: &random)
                        throw .full
                    })
                } else {
                    try connection.transaction { () throws(StoreError) in
                        try? write(to: connection, &after, using: &random)
                    }
                    committed = after
                }
                XCTAssertEqual(try rowsAfterKill(folder), committed, "seed \(seed), step \(step)")
                XCTAssertEqual(try rows(connection), committed, "seed \(seed), step \(step)")
                // Another connection reads the log while this one writes it.
                if step % 7 == 0 {
                    let other = try Connection(path: folder.path + "/some.db", safety: .normal, pageSize: 4096)
                    XCTAssertEqual(try rows(other), committed)
                }
                if step % 13 == 12 { try connection.execute("PRAGMA wal_checkpoint(RESTART)") }
                if step % 17 == 16 { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            }
        }
    }

    /// Writes that fail, at every size that the log has on its way: the transaction fails with them, and what was
    /// committed before it stays.
    func testAFailedWriteFailsItsTransaction() throws {
        // Beyond the limit a write is cut short or fails, instead of ending the process.
        let before = signal(SIGXFSZ, SIG_IGN)
        defer { signal(SIGXFSZ, before) }
        var limit = rlimit()
        XCTAssertEqual(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
        let free = limit
        var failures = 0
        for seed in 1...2 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let folder = try Folder()
            let connection = try open(folder, cachedPages: seed % 2 == 0 ? 5 : 1000)
            try connection.execute("PRAGMA wal_autocheckpoint = 0")
            var committed: Rows = [:]
            for step in 0..<60 {
                var after = committed
                var size = stat()
                stat(folder.path + "/some.db-wal", &size)
                limit.rlim_cur = UInt(size.st_size) + .random(in: 0...60_000, using: &random)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                var failure: StoreError?
                do throws(StoreError) {
                    try connection.transaction { () throws(StoreError) in
                        try? write(to: connection, &after, using: &random)
                    }
                } catch {
                    failure = error
                }
                limit.rlim_cur = free.rlim_cur
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                if failure == nil { committed = after } else { failures += 1 }
                let what = "seed \(seed), step \(step): \(String(describing: failure))"
                XCTAssertEqual(try rows(connection), committed, what)
                XCTAssertEqual(try rowsAfterKill(folder), committed, "seed \(seed), step \(step)")
            }
        }
        XCTAssertGreaterThan(failures, 10)
    }

    /// The file below against a plain array of bytes: frames in their order, out of it, cut short, and reads between
    /// them. At a commit's end and at everything that is no frame in its place, the file has all.
    func testTheFileIsWhatPlainWritesWouldMakeIt() throws {
        let name = try XCTUnwrap(SQLiteLibrary.linked.gatheringVFS)
        let vfs = try XCTUnwrap(sqlite3_vfs_find(name))
        for seed in 1...(ProcessInfo.processInfo.environment["SM_LONG"] == nil ? 20 : 300) as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let folder = try Folder()
            // SQLite gives a log the mode of its database.
            try Data().write(to: folder.url("some.db"))
            let path = folder.path + "/some.db-wal"
            let file = UnsafeMutableRawPointer.allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
                .bindMemory(to: sqlite3_file.self, capacity: 1)
            defer { UnsafeMutableRawPointer(file).deallocate() }
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL
            var model: [UInt8] = []
            try path.withCString { name in
                XCTAssertEqual(vfs.pointee.xOpen(vfs, name, file, flags, nil), SQLITE_OK)
                let methods = try XCTUnwrap(file.pointee.pMethods).pointee
                func write(_ bytes: [UInt8], _ offset: Int) {
                    XCTAssertEqual(methods.xWrite(file, bytes, Int32(bytes.count), Int64(offset)), SQLITE_OK)
                    if model.count < offset + bytes.count {
                        model += [UInt8](repeating: 0, count: offset + bytes.count - model.count)
                    }
                    model.replaceSubrange(offset..<offset + bytes.count, with: bytes)
                }
                func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 1...255, using: &random) } }
                func isWhole() throws -> Bool { try Data(contentsOf: URL(fileURLWithPath: path)) == Data(model) }
                var end = 0
                for step in 0..<120 {
                    let isCommit = Int.random(in: 0...3, using: &random) == 0
                    var header = bytes(24)
                    if !isCommit { header.replaceSubrange(4..<8, with: [0, 0, 0, 0]) }
                    switch Int.random(in: 0...19, using: &random) {
                    case 0:
                        write(bytes(32), 0)
                        end = 32
                        XCTAssert(try isWhole(), "seed \(seed), step \(step)")
                    case 1:
                        // A header that is written again, and what the next write finds behind it.
                        end = .random(in: 0...end, using: &random)
                        write(header, end)
                        if Bool.random(using: &random) { end += 24 }
                    case 2:
                        end = .random(in: 0...end, using: &random)
                    case 3 where !model.isEmpty:
                        let start = Int.random(in: 0..<model.count, using: &random)
                        var found = bytes(min(500, model.count - start))
                        XCTAssertEqual(
                            methods.xRead(file, &found, Int32(found.count), Int64(start)), SQLITE_OK)
                        XCTAssertEqual(found, Array(model[start..<start + found.count]), "seed \(seed), step \(step)")
                        XCTAssert(try isWhole(), "seed \(seed), step \(step)")
                    case 4:
                        var size: sqlite3_int64 = 0
                        XCTAssertEqual(methods.xFileSize(file, &size), SQLITE_OK)
                        XCTAssertEqual(Int(size), model.count, "seed \(seed), step \(step)")
                    case 5:
                        model = Array(model.prefix(.random(in: 0...model.count, using: &random)))
                        XCTAssertEqual(methods.xTruncate(file, Int64(model.count)), SQLITE_OK)
                        end = min(end, model.count)
                        XCTAssert(try isWhole(), "seed \(seed), step \(step)")
                    case 6:
                        XCTAssertEqual(methods.xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK)
                        XCTAssert(try isWhole(), "seed \(seed), step \(step)")
                    default:
                        let page = [UInt8](
                            repeating: .random(in: 1...255, using: &random), count: step % 10 == 0 ? 30_000 : 512)
                        write(header, end)
                        write(page, end + 24)
                        end += 24 + page.count
                        if isCommit { XCTAssert(try isWhole(), "seed \(seed), step \(step)") }
                    }
                }
                XCTAssertEqual(methods.xClose(file), SQLITE_OK)
                XCTAssert(try isWhole(), "seed \(seed)")
            }
        }
    }
}
