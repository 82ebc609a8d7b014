import Foundation
import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

/// Directories under a key of the host. They need a fitting SQLCipher, which Debian has from 13 on.
final class EncryptedDirectoryTests: XCTestCase {
    private let key = HostKey(digits: String(repeating: "0f", count: 32))
    private let other = HostKey(passphrase: "another one")

    /// Of the test, or of this turn of its loop.
    private var current: Folder?

    override func setUpWithError() throws {
        try Encrypted.skip("these have keys of their own")
        try beginAgain()
    }

    private func beginAgain() throws { current = try Folder() }

    private var path: String { current?.path ?? "" }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    private struct Stores {
        let cache: CacheStore
        let intents: IntentStore

        func close() {
            cache.close()
            intents.close()
        }
    }

    private func open(_ key: HostKey?) throws -> Stores {
        let place = StorePlace.directory(path)
        do {
            let keys = try DirectoryKeys.opened(path, key)
            let stores = Stores(cache: try CacheStore(place, now: 1, keys), intents: try IntentStore(place, keys))
            try keys?.settle()
            return stores
        } catch {
            if case .noEncryption = error { throw XCTSkip(error.message) }
            throw error
        }
    }

    private func fill(_ stores: Stores) throws {
        try stores.cache.setValue("planted key", "planted value")
        _ = try stores.intents.add(
            channelURL: "c", requestID: "planted id", createdAt: 1, body: Array("{\"message\":\"planted text\"}".utf8),
            isHostSent: false)
    }

    private func check(_ stores: Stores, _ line: UInt = #line) throws {
        XCTAssertEqual(try stores.cache.value("planted key"), "planted value", line: line)
        XCTAssertEqual(try stores.intents.intents().map(\.requestID), ["planted id"], line: line)
    }

