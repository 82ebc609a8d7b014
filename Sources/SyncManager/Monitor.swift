import Glibc

/// A lock with a condition to wait for, on a clock that never jumps. The memory has one address for its whole life.
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignalled = false

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func locked<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        pthread_mutex_lock(mutex)
        defer {
            let wakes = isSignalled
            isSignalled = false
            pthread_mutex_unlock(mutex)
            // Whoever wakes finds the lock free; woken before, it would at once sleep again until it is.
            if wakes { pthread_cond_broadcast(condition) }
        }
        return try body()
    }

    /// Waits, with the lock held, until a signal or until `deadline` (monotonic milliseconds; `nil`: for ever).
    /// `false` when the deadline passed.
    func wait(until deadline: Int64?) -> Bool {
        if isSignalled {
            isSignalled = false
            pthread_cond_broadcast(condition)
        }
        guard let deadline else {
            pthread_cond_wait(condition, mutex)
            return true
        }
        var time = timespec(tv_sec: Int(deadline / 1000), tv_nsec: Int(deadline % 1000) * 1_000_000)
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    /// Wakes all who wait, as soon as the lock, which is held, is given back.
    func signalAll() { isSignalled = true }
}

/// The clocks of this machine, in milliseconds.
enum Clock {
    static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
    static var wall: Int64 { read(CLOCK_REALTIME) }

    private static func read(_ id: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
