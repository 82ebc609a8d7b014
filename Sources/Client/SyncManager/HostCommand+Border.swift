import SyncEngine
import SyncModel

extension HostCommand {
    /// Whether it counts against the limit of calls while it waits. Those that complete have a slot anyway; what ends
    /// something is never refused, and no host can do it without end.
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

    /// Bytes of the texts it carries until its result is drained, or until the engine has seen it when it has none.
    /// Those of a collection last as long as the collection, which is the host's to remove.
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
