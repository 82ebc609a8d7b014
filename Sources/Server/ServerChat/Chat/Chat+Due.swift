import ServerBase
import SyncJSON
import SyncSQLite

// What happens by itself at a time: scheduled messages and announcements go out, polls close, messages that do not last
// go, mutes end, session keys run out. One timer waits for the next of them.
extension Chat {
    /// Something has to happen at this time (0: nothing).
    public func arrange(at time: Int64) {
        guard time > 0, arrangedFor == 0 || time < arrangedFor else { return }
        arrangedFor = time
        // Not longer than a minute: the clock may be moved on meanwhile.
        timers.after(min(max(time.subtractingClamped(now), 0), 60_000)) { [weak self] in
            guard let self, arrangedFor == time else { return }
            runDue()
        }
    }

    /// A message that does not last was sent.
    public func expireLater() {
        do { arrange(at: try storage.nextExpiry() ?? 0) } catch {
            Log.failure("the next expiry is not known", error)
            arrange(at: now + Chat.dueRetryDelay)
        }
    }

    /// How long what the storage refused waits until it is tried again, in milliseconds.
    private static let dueRetryDelay: Int64 = 5000

    /// Does what is due, and waits for what comes next. What the storage refused stays due and is tried again.
    public func runDue() {
        arrangedFor = 0
        let now = now
        var isDone = true
        func attempt(_ what: String, _ body: () throws -> Void) {
            do { try body() } catch {
                Log.failure("\(what) did not happen and is tried again", error)
                isDone = false
            }
        }
        attempt("what was due") {
            for (kind, document) in try storage.due(by: now) {
                // One that fails must not keep the others from happening.
                attempt("\(kind.rawValue) \(document.id)") { try happen(kind, document, now) }
            }
        }
        attempt("the end of messages that do not last") { try expireMessages() }
        attempt("the end of mutes") { try endMutes() }
        tellExpiredKeys()
        attempt("the arrangement of what is due next") {
            let next = [
                try storage.nextDue(after: now), try storage.nextExpiry(), try storage.nextMuteEnd(), hub.nextKeyExpiry,
            ].compactMap { $0 }.min()
            if let next { arrange(at: next) }
        }
        if !isDone { arrange(at: now + Chat.dueRetryDelay) }
    }

    /// It happens as a whole and is due no more; what cannot happen, say because its channel is gone, has failed.
    private func happen(_ kind: Storage.Kind, _ document: Storage.Document, _ now: Int64) throws {
        do {
            try atomically {
                try perform(kind, document)
                try storage.clearDue(kind, document.id, by: now)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            try fail(kind, document, error)
        }
    }

    private func perform(_ kind: Storage.Kind, _ document: Storage.Document) throws {
        switch kind {
        case .scheduled: try sendScheduled(document)
        case .announcement: try announce(document.id, document.json)
        case .poll:
            if let id = Int64(document.id) { _ = try closePoll(try poll(id), Caller(userID: "", isAdmin: true)) }
        default: break
        }
    }

    private func fail(_ kind: Storage.Kind, _ document: Storage.Document, _ error: any Error) throws {
        Log.failure("\(kind.rawValue) \(document.id) failed", error)
        document.json.set("status", "failed")
        try storage.save(kind, document.id, scope: document.scope, at: document.at, document.json)
    }

    /// Sockets hear once that their session key has run out.
    private func tellExpiredKeys() {
        let now = now
        for socket in hub.all { socket.tellExpiry(by: now) }
    }

    private func expireMessages() throws {
        let most = 500
        while true {
            let expired = try storage.expired(at: now, limit: most)
            for message in expired {
                guard let channel = try storage.channel(id: message.channelID) else { continue }
                try remove(message, channel)
            }
            if expired.count < most { return }
        }
    }
}
