import Glibc
import SyncThreads

/// Reads a file ahead of the exchange that sends it, on a thread of its own: a disk that is slow, or a file server that
/// does not answer, must not hold the network thread. At most `blockCount` blocks are in memory.
final class FileReader: FileWork, @unchecked Sendable {
    enum Taken: Equatable {
        case bytes(Int)
        /// The transfer waits; `wake` is called when there is more.
        case nothingYet
        case end
        case failed
    }

    private static let blockSize: Int64 = 64 << 10
    private static let blockCount = 4

    private let path: String
    private let expected: DiskFile.Stamp
    private let wake: @Sendable () -> Void
    private let monitor = Monitor()
    // Guarded by the monitor.
    private var state = FileState.opening
    private var blocks: [ArraySlice<UInt8>] = []
    /// Where the next block begins. It changes when the transfer begins again, and then a block that was being read is
    /// dropped.
    private var position: Int64 = 0
    private var rewinds = 0
    private var isAwaited = false

    init(_ form: HTTPForm, wake: @escaping @Sendable () -> Void) {
        path = form.path
        expected = form.stamp
        self.wake = wake
    }

    /// Begins to open the file; `wake` is called when it is open, or cannot be.
    func start() -> Bool {
        guard let thread = NativeThread("sm-file", { [self] in run() }) else { return false }
        thread.detach()
        return true
    }

    var outcome: FileState { monitor.locked { state } }

    /// The exchange does not send the file any more, so the thread ends.
    func end(discarding: Bool) {
        monitor.locked {
            state = .ended
            blocks = []
            monitor.signalAll()
        }
    }

    // MARK: The network thread

    /// Takes up to `room` bytes.
    func take(into place: UnsafeMutableRawPointer, room: Int) -> Taken {
        monitor.locked {
            if case .failed = state { return .failed }
            guard let block = blocks.first else {
                if position >= expected.size { return .end }
                isAwaited = true
                return .nothingYet
            }
            let part = block.prefix(room)
            UnsafeMutableRawBufferPointer(start: place, count: part.count).copyBytes(from: part)
            if part.count == block.count {
                blocks.removeFirst()
                monitor.signalAll()
            } else {
                blocks[0] = block.dropFirst(part.count)
            }
            return .bytes(part.count)
        }
    }

    /// The transfer begins again from there.
    func rewind(to offset: Int64) {
        monitor.locked {
            blocks = []
            position = offset
            rewinds += 1
            monitor.signalAll()
        }
    }

    // MARK: The file's thread

    private func run() {
        do throws(DiskFile.Problem) {
            let file = try DiskFile.open(path)
            defer { close(file.descriptor) }
            guard file.stamp == expected else { throw .changed }
            guard settle(.ready(nil)) else { return }
            while let next = awaitRoom() { try read(file, next) }
        } catch {
            _ = settle(.failed(NetworkFailure(error, path)))
        }
    }

    /// Sets the state and wakes the exchange; `false` when the exchange has ended.
    private func settle(_ new: FileState) -> Bool {
        let isWanted = monitor.locked { () -> Bool in
            if case .ended = state { return false }
            state = new
            return true
        }
        if isWanted { wake() }
        return isWanted
    }

    /// Waits until a block may be read; `nil` when the exchange does not send the file any more.
    private func awaitRoom() -> (position: Int64, rewinds: Int)? {
        monitor.locked {
            while true {
                if case .ended = state { return nil }
                if position < expected.size, blocks.count < FileReader.blockCount { return (position, rewinds) }
                _ = monitor.wait(until: nil)
            }
        }
    }

    private func read(_ file: DiskFile, _ next: (position: Int64, rewinds: Int)) throws(DiskFile.Problem) {
        let wanted = Int(min(FileReader.blockSize, expected.size - next.position))
        var block = [UInt8](repeating: 0, count: wanted)
        let count = pread(file.descriptor, &block, wanted, off_t(next.position))
        if count < 0, errno == EINTR { return }
        guard count >= 0 else { throw .unreadable }
        // The file has become shorter or was changed, so the bytes that were read may be of two versions.
        guard count > 0, next.position + Int64(count) < expected.size || file.isUnchanged else { throw .changed }
        let mustWake = monitor.locked { () -> Bool in
            if case .ended = state { return false }
            guard rewinds == next.rewinds else { return false }
            blocks.append(block[..<count])
            position += Int64(count)
            defer { isAwaited = false }
            return isAwaited
        }
        if mustWake { wake() }
    }
}
