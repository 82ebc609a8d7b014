import SyncModel
import SyncStore

/// The search for an own message that the service has and that it did not show: it refused a repeat because it knows
/// the request id. Reads pages from this user's newest message backwards, as far as a recently sent message can be.
struct OwnLookup: Equatable {
    private static let pageSize = 100
    private static let mostPages = 10

    enum Outcome {
        case found(MessageRecord)
        /// The next page may have it.
        case goesOn(OwnLookup)
        case missing
        /// Nothing is known, because the request failed.
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
