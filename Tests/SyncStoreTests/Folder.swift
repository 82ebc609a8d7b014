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
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    /// A folder with the files as they are at this moment, as after a kill.
    func copied() throws -> Folder {
        let copy = try Folder()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(at: url(name), to: copy.url(name))
        }
        return copy
    }
}

extension Connection {
    /// A file as the library opens its own.
    convenience init(path: String, safety: ConnectionSettings.Safety, pageSize: Int) throws {
        var settings = StoredFile.cache.settings(nil)
        settings.safety = safety
        settings.pageSize = pageSize
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
