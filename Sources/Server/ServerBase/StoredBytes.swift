import CLinux
import Glibc

/// Where the bytes of a stored file are.
public enum StoredBytes {
    case memory([UInt8])
    case disk(path: String, count: Int64)

    public var count: Int64 {
        switch self {
        case .memory(let bytes): Int64(bytes.count)
        case .disk(_, let count): count
        }
    }

    /// All bytes, in memory. The caller checks the count before.
    public func bytes() throws -> [UInt8] {
        switch self {
        case .memory(let bytes): return bytes
        case .disk(let path, let count): return try StoredBytes.read(path, Int(clamping: count))
        }
    }

    private static func read(_ path: String, _ count: Int) throws -> [UInt8] {
        let descriptor = shim_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw SetupError("a stored file cannot be opened") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let part = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: done), count - done)
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { throw SetupError("a stored file cannot be read") }
            done += part
        }
        return bytes
    }
}
