import CLinux
import Glibc
import SyncSQLite
import Synchronization

/// The ownership of a data directory by one process. The system ends it with the process, however that ends.
public final class DirectoryLock: @unchecked Sendable {
    private let descriptor: Int32
    private let process = getpid()

    /// Makes the directory (readable by its owner only) when there is none, and takes the lock.
    public init(directory: String) throws(StoreError) {
        _ = DirectoryLock.endsInForks
        try DirectoryLock.make(directory)
        let path = directory + "/lock"
        let opened = shim_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .cannotOpen(path: path, message: String(cString: strerror(errno))) }
        // Noted before it is locked, since another thread may fork at any time.
        DirectoryLock.replace(-1, by: opened)
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let owner = DirectoryLock.readPID(opened)
            DirectoryLock.replace(opened, by: -1)
            Glibc.close(opened)
            guard reason == EWOULDBLOCK else {
                throw .cannotOpen(path: path, message: String(cString: strerror(reason)))
            }
            throw .locked(byPID: owner)
        }
        // Written before the rest is cut off, so that a second opener never reads an empty file.
        let text = Array("\(getpid())\n".utf8)
        pwrite(opened, text, text.count, 0)
        ftruncate(opened, off_t(text.count))
        descriptor = opened
    }

    deinit {
        // In a fork the descriptor is closed already, and its number may be another file's.
        guard process == getpid() else { return }
        release()
        DirectoryLock.replace(descriptor, by: -1)
        Glibc.close(descriptor)
    }

    /// Gives up the lock, even when a fork of this process still has the descriptor; closing the descriptor would not.
    public func release() { if process == getpid() { flock(descriptor, LOCK_UN) } }

    // MARK: Forks

    /// The descriptors of this process's locks; -1 where there is none. Locks beyond so many are not ended in forks.
    private static let heldCount = 4096
    nonisolated(unsafe) private static let held: UnsafeMutablePointer<Atomic<Int32>> = {
        let held = UnsafeMutablePointer<Atomic<Int32>>.allocate(capacity: heldCount)
        for index in 0..<heldCount { (held + index).initialize(to: Atomic(-1)) }
        return held
    }()

    /// A fork inherits the lock, which would then outlive the process that owns it. So a fork closes its descriptors;
    /// it may call only what is safe in a signal handler.
    private static let endsInForks: Void = {
        _ = held
        pthread_atfork(nil, nil) {
            for index in 0..<DirectoryLock.heldCount {
                let descriptor = DirectoryLock.held[index].exchange(-1, ordering: .relaxed)
                if descriptor >= 0 { Glibc.close(descriptor) }
            }
        }
    }()

    private static func replace(_ old: Int32, by new: Int32) {
        for index in 0..<heldCount {
            let (isReplaced, _) = held[index].compareExchange(expected: old, desired: new, ordering: .relaxed)
            if isReplaced { return }
        }
    }

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
