import CLinux
import Glibc
import SyncThreads

/// Writes what an exchange receives, or what is exported, on a thread of its own: a disk that is slow must not hold the
/// thread that has the bytes.
///
/// Until it is complete the file has the name of a `PartFile`, by which the next exchange for the same finds it and
/// goes on behind its end. It is locked while it is written, readable by its owner alone, and on the disk before it
/// gets its name (`ReceivedFile`).
public final class FileWriter: FileWork, @unchecked Sendable {
    private static let blockCount = 8
    /// How much of a file that is being received a power cut may lose: bytes, and milliseconds.
    private static let mostUnsynced: Int64 = 8 << 20
    private static let syncPause: Int64 = 1000

    private let target: HTTPTarget
    private let wake: @Sendable () -> Void
    private let monitor = Monitor()
    // Guarded by the monitor.
    private var state = FileState.opening
    private var blocks: [[UInt8]] = []
    private var isAwaited = false
    private var isFinishing = false
    private var isDiscarded = false
    private var beginning: Beginning?

    /// Tells the file's thread that the next bytes are the file from its beginning.
    private struct Beginning { let version: FileVersion? }

    public init(_ target: HTTPTarget, wake: @escaping @Sendable () -> Void) {
        self.target = target
        self.wake = wake
    }

    public func start() -> Bool {
        guard let thread = NativeThread("sm-file", { [self] in run() }) else { return false }
        thread.detach()
        return true
    }

    public var outcome: FileState { monitor.locked { state } }

    public func end(discarding: Bool) {
        monitor.locked {
            if discarding { (isDiscarded, blocks) = (true, []) }
            // What has come is written: the next exchange goes on behind it.
            state = .ended
            monitor.signalAll()
        }
    }

    // MARK: The thread that has the bytes

    /// Takes the next bytes; `nil` when the exchange has to wait: `wake` is called when there is room.
    public func take(_ bytes: UnsafeRawBufferPointer) -> Bool? {
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
    public func startOver(_ version: FileVersion?) {
        monitor.locked {
            beginning = Beginning(version: version)
            blocks = []
        }
    }

    /// The answer is complete: the file gets its name, or `outcome` says why not. Then `wake` is called.
    public func finish() {
        monitor.locked {
            isFinishing = true
            monitor.signalAll()
        }
    }

    // MARK: The file's thread

    private func run() {
        do throws(NetworkFailure) {
            let file = try ReceivedFile(target)
            do throws(NetworkFailure) {
                guard settle(.ready(file.received)) else { return leave(file) }
                guard try receive(file) else { return leave(file) }
                _ = settle(.complete)
            } catch {
                leave(file)
                throw error
            }
        } catch {
            _ = settle(.failed(error))
        }
    }

    /// Writes what comes; `true` when the file is whole and has its name, `false` when the exchange has ended before.
    private func receive(_ file: ReceivedFile) throws(NetworkFailure) -> Bool {
        var syncAt: Int64?
        while let next = awaitWork(until: syncAt) {
            if let beginning = next.beginning { try file.startOver(beginning.version) }
            for block in next.blocks { try file.write(block) }
            if next.isLast {
                try file.finish { !monitor.locked { isDiscarded } }
                return true
            }
            if file.unsynced >= FileWriter.mostUnsynced || syncAt.map({ $0 <= Clock.monotonic }) == true {
                try file.sync()
            }
            if file.unsynced == 0 {
                syncAt = nil
            } else if syncAt == nil {
                syncAt = Clock.monotonic + FileWriter.syncPause
            }
        }
        return false
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

    private func leave(_ file: ReceivedFile) { file.leave(discarding: monitor.locked { isDiscarded }) }

    /// Waits for work; the work is empty when `time` comes first, and `nil` when the exchange has ended.
    private func awaitWork(until time: Int64?) -> (blocks: [[UInt8]], beginning: Beginning?, isLast: Bool)? {
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
                guard monitor.wait(until: time) else { return ([], nil, false) }
            }
        }
        if isRoomAwaited { wake() }
        return work
    }
}
