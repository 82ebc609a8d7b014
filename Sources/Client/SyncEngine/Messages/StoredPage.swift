import SyncModel
import SyncStore

/// A page of messages that was stored, with what this did to its history.
struct StoredPage {
    let history: History
    let outcome: History.PageOutcome
    /// The page told something new, about messages or about where the history is complete.
    let isNews: Bool

    /// Stores a page; `road`: why it was asked for; `older`: the token of the hole in the stream before it, if there is
    /// one. `nil` when that failed.
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
