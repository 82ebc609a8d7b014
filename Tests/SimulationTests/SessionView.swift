/// What the host did since the last login, and in which circumstances: what may go out without waiting for anything.
struct SessionView {
    /// By the simulation's clock.
    var beganAt: Int64 = 0
    /// How far the service's clock had been advanced by then, in milliseconds.
    var jumpedBefore: Int64 = 0
    /// Cached channels that had message collections open then.
    var open: Set<String> = []
    /// Sync was paused by the host at some time: nothing waits for it then.
    var wasPaused = false
    /// Request ids of what the host asked to send, or to send again.
    var asked: Set<String> = []
    /// Paths of files whose upload has begun.
    var uploads: Set<String> = []
}
