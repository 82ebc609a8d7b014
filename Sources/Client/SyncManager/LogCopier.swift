import SyncStore
import SyncThreads

/// Copies the log of a client's cache into its file, each time on a thread that ends with it.
final class LogCopier: LogCopying, @unchecked Sendable {
    private let monitor = Monitor()
    // Both are guarded by the monitor. While it copies, only its thread uses the log.
    private var log: LogCopy?
    private var copies = false

    var isCopying: Bool { monitor.locked { copies } }

    func begin(_ open: () throws(StoreError) -> LogCopy) -> Bool {
        monitor.locked {
            if copies { return true }
            if log == nil { log = try? open() }
            guard let log, let thread = NativeThread("sm-log", { [self] in copy(log) }) else { return false }
            thread.detach()
            copies = true
            return true
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
            log = nil
        }
    }
}
