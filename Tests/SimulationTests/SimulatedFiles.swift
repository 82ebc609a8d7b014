import SyncJSON
import SyncModel

/// The disk of the device: files that come, change and go. It outlives the process.
final class SimulatedFiles: FileLooking {
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

    /// What the service has answered to an upload, whoever hears it.
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

    /// The body that libcurl makes of a form; what is wrong with its file otherwise.
    func body(of form: TransportForm) throws(FileProblem) -> (body: [UInt8], type: String) {
        guard let file = all[form.path] else { throw .missing }
        guard file.stamp == form.stamp else { throw .changed }
        let boundary = "simulated-boundary"
        var body: [UInt8] = []
        for field in form.fields {
            let head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n"
            body += Array((head + field.value + "\r\n").utf8)
        }
        body += Array(
            ("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(form.part)\"; filename=\"\(form.fileName)\"\r\n"
                + "Content-Type: \(form.type)\r\n\r\n").utf8)
        body += file.bytes + Array("\r\n--\(boundary)--\r\n".utf8)
        return (body, "multipart/form-data; boundary=\(boundary)")
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
