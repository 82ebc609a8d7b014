import SyncModel
import SyncStore

// Edges that have lost their token: the service tells it by the message that stands there.
extension Timeline {
    func findToken(of edge: HistoryEdge, _ direction: PageDirection, _ turn: inout Turn) {
        guard case .pages(let asked) = step else { return }
        let history = history
        let message = turn.storage.cached { (cache) throws(StoreError) in
            try history.message(at: edge, direction, cache)
        }
        guard let message else { return storeFailed(&turn) }
        guard let message else { return take(nil, for: edge, direction, &turn) }
        step = .pages(asked: asked.union([direction]))
        ask(
            .edge(edge, direction),
            .edge(channelURL: id.channelURL, messageID: message, direction: direction, parentID: id.parentID), &turn)
    }

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
    private func take(_ token: String?, for edge: HistoryEdge, _ direction: PageDirection, _ turn: inout Turn) {
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
