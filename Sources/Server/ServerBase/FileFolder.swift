import CLinux
import Glibc
import SyncBytes

/// The folder in which a server keeps uploaded files, each under a name of the server's own making.
///
/// A file is found only by its row in the database, which is stored when the file is complete: so nobody gets an
/// incomplete file from a server that was killed. The folder belongs to one database, which a file in it names. Files
/// that this database does not know were left by a killed server, and are removed at the start.
public final class FileFolder {
    /// The most bytes that all files together may have.
    private let quota: Int64
    private let path: String
    private let random: RandomSource
    /// The descriptor of the file that names the owner; it is locked for as long as the server runs.
    private let marker: Int32
    /// The bytes of all files, including those that are coming in.
    private var bytes: Int64 = 0

    private static let markerName = "owner"

    public init(path: String, quota: Int64, random: RandomSource) throws {
        self.path = path
        self.quota = quota
        self.random = random
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFolder.failure(path) }
        marker = shim_open("\(path)/\(FileFolder.markerName)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard marker >= 0 else { throw FileFolder.failure(path) }
        guard flock(marker, LOCK_EX | LOCK_NB) == 0 else {
            close(marker)
            throw SetupError("the folder \(path) is in use by another server")
        }
    }

    deinit { close(marker) }

    private static func failure(_ path: String) -> SetupError {
        SetupError("the folder \(path) cannot be used: \(String(cString: strerror(errno)))")
    }

    /// Takes the folder over for a database, and removes the files that the database does not know. `bytes`: how many
    /// the known files have together.
    public func open(for owner: String, bytes: Int64, knows: (String) throws -> Bool) throws {
        var text = [UInt8](repeating: 0, count: 64)
        let count = pread(marker, &text, text.count, 0)
        let known = String(decoding: text.prefix(max(0, count)), as: UTF8.self)
        if !known.isEmpty, !known.isByteEqual(to: owner) {
            throw SetupError("the folder \(path) has the files of another database")
        }
        let name = Array(owner.utf8)
        guard pwrite(marker, name, name.count, 0) == name.count else { throw FileFolder.failure(path) }
        self.bytes = bytes
        try clean(knows)
    }

    /// Removes every file that a server has made here and that is not known.
    public func clean(_ knows: (String) throws -> Bool) throws {
        guard let entries = opendir(path) else { throw FileFolder.failure(path) }
        defer { closedir(entries) }
        var strays: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if FileFolder.isKey(name), try !knows(name) { strays.append(name) }
        }
        for name in strays { unlink("\(path)/\(name)") }
    }

    /// Whether a name is one that this server makes: other files in the folder are left alone.
    private static func isKey(_ name: String) -> Bool {
        name.utf8.count == 32
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    // MARK: Files

    /// A new file, to be filled with at most `limit` bytes.
    public func draft(limit: Int64) throws -> FileDraft { try FileDraft(self, name: random.hex(16), limit: limit) }

    /// A file that the database knows; `nil` when it is missing or incomplete: a power failure may damage the last
    /// ones.
    public func file(_ name: String, count: Int64) -> StoredBytes? {
        var facts = stat()
        guard stat(path(of: name), &facts) == 0, Int64(facts.st_size) == count else { return nil }
        return .disk(path: path(of: name), count: count)
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Refuses `count` bytes when there is no room for them.
    public func checkRoom(_ count: Int64) throws {
        guard count <= quota - min(quota, bytes) else { throw Refusal.fullOfFiles(quota >> 20) }
    }

    func take(_ count: Int64) throws {
        try checkRoom(count)
        bytes += count
    }

    func free(_ count: Int64) { bytes -= count }
}
