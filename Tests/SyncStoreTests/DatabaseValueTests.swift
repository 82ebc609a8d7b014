import Foundation
import SyncSQLite
import XCTest

@testable import SyncStore

/// Values of a realtime database and writes to it, in real files.
final class DatabaseValueTests: XCTestCase {
    private let instance = DatabaseInstance(url: "https://db.example", name: "n")

    private func place(_ path: String, _ query: String = "") -> DatabasePlace {
        DatabasePlace(instance, path: path, query: query)
    }

    private func keep(_ store: CacheStore, _ path: String, _ json: String, _ query: String = "") throws {
        try store.databaseValues.keep(Array(json.utf8), at: place(path, query))
    }

    private func value(_ store: CacheStore, _ path: String, _ query: String = "") throws -> String? {
        try store.databaseValues.value(at: place(path, query)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func places(_ store: CacheStore, _ path: String) throws -> [String] {
        try store.databaseValues.places(in: instance, touching: path).map {
            $0.path + ($0.query.isEmpty ? "" : "?" + $0.query)
        }
    }

    func testValuesAreThereAfterAKill() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try keep(store, "/a", #"{"é":1}"#)
        try keep(store, "/a", #"{"é":2}"#)
        try keep(store, "/a", "[]", "orderBy=%22%24key%22")
        try keep(store, "/a/b", "1")
        let other = DatabasePlace(DatabaseInstance(url: "https://db.example", name: "other"), path: "/a")
        try store.databaseValues.keep([0x31], at: other)
        let killed = try folder.copied()
        let later = try CacheStore(directory: killed.path, now: 0)
        XCTAssertEqual(try value(later, "/a"), #"{"é":2}"#)
        XCTAssertEqual(try value(later, "/a", "orderBy=%22%24key%22"), "[]")
        XCTAssertNil(try value(later, "/A"))
        XCTAssertEqual(try later.databaseValues.value(at: other), [0x31])
        try later.databaseValues.drop(at: place("/a"))
        try later.databaseValues.drop(at: place("/a"))
        XCTAssertEqual(try places(later, "/"), [])
        XCTAssertEqual(try later.databaseValues.value(at: other), [0x31])
        try later.databaseValues.clear()
        XCTAssertNil(try later.databaseValues.value(at: other))
    }

    func testPlacesAroundAndWithin() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        // Outer ones first: each drops what is kept within it.
        for path in ["/", "/a", "/a!", "/a0", "/a/b", "/a/b!c", "/a/b/c", "/a/\u{301}x", "/z"] {
            try keep(store, path, "1")
        }
        try keep(store, "/a/b", "2", "q")
        XCTAssertEqual(try places(store, "/a/b"), ["/", "/a", "/a/b", "/a/b?q", "/a/b/c"])
        XCTAssertEqual(try places(store, "/a/b/c/d"), ["/", "/a", "/a/b", "/a/b?q", "/a/b/c"])
        XCTAssertEqual(try places(store, "/a/\u{301}x/y"), ["/", "/a", "/a/\u{301}x"])
        XCTAssertEqual(try places(store, "/").count, 10)
        // The parts of a place go with its new value, its change leaves them.
        try store.databaseValues.keep([0x33], at: place("/a"), isChange: true)
        XCTAssertEqual(try places(store, "/").count, 10)
        try keep(store, "/a/b", "3")
        XCTAssertEqual(try places(store, "/a/b"), ["/", "/a", "/a/b"])
        try keep(store, "/a", "4")
        XCTAssertEqual(try places(store, "/"), ["/", "/a", "/a!", "/a0", "/z"])
        try keep(store, "/", "5")
        XCTAssertEqual(try places(store, "/"), ["/"])
    }

    func testWhatWasUsedLongestAgoGoesFirst() throws {
        let folder = try Folder()
        var store = try CacheStore(directory: folder.path, now: 0)
        store.databaseValues.valuesLimit = 3
        for path in ["/a", "/b", "/c"] { try keep(store, path, "1") }
        try store.databaseValues.use(at: place("/a"))
        try store.databaseValues.use(at: place("/nothing"))
        try keep(store, "/b", "1")
        try keep(store, "/d", "1")
        XCTAssertEqual(try places(store, "/"), ["/a", "/b", "/d"])
        // Counted anew after a start, and by bytes.
        store.close()
        store = try CacheStore(directory: folder.path, now: 0)
        store.databaseValues.bytesLimit = 16
        for path in ["/b", "/e", "/f"] { try keep(store, path, "1234") }
        XCTAssertEqual(try places(store, "/"), ["/a", "/b", "/d", "/e", "/f"], "14 bytes")
        try keep(store, "/g", "123")
        XCTAssertEqual(try places(store, "/"), ["/b", "/d", "/e", "/f", "/g"], "/a was used longest ago")
        try keep(store, "/f", "1")
        try keep(store, "/h", "123")
        XCTAssertEqual(try places(store, "/"), ["/b", "/d", "/e", "/f", "/g", "/h"], "16 bytes")
        // One that leaves no room for others is not kept, and what was kept is not true any more.
        try keep(store, "/e", "12345")
        XCTAssertEqual(try places(store, "/"), ["/b", "/d", "/f", "/g", "/h"])
        try keep(store, "/i", "1234")
        XCTAssertEqual(try places(store, "/").count, 6)
    }

    /// A size that no value has, alone or together with others, a size that is another, a value under another path, a
    /// use that nobody counts to: an error at most, never a sum that overflows.
    func testDamagedNumbers() throws {
        for (damage, isSeen) in [
            ("size = 9223372036854775807", true), ("size = -9223372036854775808", true), ("size = -1", true),
            ("size = 4194305", true), ("size = size + 1", true), ("path = '/x' || substr(path, 2)", true),
            ("used = 9223372036854775807", false), ("used = -9223372036854775808 + key", false), ("used = 0", false),
        ] {
            let folder = try Folder()
            var store = try CacheStore(directory: folder.path, now: 0)
            for path in ["/a", "/b", "/c"] { try keep(store, path, "1") }
            try store.connection.execute("UPDATE database_value SET \(damage)")
            store.close()
            store = try CacheStore(directory: folder.path, now: 1)
            XCTAssertNil(store.setAsideAs)
            for path in ["/d", "/a", "/xb", "/a", "/c"] {
                _ = try? value(store, path)
                try? keep(store, path, "[\(path.utf8.count)]")
            }
            store.databaseValues.valuesLimit = 2
            try? keep(store, "/e", "3")
            store.close()
            XCTAssertEqual(folder.exists("cache.db.damaged"), isSeen, damage)
            store = try CacheStore(directory: folder.path, now: 2)
            XCTAssertEqual(store.setAsideAs != nil, isSeen, damage)
            store.databaseValues.valuesLimit = 2
            for path in ["/f", "/g", "/h"] { try keep(store, path, "4") }
            XCTAssertEqual(try places(store, "/"), ["/g", "/h"], damage)
        }
    }

    /// Each statement fails in turn: nothing of the transaction stays, and what was counted is right afterwards.
    func testEveryStatementCanFail() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        store.databaseValues.valuesLimit = 3
        for path in ["/a", "/b", "/b/c"] { try keep(store, path, "1") }
        func work() throws {
            try store.transaction { () throws(StoreError) in
                try store.databaseValues.keep([0x32], at: place("/b"))
                try store.databaseValues.keep([0x32], at: place("/d"))
                try store.databaseValues.keep([0x32], at: place("/e"))
                try store.databaseValues.use(at: place("/b"))
                try store.databaseValues.drop(at: place("/d"))
            }
        }
        var statements = 0
        store.setStatementHook { _ throws(StoreError) in statements += 1 }
        store.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertThrowsError(try work())
        store.setCommitHook(nil)
        XCTAssertGreaterThan(statements, 6)
        for failing in 1...statements {
            var number = 0
            store.setStatementHook { sql throws(StoreError) in
                number += 1
                if number == failing { throw .full }
            }
            XCTAssertThrowsError(try work()) { XCTAssertEqual($0 as? StoreError, .full) }
            store.setStatementHook(nil)
            XCTAssertFalse(store.connection.hasUnfinishedStatement)
            let killed = try folder.copied()
            for opened in [store, try CacheStore(directory: killed.path, now: 0)] {
                XCTAssertEqual(try places(opened, "/"), ["/a", "/b", "/b/c"], "statement \(failing)")
                XCTAssertEqual(try value(opened, "/b"), "1")
            }
        }
        try work()
        XCTAssertEqual(try places(store, "/"), ["/b", "/e"])
    }

    func testADamagedValueIsDamage() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try keep(store, "/a", "[1]")
        try store.connection.execute("UPDATE database_value SET json = '[2]'")
        XCTAssertThrowsError(try value(store, "/a")) { error in
            guard case .corrupt? = error as? StoreError else { return XCTFail("\(error)") }
        }
        store.close()
        XCTAssertNotNil(try CacheStore(directory: folder.path, now: 5).setAsideAs)
    }

    /// What is signed out of leaves nothing in the files.
    func testWipingLeavesNothing() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let intents = try IntentStore(directory: folder.path)
        try keep(store, "/a", "\"SECRET-VALUE\"")
        try intents.add(
            DatabaseWrite(id: 1, path: "/a", kind: 0, body: Array("\"SECRET-WRITE\"".utf8)), to: instance)
        try store.forgetAll(open: [])
        try intents.removeAll()
        try store.emptyLog()
        try intents.emptyLog()
        XCTAssertEqual(try places(store, "/"), [])
        XCTAssertEqual(try intents.databaseWrites(to: instance), [])
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
            XCTAssertNil(try Data(contentsOf: folder.url(name)).range(of: Data("SECRET".utf8)), name)
        }
    }

    // MARK: Writes

    func testWritesAreKeptInTheirOrder() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        XCTAssertFalse(folder.exists("intents.used"))
        let other = DatabaseInstance(url: "https://other.example", name: "n")
        let writes = (1...12).reversed().map {
            DatabaseWrite(id: Int64($0), path: "/é\($0)", kind: Int64($0 % 3), body: Array("{\"a\":\($0)}".utf8))
        }
        for write in writes { try store.add(write, to: instance) }
        try store.add(writes[0], to: other)
        XCTAssertTrue(folder.exists("intents.used"), "a file that loses them is found damaged")
        XCTAssertThrowsError(try store.add(writes[3], to: instance))
        try store.removeDatabaseWrite(5, of: instance)
        try store.removeDatabaseWrite(5, of: instance)
        let killed = try folder.copied()
        let later = try IntentStore(directory: killed.path)
        XCTAssertEqual(try later.databaseWrites(to: instance), writes.reversed().filter { $0.id != 5 })
        XCTAssertEqual(try later.databaseWrites(to: other), [writes[0]])
        XCTAssertEqual(try later.intents(), [])
    }

    func testAWriteThatCannotBeKeptIsNotThere() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let first = DatabaseWrite(id: 1, path: "/", kind: 0, body: [0x31])
        try store.add(first, to: instance)
        try store.connection.execute("PRAGMA max_page_count = 12")
        let big = DatabaseWrite(id: 2, path: "/", kind: 0, body: [UInt8](repeating: 0x20, count: 100_000))
        XCTAssertThrowsError(try store.add(big, to: instance)) { XCTAssertEqual($0 as? StoreError, .full) }
        for hook in [true, false] {
            if hook {
                store.setStatementHook { _ throws(StoreError) in throw .full }
            } else {
                store.setStatementHook(nil)
                store.setCommitHook { () throws(StoreError) in throw .full }
            }
            XCTAssertThrowsError(try store.add(DatabaseWrite(id: 3, path: "/", kind: 0, body: []), to: instance))
            XCTAssertThrowsError(try store.removeDatabaseWrite(1, of: instance))
        }
        store.setCommitHook(nil)
        XCTAssertEqual(try store.databaseWrites(to: instance), [first])
    }
}
