/// Work of the engine that whichever thread waits for events may do.
///
/// `claim` and `deadline` are asked with the client's lock held, `perform` runs without it, by the thread whose claim
/// was granted; it gives the claim back.
protocol EngineWork: AnyObject {
    /// Whether there is something to do and nobody does it. If so, it is the caller's to do now: a piece of it, which
    /// may take as long as `EventQueue.patience`.
    func claim() -> Bool
    func perform()
    /// When there is something to do without an input, by the monotonic clock.
    var deadline: Int64? { get }
    /// A host thread that could have done the work leaves, or has no time for it: the engine thread is woken if there
    /// is some, or will be before that wakes by itself.
    func handOver()
}
