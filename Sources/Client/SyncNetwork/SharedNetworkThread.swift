import Glibc
import SyncThreads
import Synchronization

/// Counts the uses of the process's network thread.
enum SharedNetworkThread {
    private static let monitor = Monitor()
    nonisolated(unsafe) private static var holders = 0
    nonisolated(unsafe) private static var thread: NetworkThread?
    /// The process that owns the thread while it is in use, else 0. It is read before the lock is taken, since in a
    /// forked child the lock may be held for ever.
    private static let owner = Atomic<Int32>(0)

    static func acquire() throws(NetworkFailure) -> NetworkThread {
        guard !isForeign else { throw NetworkThread.forked }
        return try monitor.locked { () throws(NetworkFailure) in
            if thread == nil { thread = NetworkThread() }
            guard let thread else {
                throw NetworkFailure(.cannotConnect, "the network thread cannot be started")
            }
            holders += 1
            owner.store(getpid(), ordering: .releasing)
            return thread
        }
    }

    static func release() {
        guard !isForeign else { return }
        let ending = monitor.locked { () -> NetworkThread? in
            guard holders > 0 else { return nil }
            holders -= 1
            guard holders == 0 else { return nil }
            defer { thread = nil }
            owner.store(0, ordering: .releasing)
            return thread
        }
        // Without the lock, since completions that run meanwhile may acquire and release.
        ending?.stopAndJoin()
    }

    private static var isForeign: Bool {
        let owner = owner.load(ordering: .acquiring)
        return owner != 0 && owner != getpid()
    }
}
