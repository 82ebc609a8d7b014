import CLinux
import Glibc
import Synchronization

/// A lock with conditions to wait for, on a clock that never jumps.
///
/// Not `Synchronization.Mutex`: that locks without ThreadSanitizer seeing it, which then reports every use as a race.
/// The memory has one address for its whole life, as POSIX asks.
public final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutableBufferPointer<pthread_cond_t>
    /// A bit for each condition whose waiting threads are to be woken when the lock is released.
    private var signalled: UInt = 0
    /// The thread that holds the lock from `hold` to `release`, 0 for none.
    private let holder = Atomic<UInt>(0)

    /// Makes a lock with `count` conditions, numbered from 0.
    public init(conditions count: Int = 1) {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        conditions = .allocate(capacity: count)
        conditions.initialize(repeating: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        for index in conditions.indices { pthread_cond_init(&conditions[index], &attributes) }
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        for index in conditions.indices { pthread_cond_destroy(&conditions[index]) }
        pthread_mutex_destroy(mutex)
        conditions.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the lock held. It must not take the same lock again.
    public func locked<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        pthread_mutex_lock(mutex)
        defer {
            let woken = signalled
            signalled = 0
            pthread_mutex_unlock(mutex)
            // Threads are woken after the lock is released; woken earlier, they would at once wait for the lock.
            if woken != 0 { broadcast(woken) }
        }
        return try body()
    }

    /// Wakes all threads that wait for a condition when the lock, which the caller holds, is released.
    public func signalAll(_ condition: Int = 0) { signalled |= 1 << UInt(condition) }

    /// Waits, with the lock held, until a signal or until `deadline` (monotonic milliseconds; `nil`: for ever). May
    /// also end without either. `false` when the deadline passed.
    public func wait(for condition: Int = 0, until deadline: Int64?) -> Bool {
        guard conditions.indices.contains(condition) else { return false }
        if signalled != 0 {
            let woken = signalled
            signalled = 0
            broadcast(woken)
        }
        guard let deadline else {
            pthread_cond_wait(&conditions[condition], mutex)
            return true
        }
        var time = timespec(tv_sec: Int(deadline / 1000), tv_nsec: Int(deadline % 1000) * 1_000_000)
        return pthread_cond_timedwait(&conditions[condition], mutex, &time) != ETIMEDOUT
    }

    private func broadcast(_ woken: UInt) {
        for index in conditions.indices where woken & 1 << UInt(index) != 0 {
            pthread_cond_broadcast(&conditions[index])
        }
    }

    // MARK: Forks

    /// Takes the lock for this thread before a fork: the child then holds it, too, and the guarded state is consistent.
    /// Gives up after `seconds`; the fork goes on without the lock then.
    public func hold(seconds: Int) {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        if pthread_mutex_timedlock(mutex, &end) == 0 { holder.store(pthread_self(), ordering: .relaxed) }
    }

    /// Releases the lock if this thread holds it.
    public func release() {
        guard holder.load(ordering: .relaxed) == pthread_self() else { return }
        holder.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }
}
