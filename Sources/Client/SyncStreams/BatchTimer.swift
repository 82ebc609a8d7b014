/// When changes that wait are told: so long after the last of them, and so long after the first of them at the latest.
/// Without the second, a source that never rests would never be told of.
struct BatchTimer: Sendable {
    /// Milliseconds; `nil`: at once.
    let delay: Int64?
    /// Milliseconds after the first change.
    let longest: Int64
    private var begin: Int64?
    /// By the monotonic clock.
    private(set) var due: Int64?

    init(delay: Int64?, longest: Int64) {
        self.delay = delay
        self.longest = longest
    }

    mutating func changed(at now: Int64) {
        let begin = begin ?? now
        self.begin = begin
        due = min(now + (delay ?? 0), begin + longest)
    }

    mutating func stop() {
        begin = nil
        due = nil
    }
}
