import CLinux
import Glibc

/// A file that is coming into a folder. It is removed again unless `keep` is called.
public final class FileDraft {
    /// What the file is called in its folder.
    public let name: String
    /// How many bytes have come.
    public private(set) var count: Int64 = 0
    private let folder: FileFolder
    /// The most bytes that are taken.
    private let limit: Int64
    /// -1 once it is complete.
    private var descriptor: Int32
    private var isKept = false

    init(_ folder: FileFolder, name: String, limit: Int64) throws {
        self.folder = folder
        self.name = name
        self.limit = limit
        descriptor = shim_open(folder.path(of: name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 { throw FileDraft.failure("it cannot be made") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if isKept { return }
        folder.free(count)
        unlink(folder.path(of: name))
    }

    /// Writes what comes next.
    public func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard Int64(bytes.count) <= limit - count else { throw Refusal.largeFile(limit >> 20) }
        try folder.take(Int64(bytes.count))
        count += Int64(bytes.count)
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let written = write(descriptor, base, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw FileDraft.failure("it cannot be written") }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// No more bytes come. A request may bring many files, and none of them needs a descriptor from here on.
    public func finish() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Keeps the file: the database has stored that the folder has it.
    public func keep() {
        finish()
        isKept = true
    }

    private static func failure(_ what: String) -> Refusal {
        Refusal(500_901, "The file was not stored: \(what): \(String(cString: strerror(errno))).", status: 507)
    }
}
