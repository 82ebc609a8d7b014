import SyncModel
import SyncStore

/// The search for an own message that the service has and did not show: it refused a repeat because it knows the
/// request id. Page by page from this user's newest message back, as far as a message can be that was sent of late.
struct OwnLookup: Equatable {
    private static let pageSize = 100
    private static let mostPages = 10

    enum Outcome {
        case found(MessageRecord)
        /// The next page may have it.
        case goesOn(OwnLookup)
        case missing
        /// Nothing is known: the question was not answered.
        case failed(ServiceFailure)
    }

    let requestID: RequestID
    let channelURL: ChannelURL
    /// How the send ends when the message is not found.
    let refusal: ServiceFailure
    private var pages = 1
    private var edge = HistoryEdge(.last)

    init(requestID: RequestID, channelURL: ChannelURL, refusal: ServiceFailure) {
        self.requestID = requestID
        self.channelURL = channelURL
        self.refusal = refusal
    }

    var request: ServiceRequest {
        .ownMessages(channelURL: channelURL, before: edge, limit: OwnLookup.pageSize)
    }

    func outcome(of reply: ServiceReply, _ context: Context) -> Outcome {
        guard case .messages(let page) = reply else {
            if case .failure(let failure) = reply { return .failed(failure) }
            return .failed(context.rules.failure(.unexpectedReply))
        }
        let found = page.messages.last {
            $0.requestID == requestID && $0.senderID == context.options.userID
        }
        if let found { return .found(found) }
        guard !page.reachedFirst, let range = page.range, pages < OwnLookup.mostPages else { return .missing }
        var next = self
        next.pages += 1
        next.edge = range.start
        return .goesOn(next)
    }
}

extension Outbox {
    /// The message stays under way meanwhile, and no other one of its channel goes out.
    mutating func look(for lookup: OwnLookup, _ turn: inout Turn) {
        turn.add(.ask(.lookup(lookup), lookup.request))
    }

    /// A page of this user's messages. Where nothing is known the message is still under way: sent once more after a
    /// pause, or at the next login, it is looked for again.
    mutating func receive(_ reply: ServiceReply, to lookup: OwnLookup, _ turn: inout Turn) {
        let (url, intent) = (lookup.channelURL, intent(lookup.requestID))
        let outcome = lookup.outcome(of: reply, turn.context)
        if case .goesOn(let next) = outcome, intent != nil { return look(for: next, &turn) }
        messages[url]?.sending = nil
        turn.add(.sendEnded(channelURL: url, isInDoubt: false))
        switch outcome {
        case .found(let message): found(message, intent, in: url, &turn)
        case .failed(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            if let intent { fail(intent, failure, &turn) }
        case .failed(let failure): messages[url]?.gate.fail(failure, at: turn.now.monotonic, turn.random)
        case .missing: if let intent { fail(intent, lookup.refusal, &turn) }
        // Given up meanwhile, or brought by a page.
        case .goesOn: break
        }
        messages.dropIfEmpty(url)
    }

    /// Where it stands among what the socket told nobody knows; it may be older than the session.
    private mutating func found(_ message: MessageRecord, _ intent: Intent?, in url: ChannelURL, _ turn: inout Turn) {
        messages[url]?.gate.succeed()
        let completion = intent.flatMap { settle($0, message, &turn) }
        var fact = MessageFact.sent(message, url, isInOrder: false)
        fact.wasLookedUp = true
        turn.add(.messages(fact))
        if let completion { turn.complete(completion) }
    }
}
