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
        case .disconnect, .removeCollection, .resync, .close: false
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
        case .setToken(let text), .clearCache(let text?, _), .resendMessage(_, let text, _): text.utf8.count
        case .sendMessage(_, let requestID, let body, _), .appendMessage(_, let requestID, let body, _):
            requestID.utf8.count + body.count
        case .appendSent(_, let requestID, let message, _),
            .handleSendResponse(_, let requestID, .sent(let message), _):
            requestID.utf8.count + message.json.count
        case .handleSendResponse(_, let requestID, .failed(_, let body), _): requestID.utf8.count + (body?.count ?? 0)
        case .tellEdit(_, let message, _): message.json.count
        case .updateMessage(_, let requestID, let body, _): requestID.utf8.count + body.count
        case .deleteMessage(_, let message, _): message.textBytes
        case .action(let action, _): action.textBytes
        case .database(let request, _): request.textBytes
        case .resource(let request, _): request.textBytes
        case .stream(let request, _, _): request.textBytes
        case .connect, .disconnect, .resumeSync, .pauseSync, .setForeground, .signOut, .clearCache(nil, _),
            .openChannelCollection, .openMessageCollection, .openStream, .openCached, .removeCollection, .fetch,
            .fetchAllNext, .fetchFailed, .fetchPending, .start, .resetViewpoint, .resync, .close:
            0
        }
    }

    /// Whether it is carried out even by a client that is closing: it keeps, changes or gives up an own message or
    /// a write to the database, which must not depend on how busy the engine was, or opens the collection that this
    /// needs.
    var isDoneWhenClosing: Bool {
        switch self {
        case .sendMessage, .resendMessage, .appendMessage, .appendSent, .handleSendResponse, .updateMessage,
            .deleteMessage(_, .unsent, _), .openMessageCollection, .openCached:
            true
        case .database(let request, _): request.operation.isWrite
        case .resource(let request, _): request.isWrite
        default: false
        }
    }

    /// The result of a call that is not carried out since the client is closing.
    var closedCompletion: Completion? {
        func closed(_ call: UInt64, _ name: Completion.Name) -> Completion {
            Completion(call: call, name: name, status: .closed)
        }
        return switch self {
        case .connect(let call): closed(call, .connect)
        case .clearCache(_, let call): closed(call, .clearCache)
        case .signOut(let call): closed(call, .signOut)
        case .fetch(_, _, let call): closed(call, .fetch)
        case .openCached(_, _, _, _, let call): closed(call, .openCached)
        case .fetchAllNext(_, let call): closed(call, .fetchAllNext)
        case .fetchFailed(_, let call): closed(call, .fetchFailed)
        case .fetchPending(_, let call): closed(call, .fetchPending)
        case .start(_, let call): closed(call, .start)
        case .sendMessage(_, _, _, let call), .resendMessage(_, _, let call): closed(call, .sendMessage)
        case .appendMessage(_, _, _, let call), .appendSent(_, _, _, let call): closed(call, .appendMessage)
        case .handleSendResponse(_, _, _, let call): closed(call, .handleSendResponse)
        case .updateMessage(_, _, _, let call), .tellEdit(_, _, let call): closed(call, .updateMessage)
        case .deleteMessage(_, _, let call): closed(call, .deleteMessage)
        case .action(let action, let call):
            Completion(call: call, name: .call, status: .closed, action: action.action)
        case .database(let request, let call):
            Completion(call: call, name: .call, status: .closed, action: request.action)
        case .resource(let request, let call):
            Completion(call: call, name: .call, status: .closed, action: request.action)
        case .stream(_, _, let call): closed(call, .streamCall)
        case .disconnect, .resumeSync, .pauseSync, .setToken, .setForeground, .openChannelCollection,
            .openMessageCollection, .openStream, .removeCollection, .resetViewpoint, .resync, .close:
            nil
        }
    }
}

extension OwnMessageReference {
    fileprivate var textBytes: Int {
        switch self {
        case .sent(let id), .unsent(let id): id.utf8.count
        }
    }
}
