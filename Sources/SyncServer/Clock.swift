import Glibc

/// The server's time: real time plus what the control endpoint added, never running backwards.
final class Clock {
    private var offset: Int64 = 0
    private var last: Int64 = 0

    /// Milliseconds since the epoch.
    func now() -> Int64 {
        last = max(last, Clock.real(CLOCK_REALTIME) &+ offset)
        return last
    }

    /// Moves the time on; it cannot be moved back.
    func advance(by milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        // A thousand years is as far as anybody goes.
        offset = min(offset &+ min(milliseconds, 31_536_000_000_000), 31_536_000_000_000)
    }

    /// Goes on from a time that an earlier run has reached, if it was ahead of the real one.
    func resume(at time: Int64) {
        offset = max(offset, time &- Clock.real(CLOCK_REALTIME))
        reach(time)
    }

    /// From now on the time is at least this.
    func reach(_ time: Int64) { last = max(last, time) }

    /// Milliseconds of a clock that nobody sets, for deadlines of sockets.
    static func monotonic() -> Int64 { real(CLOCK_MONOTONIC) }

    private static func real(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
