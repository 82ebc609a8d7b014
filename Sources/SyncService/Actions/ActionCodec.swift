import SyncJSON
import SyncModel

/// How one action goes over the wire, and what its answer means.
struct ActionCodec {
    enum Wire {
        /// `path` begins behind "/v3".
        case http(method: String, path: String, query: Query = Query(), body: JSON? = nil)
        /// A socket command; `isAnswered` when the service answers with the request id.
        case frame(String, JSON, isAnswered: Bool = false)
    }

    /// The request. `userID` is the connected user.
    let encode: (_ call: ActionCall, _ userID: String) -> Wire
    /// The answer's body, `nil` when it is empty or is no JSON object.
    var decode: (_ answer: JSON?, _ call: ActionCall, _ userID: String) -> ActionReply = { answer, _, _ in
        ActionReply(result: answer?.serialized())
    }

    static func codec(of action: Action) -> ActionCodec {
        switch action {
        case .editMessage: editMessage
        case .deleteMessage: deleteMessage
        case .addReaction, .removeReaction: reaction(isAdded: action == .addReaction)
        case .pinMessage, .unpinMessage: pin(isPinned: action == .pinMessage)
        case .translateMessage: translateMessage
        case .createMetaArrayKeys, .addMetaArrayValues: metaArray(isAdded: true)
        case .deleteMetaArrayKeys, .removeMetaArrayValues: metaArray(isAdded: false)
        case .markAsRead: markAsRead
        case .markAllAsRead: markAllAsRead
        case .markAsUnread: markAsUnread
        case .markAsDelivered: markAsDelivered
        case .startTyping: typing("TPST")
        case .endTyping: typing("TPEN")
        }
    }
}

extension ActionCall {
    /// "/group_channels/URL", escaped.
    var channelPath: String { "/group_channels/" + Query.escape(channelURL) }
    /// "/group_channels/URL/messages/ID", escaped.
    var messagePath: String { channelPath + "/messages/" + Query.escape(messageID) }
}
