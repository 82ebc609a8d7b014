import SyncModel
import SyncStore

/// How far the log of edits and deletions in a channel or a thread has been read.
enum ChangeCursor {
    private static func key(_ history: History) -> String { "messages.changes.\(history.channelKey)" }

    /// `nil` when the cache cannot be read; in it `nil` where nobody knows how far.
    static func read(_ history: History, _ storage: Storage) -> ChangePoint?? {
        let key = key(history)
        let stored = storage.cached { (cache) throws(StoreError) in try cache.value(key) }
        return stored.map { $0.flatMap(ChangePoint.init(storedText:)) }
    }

    /// Nothing is cached yet: changes count from this login, which is before the first page. Of a channel that is not
    /// told yet the login is kept too: pages that come before the channel tell nothing of the membership they were
    /// made for. `false` when that could not be stored.
    static func begin(_ id: HistoryID, _ history: History, _ context: Context) -> Bool {
        let key = key(history)
        let (url, loginTime) = (id.channelURL, context.loginTime)
        // Not within the transaction: a damaged channel would undo it each time, and no page would ever be asked for.
        let isTold = context.storage.channel(url) != nil
        let done: Void? = context.storage.committed { (cache) throws(StoreError) in
            try cache.setValue(key, ChangePoint.time(loginTime).storedText)
            guard !isTold, try cache.formerChannel(url) == nil else { return }
            try cache.setFormerChannel(url, FormerChannel(untoldAt: loginTime))
        }
        return done != nil
    }

    /// What a page of the log says, with how far it has been read then.
    static func fact(
        _ changes: MessageChanges, since: ChangePoint, of id: HistoryID, _ history: History, _ context: Context
    ) -> MessageFact {
        let next = ChangePoint.behind(changes.next, hasMore: changes.hasMore, since, context.loginTime)
        return MessageFact(
            channelURL: id.channelURL, kind: .changelog(updated: changes.updated, deleted: changes.deletedIDs),
            cause: Cause(.messageChangelog), answerTo: id, progress: (key(history), next.point.storedText))
    }
}
