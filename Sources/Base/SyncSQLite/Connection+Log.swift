import CSQLite

/// Copies the log of one file into it beside the connection that writes, on a thread of its own. That waits for the
/// disk, so what the writing thread does next would wait for it, too.
///
/// Both functions are called by the thread that writes.
public protocol LogCopying: AnyObject {
    /// Whether it copies now. As long as nothing is written meanwhile, the log begins again at its start afterwards.
    var isCopying: Bool { get }
    /// Begins to copy what the log has now, unless it copies already. `open` is called when it has no log yet. `false`:
    /// it cannot.
    func begin(_ open: () throws(StoreError) -> LogCopy) -> Bool
    /// Waits until it does not copy, and closes its log: the file is about to be closed, or written in another way.
    func finish()
}

/// One more connection to a file, only to copy the file's log into it. One thread at a time.
public final class LogCopy: @unchecked Sendable {
    private let connection: Connection

    fileprivate init(_ connection: Connection) { self.connection = connection }

    /// Copies what it can without waiting for readers. What cannot be copied, as on a full disk, stays in the log.
    public func copy() { connection.copyLog() }
}

/// How long the log is, and when it has to be copied.
struct LogLength {
    /// Pages after which the log is copied. SQLite's own bound, so the log takes about 4 MB.
    static let pagesToCopy: Int32 = 1000
    /// Pages after which the thread that writes waits until all is copied. While it writes faster than is copied, the
    /// log does not begin again, and would grow without end.
    static let mostPages: Int32 = 8000

    private var pages: Int32 = 0
    /// Pages of the log when it was copied last.
    private var copied: Int32 = 0

    /// What to do after a commit. `now`: pages that the log has.
    mutating func take(_ now: Int32) -> Action {
        // It has begun again.
        if now < pages { copied = 0 }
        pages = now
        guard now - copied >= LogLength.pagesToCopy else { return .nothing }
        copied = now
        return now < LogLength.mostPages ? .copy : .copyAll
    }

    enum Action { case nothing, copy, copyAll }
}

extension Connection {
    /// Lets another thread copy the log, from now on.
    public func copyLog(by copier: any LogCopying) { self.copier = copier }

    /// Whether the log is being copied. Work that can wait should, so that the log can begin again.
    public var isCopyingLog: Bool { copier?.isCopying ?? false }

    /// Asks SQLite to tell the log's length after each commit, instead of copying it there by itself.
    func watchLog() {
        guard opening.flags & SQLITE_OPEN_READWRITE != 0 else { return }
        _ = sqlite.pointee.wal_hook(handle, { connection, _, _, pages in
            guard let connection else { return SQLITE_OK }
            Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logGrew(to: pages)
            return SQLITE_OK
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func logGrew(to pages: Int32) {
        switch log.take(pages) {
        case .nothing: break
        case .copy:
            if copier?.begin({ () throws(StoreError) in LogCopy(try Connection(copyingLogOf: self)) }) != true {
                copyLog()
            }
        case .copyAll:
            copier?.finish()
            copyLog()
        }
    }

    /// Copies what it can of the log into the file, without waiting for readers. What fails is done at the next time.
    fileprivate func copyLog() {
        _ = sqlite.pointee.wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Copies the log into the file and empties it. Waits a short time for a reader in another process; if that goes on
    /// reading, the log keeps its old data, and that is an error. In memory there is no log.
    public func emptyLog() throws(StoreError) {
        try check()
        guard path != Connection.inMemory else { return }
        copier?.finish()
        _ = sqlite.pointee.busy_timeout(handle, Connection.patienceWithReaders)
        defer { _ = sqlite.pointee.busy_timeout(handle, Connection.patience) }
        let checkpoint = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        defer { checkpoint.reset() }
        guard try checkpoint.next(), checkpoint.int(0) == 0 else {
            throw noted(.inUse(path: path))
        }
    }
}
