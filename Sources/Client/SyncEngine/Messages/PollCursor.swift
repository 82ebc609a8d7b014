import SyncBytes
import SyncJSON
import SyncModel
import SyncStore

/// How far the change log of polls has been read, of a channel or a thread.
///
/// Polls change without their messages being edited, so the log of messages does not name them. The cursor exists only
/// where a poll is cached; without one, this log is not read.
enum PollCursor {
    /// The outer `nil`: the cache cannot be read. The inner `nil`: no poll is cached.
    static func read(_ history: History, _ storage: Storage) -> ChangePoint?? {
        let key = CacheStore.pollsKey(history.channelKey)
        let stored = storage.cached { (cache) throws(StoreError) in try cache.value(key) }
        // A damaged cursor is replaced by the beginning of the log, so that nothing is missed.
        return stored.map { text in text.map { ChangePoint(storedText: $0) ?? .time(0) } }
    }

    /// The cursor is not valid any more: the log is read from its beginning. `false` when that could not be stored.
    static func startOver(_ history: History, _ storage: Storage) -> Bool {
        let key = CacheStore.pollsKey(history.channelKey)
        let done: Void? = storage.cached { (cache) throws(StoreError) in
            try cache.setValue(key, ChangePoint.time(0).storedText)
        }
        return done != nil
    }

    /// Messages were stored: the first poll among them creates the cursor, at this login.
    static func note(
        _ messages: [MessageRecord], of history: History, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) {
        guard context.capabilities.messageChanges == .log,
            messages.contains(where: { context.rules.pollID(in: $0.json) != nil })
        else { return }
        let key = CacheStore.pollsKey(history.channelKey)
        if try cache.value(key) == nil { try cache.setValue(key, ChangePoint.time(context.loginTime).storedText) }
    }

    static func note(
        _ recorded: RecordedFact, _ fact: MessageFact, of history: History, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) {
        if case .arrived(let message, _) = fact.kind, case .stored = recorded.arrival {
            try note([message], of: history, context, cache)
        } else {
            try note(recorded.changed, of: history, context, cache)
        }
    }

    /// The fact from a page of the log, with the new cursor; `nil` when the cache cannot be read.
    static func fact(
        _ changes: PollChanges, since: ChangePoint, of id: HistoryID, _ history: History, _ context: Context
    ) -> MessageFact? {
        var patches = changes.updated.map { (id: $0.messageID, patch: MessagePatch.poll($0.change)) }
        if !changes.deletedIDs.isEmpty {
            guard let removed = removed(changes.deletedIDs, history, context) else { return nil }
            patches += removed
        }
        let key = CacheStore.pollsKey(history.channelKey)
        let next = ChangePoint.behind(changes.next, hasMore: changes.hasMore, since, context.loginTime)
        return MessageFact(
            channelURL: id.channelURL, kind: .patchLog(patches), cause: Cause(.eventPollChangelog),
            answerTo: id, progress: (key, next.point.storedText))
    }

    /// The cause of changes that come from the log, with the poll of each message.
    static func cause(of changed: [MessageRecord], _ rules: any ServiceRules) -> Cause {
        let facts = changed.compactMap { message -> EventFact? in
            guard let poll = rules.pollID(in: message.json) else { return nil }
            let told = JSON.object([
                "event": .string(EventSource.eventPollChangelog.rawValue), "message_id": .string(message.id.text),
                "poll_id": .string(poll),
            ])
            return EventFact(.eventPollChangelog, json: told.serialized())
        }
        var cause = Cause(.eventPollChangelog)
        cause.add(Cause(.eventPollChangelog, facts))
        return cause
    }

    /// The log names removed polls without their messages, so the cached messages are searched for them.
    private static func removed(
        _ ids: [String], _ history: History, _ context: Context
    ) -> [(id: MessageID, patch: MessagePatch)]? {
        let gone = Set(ids.map { TextKey($0) })
        let found = context.storage.cached { (cache) throws(StoreError) in
            try cache.messagesWithPolls(channel: history.channelKey)
        }
        return found?.compactMap { message in
            guard let poll = context.rules.pollID(in: message.json), gone.contains(TextKey(poll)) else { return nil }
            return (message.id, .poll(PollChange(pollID: poll, kind: .removed)))
        }
    }
}
