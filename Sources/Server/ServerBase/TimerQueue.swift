/// What is to be done later: in the order of its times, and among equal times in the order it was asked for. Whoever
/// drives the server calls `runDue` when `nextDue` has come.
public final class TimerQueue {
    private struct Timer {
        let due: Int64
        let action: () -> Void
    }

    private let clock: Clock
    private var timers: [Timer] = []

    public init(clock: Clock) { self.clock = clock }

    /// When the first timer is due, by `Clock.monotonic`; `nil` when none waits.
    public var nextDue: Int64? { timers.first?.due }

    /// Runs `action` once, that many milliseconds from now; a day at most.
    public func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        let due = clock.monotonic() &+ max(0, min(milliseconds, 86_400_000))
        let place = timers.firstIndex { $0.due > due } ?? timers.endIndex
        timers.insert(Timer(due: due, action: action), at: place)
    }

    /// Runs what is due by now.
    public func runDue() {
        let now = clock.monotonic()
        while let timer = timers.first, timer.due <= now {
            timers.removeFirst()
            timer.action()
        }
    }
}