    private func isReadable(_ word: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: path).contains {
            try Data(contentsOf: self.url($0)).range(of: Data(word.utf8)) != nil
        }
    }

    func testKeysThatAreNone() {
        for digits in ["", "0f", String(repeating: "0g", count: 32), String(repeating: "0f", count: 33)] {
            XCTAssertNil(HostKey(digits: digits), digits)
        }
        XCTAssertNil(HostKey(passphrase: ""))
    }

    func testNothingIsReadableAndTheKeyOpensAll() throws {
        for key in [key, other] {
            let stores = try open(key)
            try fill(stores)
            for word in ["planted", "SQLite format", "CREATE TABLE"] { XCTAssertFalse(try isReadable(word), word) }
            stores.close()
            for word in ["planted", "SQLite format", "CREATE TABLE"] { XCTAssertFalse(try isReadable(word), word) }
            let again = try open(key)
            try check(again)
            XCTAssertNil(again.cache.setAsideAs)
            again.close()
            try beginAgain()
        }
    }

    /// Nothing is touched by a key that does not fit.
    func testAWrongKeyIsToldFromDamage() throws {
        let stores = try open(key)
        try fill(stores)
        stores.close()
        assertWrongKeys()
        try check(try open(key))
    }

    private func assertWrongKeys(line: UInt = #line) {
        for (key, message) in [
            (other, "the key does not open \(path)"),
            (HostKey(digits: String(repeating: "1f", count: 32)), "the key does not open \(path)"),
            (nil, "\(path) is encrypted, and no key was given"),
        ] {
            XCTAssertThrowsError(try open(key), line: line) {
                XCTAssertEqual($0 as? StoreError, .wrongKey(message: message), line: line)
            }
        }
    }

    func testAKeyForAPlainDirectory() throws {
        let plain = try open(nil)
        try fill(plain)
        plain.close()
        XCTAssertThrowsError(try DirectoryKeys.opened(path, key)) {
            XCTAssertEqual(
                $0 as? StoreError,
                .wrongKey(message: "\(path) is not encrypted: open it without a key and call encrypt"))
        }
        try check(try open(nil))
    }

    /// One of the two is enough, and the other is made again: missing, cut short, or with any byte changed.
    func testADamagedKeyFileIsMadeAgain() throws {
        let stores = try open(key)
        try fill(stores)
        stores.close()
        let whole = try Data(contentsOf: url("key.db"))
        XCTAssertEqual(try Data(contentsOf: url("key.db.1")), whole)
        var damages: [Data?] = [nil, Data(), whole.prefix(100), whole.prefix(whole.count / 2)]
        for offset in stride(from: 0, to: whole.count, by: 97) {
            var changed = whole
            changed[offset] ^= 0x55
            damages.append(changed)
        }
        for name in ["key.db", "key.db.1"] {
            for damage in damages {
                let file = url(name)
                try FileManager.default.removeItem(at: file)
                try damage?.write(to: file)
                let again = try open(key)
                try check(again)
                again.close()
                let both = try ["key.db", "key.db.1"].map { try Data(contentsOf: url($0)) }
                XCTAssertEqual(both[0], both[1])
            }
        }
        for name in ["key.db", "key.db.1"] { try whole.prefix(1000).write(to: url(name)) }
        XCTAssertThrowsError(try open(key)) {
            XCTAssertEqual($0 as? StoreError, .wrongKey(message: "the key does not open \(path)"))
        }
    }

    /// The key fits, so a cache that cannot be read is damaged: set aside as a plain one is.
    func testADamagedCacheIsSetAside() throws {
        let stores = try open(key)
        try fill(stores)
        stores.close()
        var bytes = try Data(contentsOf: url("cache.db"))
        bytes[20] ^= 1
        try bytes.write(to: url("cache.db"))
        let again = try open(key)
        XCTAssertNotNil(again.cache.setAsideAs)
        XCTAssertNil(try again.cache.value("planted key"))
        XCTAssertEqual(try again.intents.intents().count, 1)
    }

    func testRekey() throws {
        for isFull in [false, true] {
            let stores = try open(key)
            try fill(stores)
            try stores.cache.emptyLog()
            let before = try Data(contentsOf: url("cache.db"))
            try StoreEncryption.change(
                to: try XCTUnwrap(other), isFull: isFull, cache: stores.cache, intents: stores.intents)
            XCTAssertEqual(try Data(contentsOf: url("cache.db")) == before, !isFull)
            try check(stores)
            try stores.cache.setValue("later", "1")
            stores.close()
            XCTAssertThrowsError(try open(key)) {
                XCTAssertEqual($0 as? StoreError, .wrongKey(message: "the key does not open \(path)"))
            }
            let again = try open(other)
            try check(again)
            XCTAssertEqual(try again.cache.value("later"), "1")
            again.close()
            try beginAgain()
        }
    }

    /// A full rekey ends before any file has the new data key, or when the cache alone has it, as with a kill there:
    /// the host's new key opens all, and the next opening ends it.
    func testAFullRekeyThatEndsHalfway() throws {
        for isCacheDone in [false, true] {
            let stores = try open(key)
            try fill(stores)
            (isCacheDone ? stores.intents.connection : stores.cache.connection).shut()
            XCTAssertThrowsError(
                try StoreEncryption.change(
                    to: try XCTUnwrap(other), isFull: true, cache: stores.cache, intents: stores.intents))
            stores.close()
            // Who only looks sees all, too, and changes nothing.
            let keys = try DirectoryKeys.reading(path, other)
            for file in StoredFile.allCases {
                let found = try file.read(in: path, isSettled: true, keys)
                XCTAssertGreaterThan(try found.schemaVersion(), 0, file.rawValue)
                found.shut()
            }
            for _ in 1...2 {
                let again = try open(other)
                XCTAssertNil(again.cache.setAsideAs)
                try check(again)
                again.close()
            }
            try beginAgain()
        }
    }

    func testAPlainDirectoryIsEncryptedInUse() throws {
        try open(key).close()
        try beginAgain()
        let stores = try open(nil)
        try fill(stores)
        XCTAssert(try isReadable("planted"))
        try StoreEncryption.encrypt(try XCTUnwrap(key), cache: stores.cache, intents: stores.intents)
        XCTAssertEqual(StoreEncryption.state(of: stores.cache), .encrypted)
        XCTAssertFalse(try isReadable("planted"))
        try check(stores)
        try stores.cache.setValue("later", "1")
        stores.close()
        XCTAssertFalse(try isReadable("planted"))
        assertWrongKeys()
        let again = try open(key)
        try check(again)
        XCTAssertEqual(try again.cache.value("later"), "1")
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.contains("encrypted") }, [])
    }

    /// What a kill leaves: copies without keys are removed, copies with keys are put in place.
    func testAKillWhileAPlainDirectoryIsEncrypted() throws {
        try open(key).close()
        let keys = try ["key.db", "key.db.1"].map { ($0, try Data(contentsOf: url($0))) }
        let encrypted = try ["cache.db", "intents.db"].map { ($0, try Data(contentsOf: url($0))) }
        for placed in 0...2 {
            try beginAgain()
            let plain = try open(nil)
            try fill(plain)
            plain.close()
            for (index, (name, bytes)) in encrypted.enumerated() {
                try bytes.write(to: url(index < placed ? name : name + ".encrypted"))
            }
            try keys[0].1.write(to: url("key.db.new"))
            if placed == 0 {
                let again = try open(nil)
                try check(again)
                again.close()
                for name in ["cache.db.encrypted", "key.db.new"] {
                    XCTAssertFalse(FileManager.default.fileExists(atPath: url(name).path), name)
                }
                try keys[0].1.write(to: url("key.db.new"))
                for (name, bytes) in encrypted { try bytes.write(to: url(name + ".encrypted")) }
            }
            for (name, bytes) in keys { try bytes.write(to: url(name)) }
            let again = try open(key)
            XCTAssertNil(again.cache.setAsideAs)
            XCTAssertEqual(try again.intents.intents().count, 0)
            again.close()
            XCTAssertFalse(try isReadable("planted"))
            XCTAssertFalse(FileManager.default.fileExists(atPath: url("key.db.new").path))
        }
    }

    /// Without room for the copies all is as it was.
    func testAFailureLeavesThePlainDirectory() throws {
        try open(key).close()
        try beginAgain()
        let stores = try open(nil)
        try fill(stores)
        // A directory in the copy's place cannot be written to.
        try FileManager.default.createDirectory(at: url("key.db.new"), withIntermediateDirectories: false)
        XCTAssertThrowsError(
            try StoreEncryption.encrypt(try XCTUnwrap(key), cache: stores.cache, intents: stores.intents))
        try check(stores)
        try stores.cache.setValue("later", "1")
        stores.close()
        try FileManager.default.removeItem(at: url("key.db.new"))
        try check(try open(nil))
    }
}
