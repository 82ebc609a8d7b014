import CLinux
import SyncBytes
import Glibc
import SyncThreads
import SyncWebSocket

/// Writes what an exchange receives, on a thread of its own: a disk that is slow must not hold the network thread.
///
/// Until it is complete the file is called "NAME.HEX.part" in the folder of its target, with a part of the checksum of
/// what it comes from: the next exchange for the same finds it by that name and goes on behind its end. It is locked
/// while it is written, readable by its owner alone, and on the disk before it gets its name.
final class FileWriter: FileWork, @unchecked Sendable {
    private static let blockCount = 8
    /// How often the lock is tried, and microseconds in between.
    private static let attempts = 50
    private static let pause: UInt32 = 10_000

    private let target: HTTPTarget
    let partPath: String
    private let wake: @Sendable () -> Void
    private let monitor = Monitor()
    // Guarded by the monitor.
    private var state = FileState.opening
    private var blocks: [[UInt8]] = []
    private var isAwaited = false
    private var isFinishing = false
    private var isDiscarded = false
    private var startsOver = false

    init(_ target: HTTPTarget, wake: @escaping @Sendable () -> Void) {
        self.target = target
        let sum = SHA1.digest(Array(target.source.utf8)).prefix(8)
        partPath = "\(target.path).\(Hex.text(sum)).part"
        self.wake = wake
    }

    func start() -> Bool {
        guard let thread = NativeThread("sm-file", { [self] in run() }) else { return false }
        thread.detach()
        return true
    }

    var outcome: FileState { monitor.locked { state } }

    func end(discarding: Bool) {
        monitor.locked {
            if discarding { (isDiscarded, blocks) = (true, []) }
            // What has come is written: the next exchange goes on behind it.
            state = .ended
            monitor.signalAll()
        }
    }

    // MARK: The network thread

    /// Takes the next bytes; `nil` when the exchange has to wait: `wake` is called when there is room.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        monitor.locked {
            guard case .ready = state else { return false }
            guard blocks.count < FileWriter.blockCount else {
                isAwaited = true
                return nil
            }
            blocks.append(Array(bytes))
            monitor.signalAll()
            return true
        }
    }

    /// The answer is not a continuation: what was there is dropped.
    func startOver() {
        monitor.locked {
            startsOver = true
            blocks = []
        }
    }

    /// The answer is complete: the file gets its name, or `outcome` says why not. Then `wake` is called.
    func finish() {
        monitor.locked {
            isFinishing = true
            monitor.signalAll()
        }
    }

    // MARK: The file's thread

    private func run() {
        do throws(NetworkFailure) {
            let (descriptor, size) = try open()
            defer { close(descriptor) }
            guard settle(.ready(offset: size)) else { return drop(descriptor) }
            var position = size
            while let next = awaitWork() {
                if next.startsOver {
                    guard ftruncate(descriptor, 0) == 0 else { throw unwritable() }
                    position = 0
                }
                for block in next.blocks { try write(block, at: &position, descriptor) }
                if next.isLast {
                    try name(descriptor)
                    _ = settle(.complete)
                    return
                }
            }
            drop(descriptor)
        } catch {
            _ = settle(.failed(error))
        }
    }

    private func settle(_ new: FileState) -> Bool {
        let isWanted = monitor.locked { () -> Bool in
            if case .ended = state { return false }
            state = new
            return true
        }
        if isWanted { wake() }
        return isWanted
    }

    /// Takes the part away when nobody will go on with it.
    private func drop(_ descriptor: Int32) {
        let isEmpty = lseek(descriptor, 0, SEEK_END) == 0
        if isEmpty || monitor.locked({ isDiscarded }) { unlink(partPath) }
    }

    private func open() throws(NetworkFailure) -> (descriptor: Int32, size: Int64) {
        guard !target.path.utf8.contains(0), !target.path.isEmpty else {
            throw NetworkFailure(.unwritable, target.path)
        }
        try checkName()
        var attempts = 0
        while true {
            let descriptor = shim_open(partPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw unwritable() }
            var opened = stat()
            guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw NetworkFailure(.unwritable, partPath)
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                // An exchange that has just ended may still write what had come.
                guard attempts < FileWriter.attempts else { throw NetworkFailure(.busy, target.path) }
                attempts += 1
                usleep(FileWriter.pause)
                continue
            }
            // Who had the lock before may have given the file its name, or removed it.
            var named = stat()
            if stat(partPath, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev,
                fstat(descriptor, &opened) == 0
            {
                return (descriptor, Int64(opened.st_size))
            }
            close(descriptor)
        }
    }

    private func checkName() throws(NetworkFailure) {
        var status = stat()
        guard lstat(target.path, &status) == 0 else { return }
        guard target.replaces, status.st_mode & S_IFMT == S_IFREG else {
            throw NetworkFailure(.exists, target.path)
        }
    }

    private func awaitWork() -> (blocks: [[UInt8]], startsOver: Bool, isLast: Bool)? {
        var isRoomAwaited = false
        let work = monitor.locked { () -> (blocks: [[UInt8]], startsOver: Bool, isLast: Bool)? in
            while true {
                if case .ended = state, blocks.isEmpty { return nil }
                if !blocks.isEmpty || isFinishing {
                    defer { (blocks, startsOver) = ([], false) }
                    (isRoomAwaited, isAwaited) = (isAwaited, false)
                    if case .ended = state { return (blocks, startsOver, false) }
                    return (blocks, startsOver, isFinishing)
                }
                _ = monitor.wait(until: nil)
            }
        }
        if isRoomAwaited { wake() }
        return work
    }

    private func write(_ block: [UInt8], at position: inout Int64, _ descriptor: Int32) throws(NetworkFailure) {
        var rest = block[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(position)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritable() }
            rest = rest.dropFirst(count)
            position += Int64(count)
        }
    }

    /// The file is on the disk, and then under its name.
    private func name(_ descriptor: Int32) throws(NetworkFailure) {
        guard fsync(descriptor) == 0 else { throw unwritable() }
        try checkName()
        guard rename() else {
            let cause = errno
            if cause == EEXIST { throw NetworkFailure(.exists, target.path) }
            throw NetworkFailure(.unwritable, target.path, errno: cause)
        }
    }

    private func rename() -> Bool {
        if target.replaces { return Glibc.rename(partPath, target.path) == 0 }
        if renameat2(AT_FDCWD, partPath, AT_FDCWD, target.path, 1) == 0 { return true }
        guard errno == EINVAL || errno == ENOSYS else { return false }
        // A file system that cannot keep what is there: `checkName` has looked a moment ago.
        return Glibc.rename(partPath, target.path) == 0
    }

    private func unwritable() -> NetworkFailure { NetworkFailure(.unwritable, target.path, errno: errno) }
}
