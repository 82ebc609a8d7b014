import CLinux
import Glibc
import SyncThreads

/// Writes what an exchange receives, on a thread of its own: a disk that is slow must not hold the network thread.
///
/// Until it is complete the file has the name of a `PartFile`, by which the next exchange for the same finds it and
/// goes on behind its end. It is locked while it is written, readable by its owner alone, and on the disk before it
/// gets its name.
final class FileWriter: FileWork, @unchecked Sendable {
    private static let blockCount = 8

    private let target: HTTPTarget
    private let part: PartFile
    private let wake: @Sendable () -> Void
    private let monitor = Monitor()
    // Guarded by the monitor.
    private var state = FileState.opening
    private var blocks: [[UInt8]] = []
    private var isAwaited = false
    private var isFinishing = false
    private var isDiscarded = false
    private var beginning: Beginning?

    /// What comes now is the file from its beginning.
    private struct Beginning { let version: FileVersion? }

    init(_ target: HTTPTarget, wake: @escaping @Sendable () -> Void) {
        self.target = target
        part = PartFile(target)
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

    /// The answer is not a continuation: what was there is dropped, and what comes is of this version.
    func startOver(_ version: FileVersion?) {
        monitor.locked {
            beginning = Beginning(version: version)
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
            try checkTarget()
            let (descriptor, received) = try part.open()
            defer { close(descriptor) }
            do throws(NetworkFailure) {
                guard settle(.ready(received)) else { return leave(descriptor) }
                var position = received?.size ?? 0
                while let next = awaitWork() {
                    if let beginning = next.beginning {
                        try part.startOver(descriptor, beginning.version)
                        position = 0
                    }
                    for block in next.blocks { try write(block, at: &position, descriptor) }
                    if next.isLast {
                        try name(descriptor)
                        _ = settle(.complete)
                        return
                    }
                }
                leave(descriptor)
            } catch {
                leave(descriptor)
                throw error
            }
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

    private func leave(_ descriptor: Int32) { part.leave(descriptor, discarding: monitor.locked { isDiscarded }) }

    private func checkTarget() throws(NetworkFailure) {
        guard !target.path.utf8.contains(0), !target.path.isEmpty else {
            throw NetworkFailure(.unwritable, target.path)
        }
        try checkName()
    }

    private func checkName() throws(NetworkFailure) {
        var status = stat()
        guard lstat(target.path, &status) == 0 else { return }
        guard target.replaces, status.st_mode & S_IFMT == S_IFREG else {
            throw NetworkFailure(.exists, target.path)
        }
    }

    private func awaitWork() -> (blocks: [[UInt8]], beginning: Beginning?, isLast: Bool)? {
        var isRoomAwaited = false
        let work = monitor.locked { () -> (blocks: [[UInt8]], beginning: Beginning?, isLast: Bool)? in
            while true {
                if case .ended = state, blocks.isEmpty || isDiscarded { return nil }
                if !blocks.isEmpty || isFinishing {
                    defer { (blocks, beginning) = ([], nil) }
                    (isRoomAwaited, isAwaited) = (isAwaited, false)
                    if case .ended = state { return (blocks, beginning, false) }
                    return (blocks, beginning, isFinishing)
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
        // Who gave it up meanwhile wants no file.
        guard !monitor.locked({ isDiscarded }) else { throw NetworkFailure(.cancelled, "nobody waits for the file") }
        part.dropVersion()
        guard rename() else {
            let cause = errno
            if cause == EEXIST { throw NetworkFailure(.exists, target.path) }
            throw NetworkFailure(.unwritable, target.path, errno: cause)
        }
    }

    private func rename() -> Bool {
        if target.replaces { return Glibc.rename(part.path, target.path) == 0 }
        if renameat2(AT_FDCWD, part.path, AT_FDCWD, target.path, 1) == 0 { return true }
        guard errno == EINVAL || errno == ENOSYS else { return false }
        // A file system that cannot keep what is there: `checkName` has looked a moment ago.
        return Glibc.rename(part.path, target.path) == 0
    }

    private func unwritable() -> NetworkFailure { NetworkFailure(.unwritable, target.path, errno: errno) }
}
