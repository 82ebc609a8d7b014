import SyncModel

/// A call of a host about an own message.
public enum OwnMessageCall: Sendable {
    /// `body` is a JSON object in canonical field names without the request id.
    case send(requestID: RequestID, body: [UInt8])
    case resend(requestID: RequestID)
    case append(requestID: RequestID, body: [UInt8])
    /// The host sent a message by itself, and adds it only after that.
    case appendSent(requestID: RequestID, MessageRecord)
    /// How the host's own send ended.
    case handleSendResponse(requestID: RequestID, SendOutcome)
    /// The host edited a message by itself.
    case tellEdit(MessageRecord)
    /// An edit of a failed message in place.
    case update(requestID: RequestID, body: [UInt8])
    /// The host deleted a sent message by itself, or gives up a pending or failed one.
    case delete(OwnMessageReference)

    var profile: HostCall.Profile {
        switch self {
        case .send(let requestID, let body): kept(.sendMessage, requestID, body.count)
        case .resend(let requestID): kept(.sendMessage, requestID)
        case .append(let requestID, let body): kept(.appendMessage, requestID, body.count)
        case .appendSent(let requestID, let message): kept(.appendMessage, requestID, message.json.count)
        case .handleSendResponse(let requestID, .sent(let message)):
            kept(.handleSendResponse, requestID, message.json.count)
        case .handleSendResponse(let requestID, .failed(_, let body)):
            kept(.handleSendResponse, requestID, body?.count ?? 0)
        case .tellEdit(let message): HostCall.Profile(.updateMessage, textBytes: message.json.count)
        case .update(let requestID, let body): kept(.updateMessage, requestID, body.count)
        case .delete(.unsent(let requestID)): kept(.deleteMessage, requestID)
        case .delete(.sent(let id)): HostCall.Profile(.deleteMessage, textBytes: id.text.utf8.count)
        }
    }

    /// A call that changes stored own messages, or says how a send ended.
    private func kept(_ name: Completion.Name, _ requestID: RequestID, _ bytes: Int = 0) -> HostCall.Profile {
        HostCall.Profile(
            name, textBytes: requestID.text.utf8.count + bytes, isDoneWhenClosing: true, endBeforeSignOut: .removed)
    }
}

/// How a host's own send ended.
public enum SendOutcome: Sendable {
    case sent(MessageRecord)
    /// `body`: the content to keep of a message that was never appended; `nil` when there is none.
    case failed(code: Int, body: [UInt8]?)
}

/// Names an own message: one that the service has, or one that is pending or failed.
public enum OwnMessageReference: Equatable, Sendable {
    case sent(id: MessageID)
    case unsent(requestID: RequestID)
}
