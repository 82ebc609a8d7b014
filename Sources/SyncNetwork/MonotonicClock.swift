import Glibc

/// Time that never jumps, for deadlines.
enum MonotonicClock {
    /// Milliseconds since some fixed moment.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    /// A duration from a caller, within a millisecond and a day, so that sums of it never overflow.
    static func clamped(_ milliseconds: Int) -> Int64 {
        Int64(min(max(milliseconds, 1), 86_400_000))
    }
}
