import SyncBytes
import SyncJSON
import SyncModel

/// How one action goes over the wire, and what its answer means.
struct ActionCodec {
    enum Wire {
        /// `path` begins behind "/v3".
        case http(method: String, path: String, query: Query = Query(), body: JSON? = nil)
        /// A socket command; `isAnswered` when the service answers with the request id.
        case frame(String, JSON, isAnswered: Bool = false)
        /// This service has nothing for it.
        case unsupported
    }

    /// The request. `userID` is the connected user.
    let encode: (_ call: ActionCall, _ userID: UserID) -> Wire
    /// The answer's body, `nil` when it is empty, as it may be when the action is no question.
    var decode: (_ answer: JSON?, _ call: ActionCall, _ userID: UserID) -> ActionReply = { answer, _, _ in
        ActionReply(result: answer?.serialized())
    }

    /// The codec of actions that are not sent to the service.
    static var unsupported: ActionCodec { ActionCodec(encode: { _, _ in .unsupported }) }
}

extension ActionCall {
    /// Whether it only asks the service for something.
    func isQuestion(of userID: UserID) -> Bool {
        guard case .http("GET", _, _, _) = action.codec.encode(self, userID) else { return false }
        return true
    }

    /// "/group_channels/URL", escaped.
    var channelPath: String { "/group_channels/" + PercentEncoding.escape(channelURL.text) }
    /// "/group_channels/URL/messages/ID", escaped.
    var messagePath: String { channelPath + "/messages/" + PercentEncoding.escape(messageID.text) }
}
