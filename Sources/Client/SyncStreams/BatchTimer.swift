/// When waiting changes are told as a batch: `delay` after the last of them, but `longest` after the first of them at
/// the latest. Without the second bound, the changes of a source that never rests would never be told.
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
