import SyncModel
import SyncStore

// Change logs of what was missed while offline: of messages, and then of polls, which change without an edit of their
// message.
extension Timeline {
    /// The fact from a page of a log was stored, or could not be.
    func changesTaken(_ isStored: Bool, _ page: LogPage, to ask: MessageAsk, _ turn: inout Turn) {
        guard ask.generation == generation else { return }
        let (since, behind): (ChangePoint, TimelineStep)
        switch ask.kind {
        case .changes(let point): (since, behind) = (point, .polls(isAsked: false))
        case .polls(let point): (since, behind) = (point, .gap(isAsked: false))
        default: return
        }
        answerEnded(ask)
        guard isStored else { return storeFailed(&turn) }
        gate.succeed()
        if ChangePoint.behind(page.next, hasMore: page.hasMore, since, turn.loginTime).isEnd { step = behind }
        resume(&turn)
    }

    /// An answer about polls. Returns its content as a fact, like the log of messages.
    func receive(
        polls reply: ServiceReply, since: ChangePoint, _ ask: MessageAsk, _ turn: inout Turn
    ) -> MessageFact? {
        switch reply {
        case .pollChanges(let changes):
            if let fact = PollCursor.fact(changes, since: since, of: id, history, turn.context) { return fact }
            answerEnded(ask)
            storeFailed(&turn)
        case .failure(let failure) where failure.kind == .pageTokenExpired:
            answerEnded(ask)
            if PollCursor.startOver(history, turn.storage) { resume(&turn) } else { storeFailed(&turn) }
        case .failure(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            // This user may not read polls, or the channel is gone, which the next request tells.
            answerEnded(ask)
            gate.succeed()
            step = .gap(isAsked: false)
            resume(&turn)
        case .failure(let failure):
            answerEnded(ask)
            failed(ask, failure, &turn)
        default:
            answerEnded(ask)
            failed(ask, turn.rules.failure(.unexpectedReply), &turn)
        }
        return nil
    }
}

// Edges that have lost their token: the service tells it again by the message at the edge.
extension Timeline {
    func receive(
        _ reply: ServiceReply, for edge: HistoryEdge, _ direction: PageDirection, _ ask: MessageAsk,
        _ turn: inout Turn
    ) {
        answerEnded(ask)
        switch reply {
        // With an empty token, the same request would be repeated without end.
        case .edge(let token) where !token.isEmpty: take(token, for: edge, direction, &turn)
        // The message is gone: the messages beside it are asked for as if nothing was known.
        case .failure(let failure) where failure.kind == .notFound: take(nil, for: edge, direction, &turn)
        case .failure(let failure): failed(ask, failure, &turn)
        default: failed(ask, turn.rules.failure(.unexpectedReply), &turn)
        }
    }

    /// Sets the token of an edge. A chunk whose edge has no token is forgotten, and its place is asked for again.
    func take(_ token: String?, for edge: HistoryEdge, _ direction: PageDirection, _ turn: inout Turn) {
        let history = history
        let next = turn.storage.committed { (cache) throws(StoreError) -> History in
            var next = history
            try next.found(token, of: edge, direction, cache)
            return next
        }
        guard let next else { return storeFailed(&turn) }
        restore(next)
        gate.succeed()
        resume(&turn)
    }
}
