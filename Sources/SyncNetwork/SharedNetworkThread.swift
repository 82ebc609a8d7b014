import CCurl
import Glibc
import Synchronization

/// Counts who holds the process's network thread.
enum SharedNetworkThread {
    private struct State {
        var holders = 0
        var thread: NetworkThread?
        var isInitialised = false
    }

    private static let state = Guarded(State())
    /// The process whose thread it is while somebody holds it, else 0. Read before the lock, which a forked child may
    /// find locked forever.
    private static let owner = Atomic<Int32>(0)

    static func acquire() -> NetworkThread? {
        guard !isForeign else { return nil }
        return state.withLock { state in
            if !state.isInitialised {
                // Never cleaned up: the host may use libcurl as well.
                guard curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK else { return nil }
                state.isInitialised = true
            }
            if state.thread == nil { state.thread = NetworkThread() }
            guard let thread = state.thread else { return nil }
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
