import Glibc
import Synchronization

/// Counts who holds the process's network thread.
enum SharedNetworkThread {
    private struct State {
        var holders = 0
        var thread: NetworkThread?
    }

    private static let state = Guarded(State())
    /// The process whose thread it is while somebody holds it, else 0. Read before the lock, which a forked child may
    /// find locked forever.
    private static let owner = Atomic<Int32>(0)

    static func acquire() throws(NetworkFailure) -> NetworkThread {
        guard !isForeign else { throw NetworkThread.forked }
        return try state.withLock { state throws(NetworkFailure) in
            if state.thread == nil { state.thread = NetworkThread() }
            guard let thread = state.thread else {
                throw NetworkFailure(.cannotConnect, "the network thread cannot be started")
            }
            state.holders += 1
            owner.store(getpid(), ordering: .releasing)
            return thread
        }
    }

    static func release() {
        guard !isForeign else { return }
        let ending = state.withLock { state -> NetworkThread? in
            guard state.holders > 0 else { return nil }
            state.holders -= 1
            guard state.holders == 0 else { return nil }
            let thread = state.thread
            state.thread = nil
            owner.store(0, ordering: .releasing)
            return thread
        }
        // Not under the lock: completions that run meanwhile may acquire and release.
        ending?.stopAndJoin()
    }

    private static var isForeign: Bool {
        let owner = owner.load(ordering: .acquiring)
        return owner != 0 && owner != getpid()
    }
}
