import ServerBase

/// The one timer for what happens by itself at a time: see `DueRules`.
public final class DueTimer {
    private let storage: Storage
    private let clock: Clock
    private let timers: TimerQueue
    /// The time that the timer waits for; 0 when it is not set.
    private var arrangedFor: Int64 = 0
    /// What is done when the time has come.
    var action: () -> Void = {}

    /// Milliseconds until an action that the storage refused is tried again.
    static let retryDelay: Int64 = 5000

    init(_ storage: Storage, _ clock: Clock, _ timers: TimerQueue) {
        self.storage = storage
        self.clock = clock
        self.timers = timers
    }

    /// Sets the timer for something that has to happen at this time (0: nothing).
    func arrange(at time: Int64) {
        guard time > 0, arrangedFor == 0 || time < arrangedFor else { return }
        arrangedFor = time
        // At most a minute, since the clock may be moved on meanwhile.
        timers.after(min(max(time.subtractingClamped(clock.now()), 0), 60_000)) { [weak self] in
            guard let self, arrangedFor == time else { return }
            action()
        }
    }

    /// The timer waits for nothing: what is due is being done.
    func clear() { arrangedFor = 0 }

    /// Sets the timer for the next message that expires, after such a message was sent.
    public func expireLater() {
        do { arrange(at: try storage.messages.nextExpiry() ?? 0) } catch {
            Log.failure("the next expiry is not known", error)
            arrange(at: clock.now() + DueTimer.retryDelay)
        }
    }
}
