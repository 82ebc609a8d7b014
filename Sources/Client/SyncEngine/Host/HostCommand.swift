import SyncModel

/// A command of a host for the engine. The C interface has checked every argument and given the ids.
///
/// Commands are copied several times on their way, small and frequent ones too. So cases that would make all commands
/// large are `indirect`.
public enum HostCommand: Sendable {
    /// The command has a result, which is told under this id.
    case call(CallID, HostCall)
    /// The command has no result.
    case post(HostPost)

    /// The result when the call is not carried out; `nil` for a command without a result.
    public func completion(_ status: Status) -> Completion? {
        switch self {
        case .call(let id, let call): call.completion(id, status)
        case .post: nil
        }
    }

    /// The result when a sign-out waits behind the call, which would leave nothing of it; `nil`: the command is carried
    /// out all the same.
    public var completionBeforeSignOut: Completion? {
        switch self {
        case .call(let id, let call): call.completionBeforeSignOut(id)
        case .post: nil
        }
    }

    /// Whether the command takes a slot while it waits. A call has a slot already, for its result.
    public var takesSlot: Bool {
        switch self {
        case .call: false
        case .post(let post): post.takesSlot
        }
    }

    /// The bytes of the command's texts. They count until its result is drained, or, without a result, until the engine
    /// has taken the command.
    public var textBytes: Int {
        switch self {
        case .call(_, let call): call.profile.textBytes
        case .post(let post): post.textBytes
        }
    }
}

extension [HostCommand] {
    /// What the host is told when the transaction of closing failed: `outputs`, but each of these calls has the result
    /// for that.
    func results(notStored outputs: [HostOutput]) -> [HostOutput] {
        var results: [Completion] = []
        for case .call(let id, let call) in self {
            results.append(call.completion(id, call.profile.isDoneWhenClosing ? .storage : .closed))
        }
        let calls = Set(results.map(\.call))
        let others = outputs.filter { output in
            if case .completion(let completion) = output { !calls.contains(completion.call) } else { true }
        }
        return results.map { .completion($0) } + others
    }
}
