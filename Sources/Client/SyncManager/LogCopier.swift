import SyncStore
import SyncThreads

/// Copies the log of a client's cache into its file, each time on a thread that ends with it.
final class LogCopier: LogCopying, @unchecked Sendable {
    private let monitor = Monitor()
    // What follows is guarded by the monitor. While `copies`, only the copier's thread uses `log`.
    private var log: LogCopy?
    private var copies = false
    /// The last thread that copied; unless `copies`, it has ended or is about to end.
    private var thread: NativeThread?

    var isCopying: Bool { monitor.locked { copies } }

    func begin(_ open: () throws(StoreError) -> LogCopy) -> Bool {
        monitor.locked {
            if copies { return true }
            if log == nil { log = try? open() }
            guard let log else { return false }
            join()
            thread = NativeThread("sm-log") { [self] in copy(log) }
            copies = thread != nil
            return copies
        }
    }

    private func copy(_ log: LogCopy) {
        log.copy()
        monitor.locked {
            copies = false
            monitor.signalAll()
        }
    }

    func finish() {
        monitor.locked {
            while copies { _ = monitor.wait(until: nil) }
            join()
            log = nil
        }
    }

    private func join() {
        thread?.join()
        thread = nil
    }
}
