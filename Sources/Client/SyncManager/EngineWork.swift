/// Work of the engine that any thread may do that waits for events.
///
/// `claim` and `deadline` are asked with the client's lock held, `perform` runs without it, by the thread whose claim
/// was granted; `perform` gives the claim back.
protocol EngineWork: AnyObject {
    /// Whether there is work and no thread does it. If so, the caller has the claim and does a part of the work now,
    /// which may take as long as `EventQueue.patience`.
    func claim() -> Bool
    func perform()
    /// When there is work without a further input, by the monotonic clock.
    var deadline: Int64? { get }
    /// A host thread that could have done the work stops waiting, or has no time for it. The engine thread is woken if
    /// there is work now, or will be before the engine thread wakes by itself.
    func handOver()
}
