import SyncJSON

// What happens by itself at a time: scheduled messages and announcements go out, polls close, messages that do not last
// go, mutes end, session keys run out. One timer waits for the next of them.
extension Chat {
    /// Something has to happen at this time (0: nothing).
    func arrange(at time: Int64) {
        guard time > 0, arrangedFor == 0 || time < arrangedFor else { return }
        arrangedFor = time
        // Not longer than a minute: the clock may be moved on meanwhile.
        timers.after(min(max(time - now, 0), 60_000)) { [weak self] in
            guard let self, arrangedFor == time else { return }
            runDue()
        }
    }

    /// A message that does not last was sent.
    func expireLater() {
        do { arrange(at: try storage.nextExpiry() ?? 0) } catch { Log.failure("no expiry was arranged", error) }
    }

    /// Does what is due, and waits for what comes next.
    func runDue() {
        arrangedFor = 0
        let now = now
        do {
            for (kind, document) in try storage.due(by: now) {
                // One that fails must not keep the others from happening, nor happen again at once.
                do { try perform(kind, document) } catch { try fail(kind, document, error) }
                try storage.clearDue(kind, document.id, by: now)
            }
            try expireMessages()
            try endMutes()
            tellExpiredKeys()
            let next = [
                try storage.nextDue(after: now), try storage.nextExpiry(), try storage.nextMuteEnd(), hub.nextKeyExpiry,
            ].compactMap { $0 }.min()
            if let next { arrange(at: next) }
        } catch {
            Log.failure("what was due did not happen", error)
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
