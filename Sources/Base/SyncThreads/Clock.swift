import Glibc

/// The clocks of this machine, in milliseconds.
public enum Clock {
    /// Since some fixed moment; never jumps. For deadlines.
    public static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
    /// The same in microseconds, to measure how long something takes.
    public static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    }
    /// Since the epoch. For display and for the age of files, never for deadlines.
    public static var wall: Int64 { read(CLOCK_REALTIME) }

    /// A duration from a caller, within a millisecond and a day, so that sums of it never overflow.
    public static func clamped(_ milliseconds: Int) -> Int64 { Int64(min(max(milliseconds, 1), 86_400_000)) }

    private static func read(_ id: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
