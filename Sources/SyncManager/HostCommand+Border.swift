import SyncEngine
import SyncModel

extension HostCommand {
    /// Whether it counts against the limit of calls while it waits. Those that complete have a slot anyway; what ends
    /// something is never refused, and no host can do it without end.
    var takesSlot: Bool {
        switch self {
        case .resumeSync, .pauseSync, .setToken, .openChannelCollection, .openMessageCollection, .resetViewpoint: true
        case .disconnect, .removeCollection, .resync, .close: false
        case .connect, .clearCache, .fetch, .sendMessage, .resendMessage, .appendMessage, .handleSendResponse,
            .updateMessage, .deleteMessage, .action:
            false
        }
    }

    /// Whether it is carried out even by a client that is closing: it keeps, changes or gives up an own message, which
    /// must not depend on how busy the engine was, or opens the collection that this needs.
    var isDoneWhenClosing: Bool {
        switch self {
        case .sendMessage, .resendMessage, .appendMessage, .handleSendResponse, .updateMessage(_, .unsent, _, _),
            .deleteMessage(_, .unsent, _), .openMessageCollection:
            true
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
        case .fetch(_, _, let call): closed(call, .fetch)
        case .sendMessage(_, _, _, let call), .resendMessage(_, _, let call): closed(call, .sendMessage)
        case .appendMessage(_, _, _, let call): closed(call, .appendMessage)
        case .handleSendResponse(_, _, _, _, let call): closed(call, .handleSendResponse)
        case .updateMessage(_, _, _, let call): closed(call, .updateMessage)
        case .deleteMessage(_, _, let call): closed(call, .deleteMessage)
        case .action(let action, let call):
            Completion(call: call, name: .call, status: .closed, action: action.action)
        case .disconnect, .resumeSync, .pauseSync, .setToken, .openChannelCollection, .openMessageCollection,
            .removeCollection, .resetViewpoint, .resync, .close:
            nil
        }
    }
}
