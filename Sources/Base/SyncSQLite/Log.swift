/// Copies the log of one file into the file, on a thread of its own beside the connection that writes. Copying waits
/// for the disk; on the writing thread, the next work would have to wait for that, too.
///
/// Both functions are called by the thread that writes.
public protocol LogCopying: AnyObject {
    /// Whether a copy is in progress. If nothing is written until it ends, the log begins again at its start.
    var isCopying: Bool { get }
    /// Begins to copy what the log has now, unless a copy is in progress. `open` is called when the log is not open
    /// yet. `false`: the log cannot be copied on another thread now.
    func begin(_ open: () throws(StoreError) -> LogCopy) -> Bool
    /// Waits until no copy is in progress, and closes the log: the file is about to be closed, or written in another
    /// way.
    func finish()
}

/// The log of one file, only to copy it into the file. One thread at a time.
public final class LogCopy: @unchecked Sendable {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    /// Copies what it can without waiting for readers. What cannot be copied, as on a full disk, stays in the log.
    public func copy() { body() }
}

/// How long the log is, and when it has to be copied.
struct LogLength {
    /// Pages after which the log is copied. SQLite's own bound, so the log takes about 4 MB.
    static let pagesToCopy: Int32 = 1000
    /// Pages after which the thread that writes waits until all is copied. While it writes faster than the log is
    /// copied, the log does not begin again, and would grow without end.
    static let mostPages: Int32 = 8000

    private var pages: Int32 = 0
    /// Pages of the log when it was copied last.
    private var copied: Int32 = 0

    /// What to do after a commit. `now`: pages that the log has.
    mutating func take(_ now: Int32) -> Action {
        // The log has begun again at its start.
        if now < pages { copied = 0 }
        pages = now
        guard now - copied >= LogLength.pagesToCopy else { return .nothing }
        copied = now
        return now < LogLength.mostPages ? .copy : .copyAll
    }

    enum Action { case nothing, copy, copyAll }
}
