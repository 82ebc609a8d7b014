import CLinux
import Glibc

/// A regular file that is open for reading.
public struct DiskFile: Sendable {
    /// Identifies a file: when one of these values differs, it is another file, or it was changed.
    public struct Stamp: Equatable, Sendable {
        public var size: Int64
        /// Nanoseconds since the epoch.
        public var modified: Int64
        public var inode: UInt64

        public init(size: Int64, modified: Int64, inode: UInt64) {
            self.size = size
            self.modified = modified
            self.inode = inode
        }

        init(_ status: stat) {
            size = Int64(status.st_size)
            let seconds = Int64(status.st_mtim.tv_sec)
            modified = seconds &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
            inode = UInt64(status.st_ino)
        }
    }

    /// What is wrong with a file.
    public enum Problem: Int, Error, Sendable {
        case missing = 1
        case unreadable, notRegular, empty, changed
        /// There is one already, and it is not to be replaced.
        case exists
        case unwritable
        /// Another exchange or an export writes it.
        case busy
        /// The system has no descriptor or memory left to open it.
        case unavailable
    }

    let descriptor: Int32
    public let stamp: Stamp

    /// Opens a file for reading; the caller closes it. Anything but a regular file, a pipe for example, is refused at
    /// once.
    static func open(_ path: String) throws(Problem) -> DiskFile {
        guard !path.utf8.contains(0) else { throw .missing }
        let descriptor = shim_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .missing
            // A socket, or a device without a driver.
            case ENXIO, ENODEV: throw .notRegular
            case EMFILE, ENFILE, ENOMEM, EINTR: throw .unavailable
            default: throw .unreadable
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw .unreadable
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notRegular
        }
        guard status.st_size > 0 else {
            close(descriptor)
            throw .empty
        }
        return DiskFile(descriptor: descriptor, stamp: Stamp(status))
    }

    /// The stamp of a file as it is now; throws when the file cannot be sent.
    public static func look(at path: String) throws(Problem) -> Stamp {
        let file = try open(path)
        close(file.descriptor)
        return file.stamp
    }

    /// Whether the file is unchanged since it was opened.
    var isUnchanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && Stamp(status) == stamp
    }
}

extension NetworkFailure {
    package init(_ problem: DiskFile.Problem, _ path: String) {
        let what =
            switch problem {
            case .missing: "there is no such file"
            case .unreadable: "the file cannot be read"
            case .notRegular: "it is no regular file"
            case .empty: "the file is empty"
            case .changed: "the file was changed"
            case .exists: "there is a file already"
            case .unwritable: "the file cannot be written"
            case .busy: "the file is being written already"
            case .unavailable: "the file cannot be opened now"
            }
        self.init(.file, code: problem.rawValue, "\(path): \(what)")
    }

    /// The same with the system's reason.
    init(_ problem: DiskFile.Problem, _ path: String, errno number: Int32) {
        self.init(problem, path)
        message += " (\(String(cString: strerror(number))))"
    }
}
