import Foundation
import Glibc
import SyncModel
import SyncSQLite
import TestSupport
import XCTest

@testable import SyncStore

/// The lock, the modes of files, and what a killed process leaves to the next one.
final class OwnershipTests: XCTestCase {
    private static let role = "SM_STORE_TEST_WRITER"

    func testSecondOwnerIsRefusedByThePidOfTheFirst() throws {
        let folder = try Folder()
        let directory = folder.path + "/data/app/user"
        do {
            let lock = try DirectoryLock(directory: directory)
            defer { withExtendedLifetime(lock) {} }
            for _ in 0..<2 {
                XCTAssertThrowsError(try DirectoryLock(directory: directory)) { error in
                    XCTAssertEqual(error as? StoreError, .locked(byPID: getpid()))
                    XCTAssert((error as? StoreError)?.message.contains("\(getpid())") == true)
                }
            }
        }
        _ = try DirectoryLock(directory: directory)
    }

    func testFilesAndDirectoriesAreTheOwnersAlone() throws {
        let folder = try Folder()
        let lock = try DirectoryLock(directory: folder.path + "/data/app/user")
        let cache = try CacheStore(directory: folder.path + "/data/app/user", now: 0)
        let intents = try IntentStore(directory: folder.path + "/data/app/user")
        try cache.setValue("a", "b")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        var files: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/app/user") {
            XCTAssertEqual(try mode(folder.path + "/data/app/user/" + file), 0o600, file)
            files.insert(file)
        }
        let needed = ["lock", "cache.db", "cache.db-wal", "intents.db", "intents.db-wal"]
        XCTAssert(files.isSuperset(of: needed), "\(files)")
        for directory in ["/data", "/data/app", "/data/app/user"] {
            XCTAssertEqual(try mode(folder.path + directory), 0o700, directory)
        }
        withExtendedLifetime((lock, cache, intents)) {}
    }

    /// No file can be made there: every opener says so, with the path.
    func testUnwritableDirectoryIsAnError() throws {
        let folder = try Folder()
        try Data().write(to: folder.url("file"))
        // /proc takes no new files, not even from root.
        for directory in ["/proc/syncmanager", folder.path + "/file", folder.path + "/file/below"] {
            let openers: [() throws -> Void] = [
                { _ = try DirectoryLock(directory: directory) }, { _ = try CacheStore(directory: directory, now: 0) },
                { _ = try IntentStore(directory: directory) },
            ]
            for open in openers {
                XCTAssertThrowsError(try open()) { error in
                    guard case .cannotOpen(let path, let message)? = error as? StoreError else {
                        return XCTFail("\(error)")
                    }
                    XCTAssert(path.hasPrefix(directory.hasPrefix("/proc") ? "/proc" : folder.path), path)
                    XCTAssertFalse(message.isEmpty)
                }
            }
        }
    }

    /// To open a pipe waits for another process, so each of these openings could hang.
    func testAPipeInTheDirectoryIsAnError() throws {
        let ends = ["", "-journal", "-wal", "-shm"]
        for name in ends.map({ "cache.db" + $0 }) + ends.map({ "intents.db" + $0 }) + ["key.db"] {
            let folder = try Folder()
            unlink(folder.path + "/" + name)
            XCTAssertEqual(mkfifo(folder.path + "/" + name, 0o600), 0)
            XCTAssertThrowsError(
                try {
                    if name == "key.db" {
                        _ = try DirectoryKeys.opened(folder.path, HostKey(digits: String(repeating: "5a", count: 32)))
                    }
                    try CacheStore(directory: folder.path, now: 0).close()
                    try IntentStore(directory: folder.path).close()
                }(), name
            ) { error in
                guard case .cannotOpen(let path, _)? = error as? StoreError else { return XCTFail("\(name): \(error)") }
                XCTAssertEqual(path, folder.path + "/" + name)
            }
        }
    }

    /// A process is killed at random points of writing. The lock is free at once, and the next one finds every page
    /// that was committed, the range that covers exactly them, and nothing else.
    func testKilledWriterLeavesRowsAndRangesTogether() throws {
        if let directory = ProcessInfo.processInfo.environment[OwnershipTests.role] { try write(to: directory) }
        let folder = try Folder()
        var random = SeededGenerator(seed: 20)
        var committed = 0
        for _ in 0..<12 {
            let writer = Process()
            writer.executableURL = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe"))
            writer.arguments = ["SyncStoreTests.OwnershipTests/testKilledWriterLeavesRowsAndRangesTogether"]
            writer.environment = ProcessInfo.processInfo.environment.merging(
                [OwnershipTests.role: folder.path]) { $1 }
            let pipe = Pipe()
            writer.standardOutput = pipe
            try writer.run()
            // It tells each commit with one byte; the kill comes somewhere in the next one.
            var seen = 0
            let wanted = Int.random(in: 1...25, using: &random)
            while seen < wanted {
                let bytes = pipe.fileHandleForReading.availableData
                guard !bytes.isEmpty else { return XCTFail("the writer ended by itself") }
                seen += bytes.filter { $0 == UInt8(ascii: "#") }.count
            }
            XCTAssertThrowsError(try DirectoryLock(directory: folder.path)) { error in
                XCTAssertEqual(error as? StoreError, .locked(byPID: writer.processIdentifier))
            }
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
            seen += pipe.fileHandleForReading.readDataToEndOfFile().filter { $0 == UInt8(ascii: "#") }.count

            let lock = try DirectoryLock(directory: folder.path)
            let store = try CacheStore(directory: folder.path, now: 0)
            let intents = try IntentStore(directory: folder.path)
            XCTAssertNil(store.setAsideAs)
            let key = try store.channels.key("c")
            let chunks = try store.chunks.of(channel: key)
            let positions = try store.messageReferences(channel: key, from: .first, through: .last)
            XCTAssertEqual(chunks.map(\.start.position), [positions[0].position])
            XCTAssertEqual(chunks.map(\.end.position), [positions[positions.count - 1].position])
            XCTAssertEqual(positions.map(\.id), (1...positions.count).map { "\($0)" })
            XCTAssertEqual(positions.count % 100, 0)
            let pages = positions.count / 100
            // One more may have been committed and not told.
            XCTAssert((committed + seen...committed + seen + 1).contains(pages), "\(pages) of \(committed) + \(seen)")
            XCTAssert((pages...pages + 1).contains(try intents.intents().count))
            committed = pages
            store.close()
            intents.close()
            withExtendedLifetime(lock) {}
        }
    }

    /// The other side of the test above: writes until it is killed.
    private func write(to directory: String) throws -> Never {
        let lock = try DirectoryLock(directory: directory)
        let store = try CacheStore(directory: directory, now: 0)
        let intents = try IntentStore(directory: directory)
        let key = try store.channels.key("c")
        let text = String(repeating: "x", count: 600)
        while true {
            let held = try store.chunks.of(channel: key).last?.end.position.tie ?? 0
            let end = MessagePosition(order: held + 100, tie: held + 100)
            // An intent of a page that was killed is there already.
            if try intents.intents().count == Int(held / 100) {
                _ = try intents.add(
                    channelURL: "c", requestID: "\(end.tie)", createdAt: 0, body: [], isHostSent: false)
            }
            try store.transaction { () throws(StoreError) in
                for part in 0..<10 as Range<Int64> {
                    try store.upsert(
                        (1...10).map { message(held + part * 10 + $0, at: held + part * 10 + $0, text: text) },
                        channel: key)
                }
                try store.chunks.set(channel: key, [StoredChunk(
                    start: MessagePosition(order: 1, tie: 1), end: end, reachedFirst: true)])
            }
            guard Glibc.write(1, "#", 1) == 1 else { exit(1) }
            withExtendedLifetime(lock) {}
        }
    }
}
