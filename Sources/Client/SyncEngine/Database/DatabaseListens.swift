import SyncModel
import SyncRealtime
import SyncTree

/// The owners of listens: hosts, by the calls that began them, or streams. Each owner is told about its own listens.
struct DatabaseListens {
    // From the machine's numbers to the owners, and back.
    private var owners: [UInt64: CallID] = [:]
    private var numbers: [CallID: UInt64] = [:]

    mutating func add(_ listen: UInt64, of owner: CallID) {
        owners[listen] = owner
        numbers[owner] = listen
    }

    /// Stops telling about a listen; returns its number.
    mutating func remove(of owner: CallID) -> UInt64? {
        guard let listen = numbers.removeValue(forKey: owner) else { return nil }
        owners[listen] = nil
        return listen
    }

    mutating func removeAll() { (owners, numbers) = ([:], [:]) }

    func tell(_ listen: UInt64, _ node: TreeNode, isCurrent: Bool, _ turn: inout Turn) {
        guard let owner = owners[listen] else { return }
        switch owner {
        case .host: turn.tell(.database(.value(listen: owner, node, isCurrent: isCurrent)))
        case .stream(let stream, _):
            turn.add(.feed(stream: stream, .value(listen: owner, node, isCurrent: isCurrent)))
        }
    }

    /// The database is not reached, and what the listen was told was kept. Only streams are told this: hosts wait for a
    /// value.
    func tellUnheard(_ listen: UInt64, _ turn: inout Turn) {
        guard let owner = owners[listen], case .stream(let stream, _) = owner else { return }
        turn.add(.feed(stream: stream, .unheard(listen: owner)))
    }

    /// The service has ended the listen.
    mutating func end(_ listen: UInt64, _ failure: DatabaseFailure, _ turn: inout Turn) {
        guard let owner = owners.removeValue(forKey: listen) else { return }
        numbers[owner] = nil
        switch owner {
        case .host: turn.tell(.database(.listenEnded(listen: owner, failure)))
        case .stream(let stream, _): turn.add(.feed(stream: stream, .listenEnded(listen: owner, failure)))
        }
    }
}
