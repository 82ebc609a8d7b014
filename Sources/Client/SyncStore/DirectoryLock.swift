import CLinux
import Glibc
import SyncSQLite

/// The ownership of a data directory by one process. The system ends it with the process, however that ends.
public final class DirectoryLock: @unchecked Sendable {
    private let descriptor: Int32

    /// Makes the directory (readable by its owner only) when there is none, and takes the lock.
    public init(directory: String) throws(StoreError) {
        try DirectoryLock.make(directory)
        let path = directory + "/lock"
        let opened = shim_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .cannotOpen(path: path, message: String(cString: strerror(errno))) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            guard reason == EWOULDBLOCK else {
                Glibc.close(opened)
                throw .cannotOpen(path: path, message: String(cString: strerror(reason)))
            }
            let owner = DirectoryLock.readPID(opened)
            Glibc.close(opened)
            throw .locked(byPID: owner)
        }
        // Written before the rest is cut off, so that a second opener never reads an empty file.
        let text = Array("\(getpid())\n".utf8)
        pwrite(opened, text, text.count, 0)
        ftruncate(opened, off_t(text.count))
        descriptor = opened
    }

    deinit {
        release()
        Glibc.close(descriptor)
    }

    /// Gives up the lock, even when a fork of this process still has the descriptor; closing the descriptor would not.
    public func release() { flock(descriptor, LOCK_UN) }

    private static func readPID(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        let digits = buffer.prefix(count).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    private static func make(_ directory: String) throws(StoreError) {
        var path = directory.hasPrefix("/") ? "" : "."
        for part in directory.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) != 0, errno != EEXIST {
                throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
            }
        }
    }
}
