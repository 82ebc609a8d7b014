import Foundation
import XCTest

@testable import SyncSQLite

/// Files under a key. They need a fitting SQLCipher, which Debian has from 13 on; without it the error is tested.
final class EncryptionTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "/")
    private let key = FileKey.raw((0..<32).map { UInt8($0) })
    private let other = FileKey.raw([UInt8](repeating: 7, count: 32))

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func settings(_ key: FileKey?) -> ConnectionSettings {
        var settings = ConnectionSettings(safety: .normal, pageSize: 1024, cacheSize: 1000, logLimit: 1 << 20)
        settings.isPrivate = true
        settings.gathersLog = true
        settings.key = key
        settings.functions = [SQLFunction("twice", argumentCount: 1) { .number($0.int(0) * 2) }]
        return settings
    }

    private func skipWithoutLibrary() throws {
        if case .failure(let error) = SQLiteLibrary.encrypting { throw XCTSkip(error.message) }
    }

    private func open(_ key: FileKey?, _ name: String = "some.db") throws -> Connection {
        let connection = try Connection(path: path(name), settings(key))
        try connection.migrate(["CREATE TABLE t (n INTEGER NOT NULL, word TEXT NOT NULL) STRICT"])
        return connection
    }

    private func words(_ connection: Connection) throws -> [String] {
        try connection.prepare("SELECT word FROM t ORDER BY n").all { $0.text(0) }
    }

    private func add(_ word: String, _ connection: Connection) throws {
        try connection.prepare("INSERT INTO t VALUES (twice((SELECT count(*) FROM t)), ?)").bind(word).run()
    }

    /// Whether a word stands in any file of the folder.
    private func isReadable(_ word: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).contains {
            try Data(contentsOf: folder.appendingPathComponent($0)).range(of: Data(word.utf8)) != nil
        }
    }

    func testVersionsThatFit() {
        for version in ["4.6.0 community", "4.6.1", "4.10.0 enterprise", "5.0"] {
            XCTAssert(SQLiteLibrary.isFitting(version), version)
        }
        for version in ["4.5.9 community", "3.4.1", "", "community", "4"] {
            XCTAssertFalse(SQLiteLibrary.isFitting(version), version)
        }
    }

    func testWithoutAFittingLibraryNothingIsWritten() throws {
        guard case .failure(let error) = SQLiteLibrary.encrypting else { throw XCTSkip("there is a fitting library") }
        XCTAssertThrowsError(try open(key)) { XCTAssertEqual($0 as? StoreError, error) }
        XCTAssert(error.message.hasPrefix("encryption needs SQLCipher 4.6 or later: "), error.message)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }

    func testWhatIsWrittenIsReadWithTheKeyOnly() throws {
        try skipWithoutLibrary()
        for (key, other) in [(key, other), (.passphrase(Array("it's".utf8)), .passphrase(Array("its".utf8)))] {
            let connection = try open(key)
            try add("planted", connection)
            XCTAssertFalse(try isReadable("planted"), "the log has it")
            connection.shut()
            XCTAssertFalse(try isReadable("planted"))
            for wrong in [other, nil] {
                XCTAssertThrowsError(try open(wrong)) {
                    guard case .corrupt? = $0 as? StoreError else { return XCTFail("\($0)") }
                }
            }
            XCTAssertEqual(try words(try open(key)), ["planted"])
            try FileManager.default.removeItem(atPath: path("some.db"))
        }
    }

    func testAPlainFileIsNotTakenForAnEncryptedOne() throws {
        try skipWithoutLibrary()
        let plain = try open(nil)
        try add("planted", plain)
        plain.shut()
        XCTAssertThrowsError(try open(key))
        XCTAssertEqual(try words(try open(nil)), ["planted"])
    }

    func testAnotherKey() throws {
        try skipWithoutLibrary()
        let connection = try open(key)
        for number in 0..<300 { try add("word \(number)", connection) }
        try connection.setKey(other)
        try add("after", connection)
        XCTAssertEqual(try words(connection).count, 301)
        connection.shut()
        XCTAssertThrowsError(try open(key))
        XCTAssertEqual(try words(try open(other)).last, "after")
    }

    /// The connection of a plain file goes on with the encrypted copy, and has what was installed in it.
    func testAPlainFileIsEncryptedWhileItIsOpen() throws {
        try skipWithoutLibrary()
        let connection = try open(nil)
        try add("planted", connection)
        var seen: [String] = []
        try connection.install(SQLFunction("seen", argumentCount: 1) { arguments in
            seen.append(String(decoding: arguments.text(0), as: UTF8.self))
            return .number(0)
        })
        try connection.execute("CREATE TEMP TRIGGER told AFTER INSERT ON main.t BEGIN SELECT seen(NEW.word); END")
        try connection.emptyLog()
        try connection.whileShut { () throws(StoreError) in
            try EncryptedCopy.make(of: path("some.db"), at: path("new.db"), settings(key))
            guard rename(path("new.db"), path("some.db")) == 0 else { throw .full }
            return key
        }
        try add("behind", connection)
        XCTAssertEqual(seen, ["behind"])
        XCTAssertEqual(try words(connection), ["planted", "behind"])
        XCTAssertEqual(try connection.schemaVersion(), 1)
        connection.shut()
        XCTAssertFalse(try isReadable("planted"))
        XCTAssertEqual(try words(try open(key)), ["planted", "behind"])
    }

    /// What fails while the file is shut leaves it open as it was.
    func testAFailureWhileShutOpensThePlainFileAgain() throws {
        let connection = try open(nil)
        try add("kept", connection)
        XCTAssertThrowsError(try connection.whileShut { () throws(StoreError) in throw .full })
        XCTAssertEqual(try words(connection), ["kept"])
    }

    func testNoKeyIsShown() {
        for text in [String(describing: key), String(reflecting: key), "\(FileKey.passphrase(Array("secret".utf8)))"] {
            XCTAssertEqual(text, "FileKey")
        }
    }
}
