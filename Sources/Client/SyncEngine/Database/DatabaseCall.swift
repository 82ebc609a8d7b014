import SyncModel
import SyncRealtime
import SyncResources

/// An operation whose result somebody waits for: a call of the host, or an order of resources.
struct DatabaseCall {
    /// Who waits.
    enum Owner: Comparable {
        /// Resources, by the number of their order.
        case resources(order: UInt64)
        case call(CallID)
    }

    let owner: Owner
    let action: Action?
    /// When it completes with TIMEOUT, by the monotonic clock.
    let deadline: Int64?
    /// A write completes when it is stored, not when the service has answered.
    let isDoneWhenKept: Bool
    /// The result of a write that succeeds, as JSON text.
    var result: [UInt8]?

    init(_ owner: Owner, action: Action? = nil, deadline: Int64?, isDoneWhenKept: Bool = false) {
        self.owner = owner
        self.action = action
        self.deadline = deadline
        self.isDoneWhenKept = isDoneWhenKept
    }

    func complete(
        _ status: Status, result: [UInt8]? = nil, explanation: String? = nil, _ turn: inout Turn
    ) {
        switch owner {
        case .resources(let order):
            let failure = ResourceFailure(status, explanation ?? "there was no answer")
            turn.add(.ordered(status == .ok ? .written(id: order) : .failed(id: order, failure)))
        case .call(let id):
            turn.complete(Completion(
                call: id, name: .call, status: status, action: action, result: result, explanation: explanation))
        }
    }

    func complete(_ failure: DatabaseFailure, _ reach: DatabaseReach, _ turn: inout Turn) {
        if let status = reach.status(of: failure) { return complete(status, explanation: failure.message, &turn) }
        switch owner {
        case .resources(let order):
            let refusal = ResourceFailure(.service, failure.message, code: failure.status)
            turn.add(.ordered(.failed(id: order, refusal)))
        case .call(let id):
            turn.complete(Completion(
                call: id, name: .call, status: .service,
                failure: ServiceFailure(kind: .refused, code: failure.status, message: failure.message),
                action: action))
        }
    }
}
