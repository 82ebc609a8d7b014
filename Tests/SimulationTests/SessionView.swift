/// What the host did since the last login, and in which circumstances: what may go out without waiting for anything.
struct SessionView {
    /// By the simulation's clock.
    var beganAt: Int64 = 0
    /// Sync was paused by the host at some time: nothing waits for it then.
    var wasPaused = false
    /// Request ids of what the host asked to send, or to send again.
    var asked: Set<String> = []
}
