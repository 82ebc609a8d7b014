import SyncModel
import SyncStore

/// How far the log of edits and deletions in a channel or a thread has been read.
enum ChangeCursor {
    private static func key(_ history: History) -> String { "messages.changes.\(history.channelKey)" }

    /// The outer `nil`: the cache cannot be read. The inner `nil`: it is not known how far the log was read.
    static func read(_ history: History, _ storage: Storage) -> ChangePoint?? {
        let key = key(history)
        let stored = storage.cached { (cache) throws(StoreError) in try cache.value(key) }
        return stored.map { $0.flatMap(ChangePoint.init(storedText:)) }
    }

    /// Nothing is cached yet: the log is to be read from this login, which is before the first page. If the channel is
    /// not cached yet, the login time is kept for it, too, because messages that come before the channel do not say for
    /// which membership their page was made. `false` when that could not be stored.
    static func begin(_ id: HistoryID, _ history: History, _ context: Context) -> Bool {
        let key = key(history)
        let (url, loginTime) = (id.channelURL, context.loginTime)
        // Read outside the transaction: a damaged channel would undo the transaction each time, and no page would ever
        // be asked for.
        let isTold = context.storage.channel(url) != nil
        let done: Void? = context.storage.committed { (cache) throws(StoreError) in
            try cache.setValue(key, ChangePoint.time(loginTime).storedText)
            guard !isTold, try cache.channels.former(url) == nil else { return }
            try cache.channels.setFormer(url, FormerChannel(untoldAt: loginTime))
        }
        return done != nil
    }

    /// The fact from a page of the log, with the new cursor.
    static func fact(
        _ changes: MessageChanges, since: ChangePoint, of id: HistoryID, _ history: History, _ context: Context
    ) -> MessageFact {
        let next = ChangePoint.behind(changes.next, hasMore: changes.hasMore, since, context.loginTime)
        return MessageFact(
            channelURL: id.channelURL, kind: .changelog(updated: changes.updated, deleted: changes.deletedIDs),
            cause: Cause(.messageChangelog), answerTo: id, progress: (key(history), next.point.storedText))
    }
}
