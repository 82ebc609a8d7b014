import Foundation
import SyncJSON
import SyncModel
import SyncSQLite
import TestSupport
import XCTest

@testable import SyncStore

final class DamageTests: XCTestCase {
    private func fill(_ store: CacheStore) throws {
        let text = String(repeating: "x", count: 600)
        try store.upsert((1...2000).map { message($0, at: $0, text: text) }, channel: try store.channels.key("c"))
    }

    private func overwrite(_ file: URL, from start: Double, to end: Double) throws {
        var data = try Data(contentsOf: file)
        let range = Int(Double(data.count) * start)..<Int(Double(data.count) * end)
        data.replaceSubrange(range, with: Data(repeating: 0x55, count: range.count))
        try data.write(to: file)
    }

    func testWhatIsNoDatabaseIsSetAside() throws {
        for size in [2, 20, 100, 20_000] {
            let folder = try Folder()
            try Data(repeating: 0x55, count: size).write(to: folder.url("cache.db"))
            let store = try CacheStore(directory: folder.path, now: 42)
            XCTAssertEqual(store.setAsideAs, folder.path + "/cache.db.corrupt-42")
            XCTAssertEqual(try store.channels.urls().count, 0)
            XCTAssertEqual(try Data(contentsOf: folder.url("cache.db.corrupt-42")).count, size)
        }
    }

    /// Behind the highest number SQLite gives random ones, and no search would find what comes with those. The index of
    /// searches counts from 1, and could never be made for a row below.
    func testAMessageWithANumberThatNoneCanHaveIsDamage() throws {
        for number in [Int64.max - 1, 1 << 62, 0, -2, .min] {
            let folder = try Folder()
            let store = try CacheStore(directory: folder.path, now: 0)
            try store.upsert((1...3).map { message($0, at: $0) }, channel: try store.channels.key("c"))
            try store.connection.execute("UPDATE message SET key = \(number) WHERE id = '2'")
            store.close()
            XCTAssertNotNil(try CacheStore(directory: folder.path, now: 1).setAsideAs, "\(number)")
        }
    }

    func testFileWithoutItsTablesIsSetAside() throws {
        let damages = [
            "DROP TABLE message", "ALTER TABLE chunk RENAME TO chunks", "PRAGMA user_version = -5",
            "PRAGMA user_version = 0",
        ]
        for damage in damages {
            let folder = try Folder()
            let store = try CacheStore(directory: folder.path, now: 0)
            try store.connection.execute(damage)
            store.close()
            XCTAssertNotNil(try CacheStore(directory: folder.path, now: 1).setAsideAs, damage)
            XCTAssertNil(try CacheStore(directory: folder.path, now: 2).setAsideAs, damage)
        }
    }

    /// Opening looks at a few pages only. Damage elsewhere shows in use, is an error there, and is mended by the next
    /// opening.
    func testDamageFoundInUseIsSetAsideAtTheNextOpening() throws {
        let folder = try Folder()
        do {
            let store = try CacheStore(directory: folder.path, now: 0)
            try fill(store)
            store.close()
        }
        // Behind it is the last message, which is read at the opening.
        try overwrite(folder.url("cache.db"), from: 0.5, to: 0.7)
        do {
            let store = try CacheStore(directory: folder.path, now: 1)
            XCTAssertNil(store.setAsideAs)
            XCTAssertFalse(folder.exists("cache.db.damaged"))
            let key = try store.channels.key("c")
            XCTAssertThrowsError(
                try store.messagesBefore(.last, notBefore: .first, channel: key, filter: everything, limit: 10_000)
            ) { error in
                guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
            }
            XCTAssert(folder.exists("cache.db.damaged"))
            store.close()
        }
        let store = try CacheStore(directory: folder.path, now: 2)
        XCTAssertEqual(store.setAsideAs, folder.path + "/cache.db.corrupt-2")
        XCTAssertFalse(folder.exists("cache.db.damaged"))
        try fill(store)
        store.close()
        XCTAssertNil(try CacheStore(directory: folder.path, now: 3).setAsideAs)
    }

