import SyncModel
import SyncStore

// Logs of what was missed while away: of messages, and then of polls, which change without their messages being edited.
extension Timeline {
    /// The fact made of a page of a log is in the cache, or could not be stored.
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

    /// An answer about polls. What it says is given back as a fact, as that of the messages' own log.
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
            // Polls are not for this user, or the channel is gone, which the next question tells.
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

// Edges that have lost their token: the service tells it by the message that stands there.
extension Timeline {
    func receive(
        _ reply: ServiceReply, for edge: HistoryEdge, _ direction: PageDirection, _ ask: MessageAsk,
        _ turn: inout Turn
    ) {
        answerEnded(ask)
        switch reply {
        // An empty token would be asked for again without end.
        case .edge(let token) where !token.isEmpty: take(token, for: edge, direction, &turn)
        // The message is gone: what stood beside it is asked for as if nothing was known.
        case .failure(let failure) where failure.kind == .notFound: take(nil, for: edge, direction, &turn)
        case .failure(let failure): failed(ask, failure, &turn)
        default: failed(ask, turn.rules.failure(.unexpectedReply), &turn)
        }
    }

    /// A chunk without a token to go on from is not one; its place is asked for again.
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
