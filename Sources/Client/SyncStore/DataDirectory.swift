import CLinux
import Glibc
import SyncSQLite

/// The directory of one user's files. They are opened with `O_NONBLOCK`: to open a pipe would otherwise wait for
/// another process.
enum DataDirectory {
    /// Brings what was made, renamed and removed in a directory to the disk.
    static func sync(_ directory: String) throws(StoreError) {
        let opened = shim_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard opened >= 0 else { throw failure(directory) }
        defer { close(opened) }
        guard fsync(opened) == 0 else { throw failure(directory) }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Removes a file of SQLite with its log files; a file that does not exist is no error.
    static func remove(_ path: String) throws(StoreError) {
        for file in DatabaseFiles.paths(of: path) {
            guard unlink(file) == 0 || errno == ENOENT else { throw failure(file) }
        }
    }

    static func rename(_ path: String, to new: String) throws(StoreError) {
        guard Glibc.rename(path, new) == 0 else { throw failure(new) }
    }

    /// The bytes of a small file; `nil` when there is none, or it is larger than `limit`.
    static func bytes(of path: String, limit: Int) throws(StoreError) -> [UInt8]? {
        let descriptor = shim_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes[count...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(count))
            }
            guard read >= 0 else { throw failure(path) }
            if read == 0 { break }
            count += read
        }
        return count > limit ? nil : Array(bytes.prefix(count))
    }

    /// Makes an empty file that only its owner can read, if there is none.
    static func make(_ path: String) throws(StoreError) {
        let descriptor = shim_open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        close(descriptor)
    }

    /// Writes a file that only its owner can read, on the disk when this returns.
    static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        let descriptor = shim_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failure(path) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    /// The error for the last call that failed.
    static func failure(_ path: String) -> StoreError {
        let cause = errno
        return cause == ENOSPC || cause == EDQUOT
            ? .full : .cannotOpen(path: path, message: String(cString: strerror(cause)))
    }
}
