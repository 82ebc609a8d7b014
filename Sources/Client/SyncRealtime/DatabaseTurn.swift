import SyncBytes
import SyncModel

/// One input on its way through the machines of a database: the time, the way to the service, and what comes of the
/// input. A machine takes it as its last argument.
///
/// One is used for all inputs, since numbers and the way to the service go on from one to the next.
struct DatabaseTurn {
    let options: DatabaseOptions
    let random: RandomSource
    var now = Moment(monotonic: 0, wall: 0)
    var access: DatabaseAccess
    private var lastNumber: UInt64 = 0
    private var outputs: [DatabaseOutput] = []

    init(_ options: DatabaseOptions, token: String?, seed: UInt64) {
        self.options = options
        random = RandomSource(seed: seed)
        access = DatabaseAccess(options, token: token)
    }

    /// A number that no listen, read, write, transaction, request or stream has had.
    mutating func nextNumber() -> UInt64 {
        lastNumber &+= 1
        return lastNumber
    }

    /// Numbers are greater than this one from now on.
    mutating func pass(_ number: UInt64) { lastNumber = max(lastNumber, number) }

    mutating func output(_ output: DatabaseOutput) { outputs.append(output) }

    /// Sends a request; gives its number.
    mutating func send(_ request: TransportRequest) -> UInt64 {
        let id = nextNumber()
        outputs.append(.transport(.send(request, id: id)))
        return id
    }

    /// Asks the host for a token, once.
    mutating func needToken() {
        if access.needToken() { outputs.append(.tokenNeeded) }
    }

    /// Takes the outputs since the last time, in order.
    mutating func takeOutputs() -> [DatabaseOutput] {
        defer { outputs = [] }
        return outputs
    }
}
