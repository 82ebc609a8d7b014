import SyncBytes
import SyncJSON
import SyncModel
import SyncStore

/// How far the log of a channel's or a thread's polls has been read.
///
/// Polls change without their messages being edited, so the log of messages says nothing of them. The cursor is there
/// only where a poll is cached; where none is, nothing is asked.
enum PollCursor {
    /// `nil` when the cache cannot be read; in it `nil` where no poll is cached.
    static func read(_ history: History, _ storage: Storage) -> ChangePoint?? {
        let key = CacheStore.pollsKey(history.channelKey)
        let stored = storage.cached { (cache) throws(StoreError) in try cache.value(key) }
        // What cannot be read is no point; from the beginning on nothing is missed.
        return stored.map { text in text.map { ChangePoint(storedText: $0) ?? .time(0) } }
    }

    /// The point is none any more: the log is read from its beginning. `false` when that could not be stored.
    static func startOver(_ history: History, _ storage: Storage) -> Bool {
        let key = CacheStore.pollsKey(history.channelKey)
        let done: Void? = storage.cached { (cache) throws(StoreError) in
            try cache.setValue(key, ChangePoint.time(0).storedText)
        }
        return done != nil
    }

    /// Messages were stored: with the first poll among them the log becomes one to be read, from this login on.
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

    /// What a page of the log says, with how far it has been read then; `nil` when the cache cannot be read.
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

    /// Why messages changed of which the log tells: the poll of each.
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

    /// The log names polls that are gone, and not their messages.
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
