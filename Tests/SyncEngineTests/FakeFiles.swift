import SyncModel

/// The files of this machine, as a test says.
final class FakeFiles: FileLooking {
    var all: [String: Result<FileStamp, FileProblem>] = [:]

    func look(at path: String) throws(FileProblem) -> FileStamp {
        try (all[path] ?? .failure(.missing)).get()
    }

    /// Makes a file of so many bytes.
    func make(_ path: String, _ size: Int64 = 10, modified: Int64 = 5) {
        all[path] = .success(FileStamp(size: size, modified: modified, inode: 7))
    }
}
