import Glibc
import Synchronization

/// A value that several threads share under a lock.
///
/// Not `Synchronization.Mutex`: that locks without ThreadSanitizer seeing it, which then reports every use as a race.
final class Guarded<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value
    /// The thread that holds the lock from `hold` to `letGo`, 0 for none.
    private let holder = Atomic<UInt>(0)

    init(_ value: Value) {
        self.value = value
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` alone. It must not come back to the same lock.
    func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Takes the lock for this thread, for a fork: the child has it then, too, and a value that nobody was changing.
    /// Without it, if that takes too long.
    func hold(seconds: Int) {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        if pthread_mutex_timedlock(mutex, &end) == 0 { holder.store(pthread_self(), ordering: .relaxed) }
    }

    /// Gives the lock back if this thread holds it.
    func letGo() {
        guard holder.load(ordering: .relaxed) == pthread_self() else { return }
        holder.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }
}
