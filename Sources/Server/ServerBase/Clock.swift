import Glibc

/// The server's time: the time of its source plus what the control endpoint added. It never runs backwards, and
/// everything in the server uses it.
public final class Clock {
    private enum Source {
        case system
        /// A time that only `move` changes, in milliseconds since the epoch.
        case virtual(Int64)
    }

    private var source: Source
    private var offset: Int64 = 0
    private var last: Int64 = 0

    /// The system's clocks.
    public init() { source = .system }

    /// A clock that stands at a time until it is moved.
    public init(virtualTime: Int64) { source = .virtual(virtualTime) }

    /// Milliseconds since the epoch.
    public func now() -> Int64 {
        last = max(last, reading(CLOCK_REALTIME) &+ offset)
        return last
    }

    /// Moves the time on; it cannot be moved back. Deadlines (`monotonic`) stay where they are.
    public func advance(by milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        // At most a thousand years, so that sums with it cannot overflow.
        offset = min(offset &+ min(milliseconds, 31_536_000_000_000), 31_536_000_000_000)
    }

    /// Goes on from a time that an earlier run has reached, if it was ahead of the source's.
    public func resume(at time: Int64) {
        // The time comes from a file; no clock shows more than this.
        let time = min(max(time, 0), 1 << 53)
        offset = max(offset, time &- reading(CLOCK_REALTIME))
        reach(time)
    }

    /// From now on the time is at least this.
    public func reach(_ time: Int64) { last = max(last, time) }

    /// Milliseconds of a clock that never jumps, for deadlines. A virtual clock counts them from the epoch.
    public func monotonic() -> Int64 { reading(CLOCK_MONOTONIC) }

    /// Sets a virtual clock's source to a later time; the system's clocks move by themselves.
    public func move(to time: Int64) {
        if case .virtual(let past) = source { source = .virtual(max(past, time)) }
    }

    private func reading(_ clock: clockid_t) -> Int64 {
        switch source {
        case .virtual(let time): return time
        case .system:
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
        }
    }
}