    /// The log of the file that is set aside must not be replayed into the new one.
    func testLogGoesWithItsFile() throws {
        try Encrypted.skip("what was set aside is opened in another folder, which has another key")
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try fill(store)
        let copy = try folder.copied()
        XCTAssert(copy.exists("cache.db-wal"))
        try Data().write(to: copy.url("cache.db.damaged"))
        let anew = try CacheStore(directory: copy.path, now: 7)
        XCTAssertEqual(anew.setAsideAs, copy.path + "/cache.db.corrupt-7")
        XCTAssertEqual(try anew.messageCount(channel: 1, from: .first, through: .last), 0)
        anew.close()
        // What was set aside is whole: file and log.
        let aside = try Folder()
        try FileManager.default.moveItem(at: copy.url("cache.db.corrupt-7"), to: aside.url("cache.db"))
        try FileManager.default.moveItem(at: copy.url("cache.db.corrupt-7-wal"), to: aside.url("cache.db-wal"))
        XCTAssertEqual(
            try CacheStore(directory: aside.path, now: 8).messageCount(channel: 1, from: .first, through: .last), 1000)
    }

    /// Random bytes at random places: an error or a file set aside, never a crash, and always usable again in the end.
    func testRandomDamageNeverDoesHarm() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try fill(store)
        store.close()
        let whole = try Data(contentsOf: folder.url("cache.db"))
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        for seed in 1...(isLong ? 1000 : 30) as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let folder = try Folder()
            var data = whole
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                // Most of it near the start, where the schema and the roots are.
                let end = Bool.random(using: &random) ? 80 * 4096 : data.count
                data[Int.random(in: 0..<end, using: &random)] = .random(in: 0...255, using: &random)
            }
            if seed % 5 == 0 { data.removeLast(.random(in: 1..<data.count, using: &random)) }
            try data.write(to: folder.url("cache.db"))
            for now in 0..<3 as Range<Int64> {
                do {
                    let store = try CacheStore(directory: folder.path, now: now)
                    defer { store.close() }
                    let key = try store.channels.key("c")
                    let rows = try store.messagesBefore(
                        .last, notBefore: .first, channel: key, filter: everything, limit: 9999)
                    for row in rows { XCTAssertNoThrow(try JSON.parse(row.json), "seed \(seed)") }
                    try fill(store)
                    try store.clearMessages(channel: nil)
                } catch let error as StoreError {
                    // A header that speaks of a later version is believed.
                    if case .newerSchema = error { break }
                    XCTAssertLessThan(now, 2, "seed \(seed): \(error)")
                }
            }
        }
    }

    /// A column that is not there is met by the first statement that asks for it.
    func testFileWithOtherColumnsIsSetAsideAtTheNextOpening() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try store.connection.execute("ALTER TABLE message RENAME COLUMN is_silent TO is_loud")
        store.close()
        let damaged = try CacheStore(directory: folder.path, now: 1)
        XCTAssertNil(damaged.setAsideAs)
        XCTAssertThrowsError(try fill(damaged)) { error in
            guard case .corrupt(let message)? = error as? StoreError else { return XCTFail("\(error)") }
            XCTAssert(message.contains("is_silent"), message)
        }
        damaged.close()
        let anew = try CacheStore(directory: folder.path, now: 2)
        XCTAssertNotNil(anew.setAsideAs)
        try fill(anew)
    }

    /// SQLite opens a file of a later write version, and refuses every change.
    func testFileThatCannotBeWrittenToIsDamaged() throws {
        try Encrypted.skip("the header of an encrypted file is encrypted")
        let folder = try Folder()
        try CacheStore(directory: folder.path, now: 0).close()
        try IntentStore(directory: folder.path).close()
        for file in ["cache.db", "intents.db"] {
            var data = try Data(contentsOf: folder.url(file))
            XCTAssertEqual(data[18], 2)
            data[18] = 9
            try data.write(to: folder.url(file))
        }
        let store = try CacheStore(directory: folder.path, now: 1)
        XCTAssertNotNil(store.setAsideAs)
        try fill(store)
        XCTAssertThrowsError(try IntentStore(directory: folder.path)) { error in
            guard case .corrupt(let message)? = error as? StoreError else { return XCTFail("\(error)") }
            XCTAssert(message.contains("intents.db is of a kind"), message)
        }
    }

    /// Unsent messages are never dropped by the library: the damaged file stays as it is.
    func testDamagedIntentsAreAnErrorAndStay() throws {
        let folder = try Folder()
        let bytes = Data(repeating: 0x55, count: 20_000)
        try bytes.write(to: folder.url("intents.db"))
        XCTAssertThrowsError(try IntentStore(directory: folder.path)) { error in
            guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
        }
        XCTAssertEqual(try Data(contentsOf: folder.url("intents.db")), bytes)
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("corrupt") }, [])
    }
}
