import Foundation
import SyncSQLite
import XCTest

@testable import SyncStore

/// A folder of its own for one test.
final class Folder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "sm-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = try Encrypted.keys(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    /// A folder with the files as they are at this moment, as after a kill.
    func copied() throws -> Folder {
        let copy = try Folder()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasSuffix("-shm") {
            // Keys of its own.
            try? FileManager.default.removeItem(at: copy.url(name))
            try FileManager.default.copyItem(at: url(name), to: copy.url(name))
        }
        return copy
    }
}

/// With `SM_ENCRYPTED=1` the stores of these tests are encrypted, where the system has a fitting SQLCipher.
enum Encrypted {
    static let hostKey = ProcessInfo.processInfo.environment["SM_ENCRYPTED"] == "1"
        ? HostKey(digits: String(repeating: "5a", count: 32)) : nil

    static func keys(_ directory: String) throws(StoreError) -> DirectoryKeys? {
        hostKey == nil ? nil : try DirectoryKeys.opened(directory, hostKey)
    }

    /// What a file in a directory is encrypted with.
    static func fileKey(_ path: String) throws(StoreError) -> FileKey? {
        let directory = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        return try DirectoryKeys.reading(directory, hostKey)?.dataKey
    }

    /// For tests of what is only so in a plain file.
    static func skip(_ why: String) throws { try XCTSkipIf(hostKey != nil, why) }
}

// These are taken before those of the library, which have keys with a default.
extension CacheStore {
    convenience init(directory: String, now: Int64) throws(StoreError) {
        try self.init(directory: directory, now: now, try Encrypted.keys(directory))
    }
}

extension IntentStore {
    convenience init(directory: String) throws(StoreError) {
        try self.init(directory: directory, try Encrypted.keys(directory))
    }
}

extension Connection {
    /// A file as the library opens its own.
    convenience init(path: String, safety: ConnectionSettings.Safety, pageSize: Int) throws {
        let key = path == Connection.inMemory ? nil : try Encrypted.fileKey(path)
        var settings = StoredFile.cache.settings(key)
        settings.safety = safety
        // Of an encrypted file it has to be the file's own.
        settings.pageSize = key == nil ? pageSize : StoredFile.allCases
            .first { path.hasSuffix($0.rawValue) }?.pageSize ?? pageSize
        settings.isPrivate = path != Connection.inMemory
        settings.gathersLog = path != Connection.inMemory
        try self.init(path: path, settings)
    }
}

/// Tests of stores in folders, which go with the test.
class StoreTestCase: XCTestCase {
    private var folders: [Folder] = []

    override func tearDown() { folders = [] }

    func newFolder() throws -> Folder {
        let folder = try Folder()
        folders.append(folder)
        return folder
    }

    func newStore() throws -> CacheStore { try CacheStore(directory: try newFolder().path, now: 0) }
}

/// A folder with files of earlier versions, `cache-N.db` and `intents-N.db`, under the names that the library gives
/// them.
func fixture(_ names: String...) throws -> Folder {
    try Encrypted.skip("files of earlier versions are plain")
    let folder = try Folder()
    for name in names {
        let base = String(name.prefix { $0 != "." }) + ".db"
        let kind = name.hasPrefix("cache") ? "cache.db" : "intents.db"
        let packed = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name).gz")
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", packed.path]
        let pipe = Pipe()
        gzip.standardOutput = pipe
        try gzip.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        gzip.waitUntilExit()
        XCTAssertEqual(gzip.terminationStatus, 0)
        try bytes.write(to: folder.url(name.replacingOccurrences(of: base, with: kind)))
    }
    return folder
}
