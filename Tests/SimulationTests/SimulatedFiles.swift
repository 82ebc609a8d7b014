import SyncJSON
import SyncModel
import SyncSimulation

/// The disk of the device: files that come, change and go. It outlives the process.
final class SimulatedFiles: FileLooking, UploadedFiles {
    struct File: Equatable {
        var bytes: [UInt8]
        var stamp: FileStamp
    }

    private(set) var all: [String: File] = [:]
    private var lastInode: UInt64 = 100
    /// What the service has taken, by the address that it gave.
    private(set) var addresses: [String: [UInt8]] = [:]

    /// Makes a file, or another one under a name that is taken.
    func write(_ path: String, _ bytes: [UInt8], at time: Int64) {
        lastInode += 1
        let stamp = FileStamp(size: Int64(bytes.count), modified: time * 1_000_000, inode: lastInode)
        all[path] = File(bytes: bytes, stamp: stamp)
    }

    func remove(_ path: String) { all[path] = nil }

    func took(_ form: TransportForm, status: Int, _ body: [UInt8]) {
        guard status == 200, let url = (try? JSON.parse(body))?["url"]?.string else { return }
        addresses[url] = all[form.path]?.bytes
    }

    func look(at path: String) throws(FileProblem) -> FileStamp {
        guard let file = all[path] else { throw .missing }
        guard !file.bytes.isEmpty else { throw .empty }
        return file.stamp
    }

    func write(to path: String, replaces: Bool) -> any FileWriting {
        SimulatedWriting { [self] bytes in
            if all[path] != nil, !replaces { return .exists }
            write(path, bytes, at: 0)
            return nil
        }
    }

    func bytes(for form: TransportForm) throws(FileProblem) -> [UInt8] {
        guard let file = all[form.path] else { throw .missing }
        guard file.stamp == form.stamp else { throw .changed }
        return file.bytes
    }
}

/// A file that is written by a disk that is behind every third time.
private final class SimulatedWriting: FileWriting {
    private(set) var state = FileWritingState.opening
    private let complete: ([UInt8]) -> FileProblem?
    private var bytes: [UInt8] = []
    private var asked = 0

    init(_ complete: @escaping ([UInt8]) -> FileProblem?) {
        self.complete = complete
        state = .ready
    }

    func take(_ new: [UInt8]) -> Bool {
        asked += 1
        guard asked % 3 != 0 else { return false }
        bytes += new
        return true
    }

    func finish() { state = complete(bytes).map { .failed($0) } ?? .complete }

    func discard() { bytes = [] }
}
