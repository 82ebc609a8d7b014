import SyncEngine
import SyncModel

extension HostCommand {
    /// Whether the command takes a slot while it waits. Commands that complete have the slot of their call. Commands
    /// that end something take none, so they are never refused; their number is bounded by what there is to end.
    var takesSlot: Bool {
        switch self {
        case .resumeSync, .pauseSync, .setToken, .setForeground, .openChannelCollection, .openMessageCollection,
            .openStream, .resetViewpoint:
            true
        case .disconnect, .removeCollection, .resync: false
        case .connect, .clearCache, .signOut, .openCached, .fetch, .fetchAllNext, .fetchFailed, .fetchPending, .start,
            .sendMessage, .resendMessage, .appendMessage, .appendSent, .handleSendResponse, .tellEdit, .updateMessage,
            .deleteMessage, .action, .stream, .database, .resource:
            false
        }
    }

    /// The bytes of its texts, which count until its result is drained, or, without a result, until the engine has
    /// taken it. Those of a collection stay as long as the collection, which the host removes.
    var textBytes: Int {
        switch self {
        case .setToken(let text): text.utf8.count
        case .resendMessage(_, let requestID, _): requestID.text.utf8.count
        case .clearCache(let channelURL?, _): channelURL.text.utf8.count
        case .sendMessage(_, let requestID, let body, _), .appendMessage(_, let requestID, let body, _):
            requestID.text.utf8.count + body.count
        case .appendSent(_, let requestID, let message, _),
            .handleSendResponse(_, let requestID, .sent(let message), _):
            requestID.text.utf8.count + message.json.count
        case .handleSendResponse(_, let requestID, .failed(_, let body), _):
            requestID.text.utf8.count + (body?.count ?? 0)
        case .tellEdit(_, let message, _): message.json.count
        case .updateMessage(_, let requestID, let body, _): requestID.text.utf8.count + body.count
        case .deleteMessage(_, let message, _): message.textBytes
        case .action(let action, _): action.textBytes
        case .database(let request, _): request.textBytes
        case .resource(let request, _): request.textBytes
        case .stream(let request, _, _): request.textBytes
        case .connect, .disconnect, .resumeSync, .pauseSync, .setForeground, .signOut, .clearCache(nil, _),
            .openChannelCollection, .openMessageCollection, .openStream, .openCached, .removeCollection, .fetch,
            .fetchAllNext, .fetchFailed, .fetchPending, .start, .resetViewpoint, .resync:
            0
        }
    }
}

extension OwnMessageReference {
    fileprivate var textBytes: Int {
        switch self {
        case .sent(let id): id.text.utf8.count
        case .unsent(let requestID): requestID.text.utf8.count
        }
    }
}
