import SyncModel
import SyncStore

/// A page of messages that is in the cache now, with what it did to its history.
struct StoredPage {
    let history: History
    let outcome: History.PageOutcome
    /// It says something that was not known, of messages or of where history is complete.
    let isNews: Bool

    /// Stores a page that came by a road, or that stands behind a hole in the stream; `nil` when that failed.
    init?(
        _ page: MessagePage, by road: SequencePage.Road, hole older: String?, of history: History, _ context: Context
    ) {
        let result = context.storage.committed { (cache) throws(StoreError) -> (History, History.PageOutcome) in
            var next = history
            let outcome = if let older {
                try next.take(hole: older, page, context.rules, cache)
            } else {
                try next.take(page, by: road, context.rules, cache)
            }
            try PollCursor.note(outcome.rows, of: next, context, cache)
            return (next, outcome)
        }
        guard let (next, outcome) = result else { return nil }
        self.history = next
        self.outcome = outcome
        isNews = next.chunks != history.chunks || next.stored != history.stored
    }
}
