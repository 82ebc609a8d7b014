import CSQLite
import Foundation
import SyncModel
import XCTest

@testable import SyncStore

/// What a read of the disk that fails once (EIO) does to a sound cache.
final class ReadErrorTests: XCTestCase {
    private typealias Open = @convention(c) (
        UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
        UnsafeMutablePointer<Int32>?
    ) -> Int32
    private typealias Read = @convention(c) (
        UnsafeMutablePointer<sqlite3_file>?, UnsafeMutableRawPointer?, Int32, Int64
    ) -> Int32

    // The functions of C that use these cannot hold values of their own.
    nonisolated(unsafe) private static var open: Open?
    nonisolated(unsafe) private static var read: Read?
    nonisolated(unsafe) private static let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    /// How many reads of pages there are until one fails.
    nonisolated(unsafe) private static var readsLeft = 0

    /// Lets one read of a page fail as SQLite tells EIO, after so many others.
    private func failing<T>(after count: Int, _ body: () throws -> T) throws -> T {
        let system = try XCTUnwrap(sqlite3_vfs_find(nil))
        ReadErrorTests.open = system.pointee.xOpen
        ReadErrorTests.readsLeft = count + 1
        defer { system.pointee.xOpen = ReadErrorTests.open }
        system.pointee.xOpen = { vfs, name, file, flags, told in
            let code = ReadErrorTests.open?(vfs, name, file, flags, told) ?? SQLITE_CANTOPEN
            guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file, let own = file.pointee.pMethods
            else { return code }
            ReadErrorTests.read = own.pointee.xRead
            ReadErrorTests.methods.pointee = own.pointee
            ReadErrorTests.methods.pointee.xRead = { file, bytes, count, offset in
                if count >= 512 { ReadErrorTests.readsLeft -= 1 }
                if count >= 512, ReadErrorTests.readsLeft == 0 {
                    return SQLITE_IOERR | 33 << 8 // SQLITE_IOERR_CORRUPTFS, whose macro Swift does not see
                }
                return ReadErrorTests.read?(file, bytes, count, offset) ?? SQLITE_IOERR
            }
            file.pointee.pMethods = UnsafePointer(ReadErrorTests.methods)
            return code
        }
        return try body()
    }

    func testAReadThatFailsOnceIsNoDamage() throws {
        try Encrypted.skip("SQLCipher opens its files through functions of its own")
        let folder = try Folder()
        let full = try CacheStore(directory: folder.path, now: 1)
        try full.channels.upsert([XCTUnwrap(ChannelRecord(json: Array(#"{"channel_url":"c","name":"n"}"#.utf8)))])
        full.close()
        var opened = 0
        for count in 0..<60 {
            let result = Result { try failing(after: count) { try CacheStore(directory: folder.path, now: 2) } }
            switch result {
            case .success(let store):
                if ReadErrorTests.readsLeft <= 0 { opened += 1 }
                XCTAssertNil(store.setAsideAs, "\(count)")
                XCTAssertNotNil(try store.channels.channel("c"))
                store.close()
            case .failure(let error):
                if case StoreError.corrupt? = error as? StoreError { XCTFail("\(count): \(error)") }
            }
        }
        XCTAssertGreaterThan(opened, 0, "read once more")
    }
}
