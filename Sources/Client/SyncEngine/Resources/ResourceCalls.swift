import SyncBytes
import SyncRealtime
import SyncModel
import SyncResources
import SyncTree

/// Resources for hosts: calls and their results. The rules are in `ResourceMachine`; its requests to the database are
/// passed on as effects.
final class ResourceCalls: Machine {
    private let machine: ResourceMachine
    /// The actions of calls that are not complete.
    private var actions: [CallID: Action] = [:]

    init(_ random: RandomSource) {
        machine = ResourceMachine(seed: UInt64(bitPattern: random.below(Int64.max)))
    }

    func handle(
        _ call: ResourceCall, call number: CallID, _ turn: inout Turn
    ) {
        actions[number] = call.action
        if let timeout = call.timeout {
            turn.add(.timer(.action(call: number), at: turn.now.monotonic + timeout))
        }
        machine.handle(call.request, call: number, now: turn.now)
        carryOut(&turn)
    }

    /// The database has answered.
    func receive(_ input: ResourceInput, _ turn: inout Turn) {
        machine.receive(input, now: turn.now)
        carryOut(&turn)
    }

    /// The host does not wait any more. `false` when no such call waits.
    func cancel(_ number: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        let cause =
            switch status {
            case .timeout: "not done in time"
            case .closed: "the client was closed"
            default: "canceled"
            }
        guard machine.giveUp(number, ResourceFailure(status, cause)) else { return false }
        carryOut(&turn)
        return true
    }

    func end(_ turn: inout Turn) { end(.closed, &turn) }

    /// Ends every operation in flight, and forgets contexts.
    func end(_ status: Status, _ turn: inout Turn) {
        machine.startOver(
            ResourceFailure(status, status == .closed ? "the client was closed" : Completion.signedOut))
        carryOut(&turn)
    }

    var inFlight: Int { machine.inFlight }

    private func carryOut(_ turn: inout Turn) {
        for effect in machine.takeEffects() {
            switch effect {
            case .set(let id, let path, let json): turn.add(.order(.set(path, json), id: id))
            case .update(let id, let path, let json): turn.add(.order(.update(path, json), id: id))
            case .remove(let id, let path): turn.add(.order(.set(path, Array("null".utf8)), id: id))
            case .count(let id, let path, let by): turn.add(.order(.count(path, by: by), id: id))
            case .read(let id, let path): turn.add(.order(.get(DatabaseLocation(path), isShallow: false), id: id))
            case .tell(let notice): turn.tell(.resource(notice))
            case .complete(let call, let reply): complete(call, reply, &turn)
            }
        }
    }

    private func complete(_ call: CallID, _ reply: ResourceReply, _ turn: inout Turn) {
        guard let action = actions.removeValue(forKey: call) else { return }
        turn.add(.timer(.action(call: call), at: nil))
        var completion = Completion(
            call: call, name: .call, status: reply.failure?.status ?? .ok, action: action, result: reply.result)
        if let failure = reply.failure {
            if failure.code == 0 {
                completion.explanation = failure.message
            } else {
                completion.failure = ServiceFailure(kind: .refused, code: failure.code, message: failure.message)
            }
        }
        turn.complete(completion)
    }
}
