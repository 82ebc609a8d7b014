import SyncModel

/// The host's calls that wait until their message is sent or has failed, by request id.
struct SendCalls {
    private var waiting: [RequestID: (call: CallID, name: Completion.Name)] = [:]

    mutating func add(_ call: CallID, _ name: Completion.Name, for requestID: RequestID) {
        waiting[requestID] = (call, name)
    }

    func requestID(of call: CallID) -> RequestID? { waiting.first { $0.value.call == call }?.key }

    mutating func drop(_ requestID: RequestID) { waiting[requestID] = nil }

    /// The completion of the call that waits for a message; `nil` when none waits.
    mutating func take(
        _ requestID: RequestID, _ status: Status, message: [UInt8]? = nil, _ failure: ServiceFailure? = nil
    ) -> Completion? {
        guard let (call, name) = waiting.removeValue(forKey: requestID) else { return nil }
        return Completion(
            call: call, name: name, status: status, requestID: requestID, message: message, failure: failure)
    }

    /// Completes all of them: the client closes.
    mutating func end(_ turn: inout Turn) {
        for (call, name) in waiting.values.sorted(by: { $0.call < $1.call }) {
            turn.complete(Completion(call: call, name: name, status: .closed))
        }
        waiting = [:]
    }
}
