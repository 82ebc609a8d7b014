import SyncModel

/// The files of this machine, as a test says.
final class FakeFiles: FileLooking {
    var all: [String: Result<FileStamp, FileProblem>] = [:]
    /// What was written, by path, once it is whole.
    private(set) var written: [String: [UInt8]] = [:]
    /// How many writes the disk takes before it is behind once.
    var room = Int.max
    var isOpening = false

    func look(at path: String) throws(FileProblem) -> FileStamp {
        try (all[path] ?? .failure(.missing)).get()
    }

    /// Makes a file of so many bytes.
    func make(_ path: String, _ size: Int64 = 10, modified: Int64 = 5) {
        all[path] = .success(FileStamp(size: size, modified: modified, inode: 7))
    }

    func write(to path: String, replaces: Bool) -> any FileWriting { FakeWriting(self, path, replaces) }

    fileprivate func wrote(_ path: String, _ bytes: [UInt8]) { written[path] = bytes }
}

private final class FakeWriting: FileWriting {
    private let files: FakeFiles
    private let path: String
    private var bytes: [UInt8] = []
    private var taken = 0
    private var ended: FileWritingState?

    init(_ files: FakeFiles, _ path: String, _ replaces: Bool) {
        self.files = files
        self.path = path
        if files.written[path] != nil, !replaces { ended = .failed(.exists) }
    }

    var state: FileWritingState { ended ?? (files.isOpening ? .opening : .ready) }

    func take(_ new: [UInt8]) -> Bool {
        taken += 1
        guard taken % files.room != 0 || files.room == .max else { return false }
        bytes += new
        return true
    }

    func finish() {
        files.wrote(path, bytes)
        ended = .complete
    }

    func discard() { ended = .failed(.unwritable) }
}
