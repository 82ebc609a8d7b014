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
