import SyncModel

/// What becomes of a command that has not had its turn when the client closes or the user signs out.
extension HostCommand {
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

    /// The result of its call when a sign-out waits behind it, which erases whatever it would leave; `nil`: it is
    /// carried out all the same.
    public var completionBeforeSignOut: Completion? {
        switch self {
        case .sendMessage, .resendMessage, .appendMessage, .appendSent, .handleSendResponse, .updateMessage,
            .deleteMessage(_, .unsent, _):
            completion(.removed)
        case .database(let request, _) where request.operation.isEndedBySignOut: canceledBySignOut
        case .resource(let request, _) where request.isWrite: canceledBySignOut
        default: nil
        }
    }

    private var canceledBySignOut: Completion? {
        var completion = completion(.canceled)
        completion?.explanation = Completion.signedOut
        return completion
    }

    /// The result of its call when it is not carried out; `nil` where there is none.
    public func completion(_ status: Status) -> Completion? {
        func completion(_ call: CallID, _ name: Completion.Name, _ action: Action? = nil) -> Completion {
            Completion(call: call, name: name, status: status, action: action)
        }
        return switch self {
        case .connect(let call): completion(call, .connect)
        case .clearCache(_, let call): completion(call, .clearCache)
        case .signOut(let call): completion(call, .signOut)
        case .fetch(_, _, let call): completion(call, .fetch)
        case .openCached(_, _, _, _, let call): completion(call, .openCached)
        case .fetchAllNext(_, let call): completion(call, .fetchAllNext)
        case .fetchFailed(_, let call): completion(call, .fetchFailed)
        case .fetchPending(_, let call): completion(call, .fetchPending)
        case .start(_, let call): completion(call, .start)
        case .sendMessage(_, _, _, let call), .resendMessage(_, _, let call): completion(call, .sendMessage)
        case .appendMessage(_, _, _, let call), .appendSent(_, _, _, let call): completion(call, .appendMessage)
        case .handleSendResponse(_, _, _, let call): completion(call, .handleSendResponse)
        case .updateMessage(_, _, _, let call), .tellEdit(_, _, let call): completion(call, .updateMessage)
        case .deleteMessage(_, _, let call): completion(call, .deleteMessage)
        case .action(let action, let call): completion(call, .call, action.action)
        case .database(let request, let call): completion(call, .call, request.action)
        case .resource(let request, let call): completion(call, .call, request.action)
        case .stream(_, _, let call): completion(call, .streamCall)
        case .disconnect, .resumeSync, .pauseSync, .setToken, .setForeground, .openChannelCollection,
            .openMessageCollection, .openStream, .removeCollection, .resetViewpoint, .resync:
            nil
        }
    }
}

extension [HostCommand] {
    /// What the host is told when none of what was to be stored is: `outputs` with each call's result once.
    func results(notStored outputs: [HostOutput]) -> [HostOutput] {
        let results = compactMap { $0.completion($0.isDoneWhenClosing ? .storage : .closed) }
        let calls = Set(results.map(\.call))
        let others = outputs.filter { output in
            if case .completion(let completion) = output { !calls.contains(completion.call) } else { true }
        }
        return results.map { .completion($0) } + others
    }
}
