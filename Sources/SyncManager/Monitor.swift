import CLinux
import Glibc
import Synchronization

/// A lock with a condition to wait for, on a clock that never jumps. The memory has one address for its whole life.
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignalled = false
    private let signals = Atomic<UInt32>(0)
    /// Waits that sleep at once before one looks on again, and how many there were the last time.
    private(set) var sleepsLeft = 0
    private var sleeps = 0

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
            if wakes { signals.wrappingAdd(1, ordering: .releasing) }
            pthread_mutex_unlock(mutex)
            // Whoever wakes finds the lock free; woken before, it would at once sleep again until it is.
            if wakes { pthread_cond_broadcast(condition) }
        }
        return try body()
    }

    /// Waits, with the lock held, until a signal or until `deadline` (monotonic milliseconds; `nil`: for ever).
    /// `false` when the deadline passed.
    /// `looksOn`: what is waited for may come within microseconds, sooner than a processor falls asleep and wakes.
    func wait(until deadline: Int64?, looksOn: Bool = false) -> Bool {
        if isSignalled {
            isSignalled = false
            signals.wrappingAdd(1, ordering: .releasing)
            pthread_cond_broadcast(condition)
        }
        if looksOn, isSignalledSoon() { return true }
        guard let deadline else {
            pthread_cond_wait(condition, mutex)
            return true
        }
        var time = timespec(tv_sec: Int(deadline / 1000), tv_nsec: Int(deadline % 1000) * 1_000_000)
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    /// Looks on for a signal, with the lock free, for a moment that a sleep and a wake would take as well. After a look
    /// in vain the next wait sleeps at once, then the next three, seven and so on: where signals come late, or whoever
    /// signals has no processor of its own, looking on costs next to nothing.
    private func isSignalledSoon() -> Bool {
        guard sleepsLeft == 0 else {
            sleepsLeft -= 1
            return false
        }
        let before = signals.load(ordering: .relaxed)
        pthread_mutex_unlock(mutex)
        let end = Clock.nanoseconds + Monitor.longestLook
        while signals.load(ordering: .acquiring) == before, Clock.nanoseconds < end {
            for _ in 0..<8 { shim_pause() }
        }
        pthread_mutex_lock(mutex)
        let isSignalled = signals.load(ordering: .relaxed) != before
        sleeps = isSignalled ? 0 : min(2 * sleeps + 1, 1023)
        sleepsLeft = sleeps
        return isSignalled
    }

    private static let longestLook: Int64 = 60_000

    /// Wakes all who wait, as soon as the lock, which is held, is given back.
    func signalAll() { isSignalled = true }
}

/// The clocks of this machine, in milliseconds.
enum Clock {
    static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
    static var wall: Int64 { read(CLOCK_REALTIME) }
    /// Of the monotonic clock.
    static var nanoseconds: Int64 {
        let time = time(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func read(_ id: clockid_t) -> Int64 {
        let time = time(id)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func time(_ id: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(id, &time)
        return time
    }
}
