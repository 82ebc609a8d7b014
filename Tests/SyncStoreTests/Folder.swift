import Foundation

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
