import ServerBase
import SyncJSON
import SyncSQLite

/// What happens by itself at a time: scheduled messages and announcements go out, polls close, messages expire, mutes
/// end, session keys run out. One timer waits for the next of these.
public struct DueRules: ChatRules {
    let chat: Chat

    /// Does what is due, and from now on what becomes due at its time. Called once, when the server starts.
    public func start() {
        chat.dueTimer.action = { [weak chat] in chat?.due.run() }
        run()
    }

    /// Does what is due, and sets the timer for what comes next. An action that the storage refused is tried again.
    public func run() {
        chat.dueTimer.clear()
        let now = now
        var isDone = true
        func attempt(_ what: String, _ body: () throws -> Void) {
            do { try body() } catch {
                Log.failure("\(what) did not happen and is tried again", error)
                isDone = false
            }
        }
        attempt("what was due") {
            for (kind, document) in try storage.documents.due(by: now) {
                // An action that fails must not keep the others from happening.
                attempt("\(kind.rawValue) \(document.id)") { try happen(kind, document, now) }
            }
        }
        attempt("the end of messages that do not last") { try expireMessages() }
        attempt("the end of mutes") { try chat.moderation.endMutes() }
        tellExpiredKeys()
        attempt("the arrangement of what is due next") {
            let next = [
                try storage.documents.nextDue(after: now), try storage.messages.nextExpiry(),
                try storage.members.nextMuteEnd(), hub.nextKeyExpiry,
            ].compactMap { $0 }.min()
            if let next { chat.dueTimer.arrange(at: next) }
        }
        if !isDone { chat.dueTimer.arrange(at: now + DueTimer.retryDelay) }
    }

    /// Does a due action as a whole and clears it. When it cannot be done, as when its channel is gone, it has failed.
    private func happen(_ kind: DocumentTable.Kind, _ document: DocumentTable.Document, _ now: Int64) throws {
        do {
            try chat.atomically {
                try perform(kind, document)
                try storage.documents.clearDue(kind, document.id, by: now)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            try fail(kind, document, error)
        }
    }

    private func perform(_ kind: DocumentTable.Kind, _ document: DocumentTable.Document) throws {
        switch kind {
        case .scheduled: try chat.scheduled.send(document)
        case .announcement: try chat.announcements.send(document.id, document.json)
        case .poll:
            if let id = Int64(document.id) {
                _ = try chat.polls.close(try chat.polls.poll(id), Caller(userID: "", isAdmin: true))
            }
        default: break
        }
    }

    private func fail(_ kind: DocumentTable.Kind, _ document: DocumentTable.Document, _ error: any Error) throws {
        Log.failure("\(kind.rawValue) \(document.id) failed", error)
        document.json.set("status", "failed")
        try storage.documents.save(kind, document.id, scope: document.scope, at: document.at, document.json)
    }

    /// Sockets hear once that their session key has run out.
    private func tellExpiredKeys() {
        let now = now
        for socket in hub.all { socket.tellExpiry(by: now) }
    }

    private func expireMessages() throws {
        let most = 500
        while true {
            let expired = try storage.messages.expired(at: now, limit: most)
            for message in expired {
                guard let channel = try storage.channels.channel(id: message.channelID) else { continue }
                try chat.edits.remove(message, channel)
            }
            if expired.count < most { return }
        }
    }
}

extension Chat {
    public var due: DueRules { DueRules(chat: self) }
}
