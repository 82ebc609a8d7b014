import SyncModel

/// What a host asks of the engine. The border has checked every argument; ids are the border's.
///
/// Commands are copied several times on their way, the small and frequent ones as often as any: cases that would make
/// all of them large lie apart.
public enum HostCommand: Sendable {
    /// It has a result, which is told under this id.
    case call(CallID, HostCall)
    /// It has none.
    case post(HostPost)

    /// The result of its call when it is not carried out; `nil` where there is none.
    public func completion(_ status: Status) -> Completion? {
        switch self {
        case .call(let id, let call): call.completion(id, status)
        case .post: nil
        }
    }

    /// The result of its call when a sign-out waits behind it, which erases whatever it would leave; `nil`: it is
    /// carried out all the same.
    public var completionBeforeSignOut: Completion? {
        switch self {
        case .call(let id, let call): call.completionBeforeSignOut(id)
        case .post: nil
        }
    }

    /// Whether the command takes a slot while it waits. Calls have the slot that their result needs.
    public var takesSlot: Bool {
        switch self {
        case .call: false
        case .post(let post): post.takesSlot
        }
    }

    /// The bytes of its texts, which count until its result is drained, or, without a result, until the engine has
    /// taken it.
    public var textBytes: Int {
        switch self {
        case .call(_, let call): call.profile.textBytes
        case .post(let post): post.textBytes
        }
    }
}

extension [HostCommand] {
    /// What the host is told when none of what was to be stored is: `outputs` with each call's result once.
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
