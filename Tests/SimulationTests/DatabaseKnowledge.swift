import SyncRealtime
import SyncModel
import SyncTree

/// What the simulation remembers of the device's realtime database, beyond what engine and server can be asked.
struct DatabaseKnowledge {
    /// A place that the host listens to, as it was told.
    struct Shown {
        let location: DatabaseLocation
        var node: TreeNode?
        var isCurrent = false
    }

    /// By the numbers of the calls that began them.
    var listens: [CallID: Shown] = [:]
    /// Writes of this user are numbered.
    private(set) var lastNumber: Int64 = 0
    /// What the place that nobody else writes to may be, by this device's own writes; `nil`: anything, by a sign-out.
    private(set) var own: Set<Int64>? = [0]
    /// What requests of before a sign-out, which nobody knew of any more, have put there since the last write was kept.
    private var late: Set<Int64> = []
    /// Such a request was the last one to put something there.
    private var isLate = false
    /// Numbers of logged writes that were kept, in their order, since the last sign-out.
    private(set) var logged: [Int64] = []
    /// The greatest number that the service had in that place.
    var greatest: Int64 = 0
    /// Sum of all counts, and by how much it may be wrong.
    var counted: Int64 = 1000
    var uncertain: Int64 = 0
    /// Writes of the sum of a count of which the device has not heard, or not what became of them.
    var lostSums: Int64 = 0

    /// What a single count is at most.
    static let most: Int64 = 3

    static let ownPlace = TreePath(["own", "last"].compactMap { TreeKey($0) })

    static let tally = TreePath(["tally"].compactMap { TreeKey($0) })

    static func logPlace(_ number: Int64) -> TreePath { TreePath(["log", "\(number)"].compactMap { TreeKey($0) }) }

    /// A write that is about to be made: at once it may be shown.
    mutating func begin() -> Int64 {
        lastNumber += 1
        own?.insert(lastNumber)
        return lastNumber
    }

    enum Outcome {
        case kept, notKept
        /// The process died over it.
        case unknown
    }

    mutating func ended(_ number: Int64, _ outcome: Outcome, isLogged: Bool) {
        switch outcome {
        case .kept:
            own = [number]
            late = []
            if isLogged { logged.append(number) }
        case .notKept: own?.remove(number)
        case .unknown: break
        }
    }

    /// What was kept and not answered is gone, or still on its way, or there again when the process died over it.
    mutating func signedOut(isDone: Bool) {
        own = nil
        late = []
        logged = []
        if isDone { listens = [:] }
    }

    /// The service has another number in that place than before. One that comes late may be older than what was sent
    /// and answered since; it stays until something else is written.
    mutating func changed(to number: Int64, isLate: Bool) {
        self.isLate = isLate
        guard isLate else { return }
        late.insert(number)
        greatest = number
    }

    /// Whether the service may have this number there when all is sent.
    func mayRemain(_ number: Int64) -> Bool { own?.contains(number) != false || (isLate && late.contains(number)) }

    mutating func processEnded(isCounting: Bool) {
        listens = [:]
        if isCounting { uncertain += DatabaseKnowledge.most }
    }

    /// Takes a told value; what must not be is the answer.
    mutating func told(_ listen: CallID, _ node: TreeNode, isCurrent: Bool) -> Violation? {
        guard var shown = listens[listen] else {
            return Violation(description: "a value of listen \(listen), which is not open")
        }
        shown.node = node
        shown.isCurrent = isCurrent
        listens[listen] = shown
        let path = shown.location.path
        guard shown.location.query == nil, path.contains(DatabaseKnowledge.ownPlace), let own else { return nil }
        let there = DatabaseKnowledge.number(node[path.relative(DatabaseKnowledge.ownPlace)])
        let possible = own.union(late)
        if possible.contains(there) { return nil }
        return Violation(description: "listen \(listen) shows own write \(there), not \(possible.sorted())")
    }

    static func number(_ node: TreeNode) -> Int64 {
        if case .integer(let number)? = node.leaf { number } else { 0 }
    }
}
