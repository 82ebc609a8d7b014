import SyncModel
import SyncTree

/// A request for a value.
struct Read {
    let id: UInt64
    let location: DatabaseLocation
    /// Only the names of the children are asked for; each has the value true.
    let isShallow: Bool
    /// A newer value of the place is known than the answer may have, so the answer is not kept.
    fileprivate(set) var isOutdated = false
    /// Own writes that the service accepted since the read was sent: the answer may be older than they are.
    fileprivate var acceptedSince: [PendingWrite] = []

    init(id: UInt64, location: DatabaseLocation, isShallow: Bool) {
        self.id = id
        self.location = location
        self.isShallow = isShallow
    }

    /// The part of its answer that is kept, and the place for it.
    func keeping(_ node: TreeNode) -> (node: TreeNode, place: KeptPlace) {
        (selected(isShallow ? node.shallow() : node), KeptPlace(location, isShallow: isShallow))
    }

    /// The answer with the writes on top that it may lack.
    func shown(_ answer: TreeNode, _ pending: PendingWrites) -> TreeNode {
        var node = answer
        // What the service had accepted before it was asked is in its answer, and may have been changed since.
        for write in acceptedSince + pending.filter({ !$0.isAccepted }) { write.apply(to: &node, at: location.path) }
        return selected(isShallow ? node.shallow() : node)
    }

    private func selected(_ node: TreeNode) -> TreeNode { location.query?.tree.window(of: node) ?? node }
}

/// Values that were asked for once, and whose answers are awaited.
struct Reads {
    /// What became of a read.
    enum Outcome {
        /// The service has answered.
        case value(Read, TreeNode)
        /// The read fails, whatever is known of the place. `isCurrent`: the service says so.
        case refused(Read, DatabaseFailure, isCurrent: Bool)
        /// The service has not answered: the known value of the place is used instead.
        case unanswered(Read, DatabaseFailure)
        /// The service has named another host.
        case sentAgain
    }

    /// By the requests' numbers.
    private var inFlight: [UInt64: Read] = [:]

    mutating func send(_ read: Read, _ turn: inout DatabaseTurn) {
        var read = read
        read.acceptedSince = []
        let request = turn.access.request("GET", read.location, isShallow: read.isShallow)
        inFlight[turn.send(request)] = read
    }

    /// Takes an answer; `nil` when the request was no read's.
    mutating func answered(_ request: UInt64, _ response: TransportResponse, _ turn: inout DatabaseTurn) -> Outcome? {
        guard let read = inFlight.removeValue(forKey: request) else { return nil }
        func unanswered(_ message: String) -> Outcome {
            .unanswered(read, DatabaseFailure(status: response.status, message: message))
        }
        switch turn.access.judge(response) {
        case .done:
            do throws(TreeError) {
                let node = try TreeReader.value(response.body, at: read.location.path, time: turn.now.wall)
                overtake(read)
                return .value(read, node)
            } catch where error.reason == .size {
                return .refused(read, .tooLarge(TreeReader.sizeLimit), isCurrent: false)
            } catch {
                return unanswered("the answer is no value")
            }
        case .redirected:
            send(read, &turn)
            return .sentAgain
        case .tokenRejected:
            turn.needToken()
            return unanswered(DatabaseFailure.noToken.message)
        case .refused(let failure): return .refused(read, failure, isCurrent: true)
        case .ill: return unanswered("HTTP status \(response.status)")
        }
    }

    /// A request got no answer; `nil` when it was no read's.
    mutating func failed(_ request: UInt64, _ failure: DatabaseFailure) -> Outcome? {
        guard let read = inFlight.removeValue(forKey: request) else { return nil }
        // The known value must not stand for an answer that was too large.
        if failure.limit == .single { return .refused(read, failure, isCurrent: false) }
        return .unanswered(read, failure)
    }

    /// An answer has come: those to earlier reads of the place may be older.
    private mutating func overtake(_ read: Read) {
        for (request, other) in inFlight where other.id < read.id && other.location.path.touches(read.location.path) {
            inFlight[request]?.isOutdated = true
        }
    }

    /// The service has accepted a write.
    mutating func note(accepted write: PendingWrite) {
        for (request, read) in inFlight where write.touches(read.location.path) {
            inFlight[request]?.isOutdated = true
            inFlight[request]?.acceptedSince.append(write)
        }
    }

    /// Ends reads that nobody waits for any more: nothing is told of them.
    mutating func giveUp(_ given: Set<UInt64>, _ turn: inout DatabaseTurn) {
        for (request, read) in inFlight.sorted(by: { $0.key < $1.key }) where given.contains(read.id) {
            inFlight[request] = nil
            turn.output(.transport(.cancel(request)))
        }
    }

    /// The host has signed out.
    mutating func signOut(_ turn: inout DatabaseTurn) {
        for (request, read) in inFlight.sorted(by: { $0.value.id < $1.value.id }) {
            turn.output(.transport(.cancel(request)))
            turn.output(.read(id: read.id, .failure(.signedOut), isCurrent: false))
        }
        inFlight = [:]
    }
}
