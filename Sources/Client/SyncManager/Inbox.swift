import SyncEngine
import SyncModel

/// The inputs that wait for the engine: commands of the host and inputs of the network, each in order. The two take
/// turns, so that a host is answered even when the network brings much.
struct Inbox {
    enum Input {
        case command(HostCommand)
        case transport(TransportInput, of: TransportOwner)
    }

    /// The intake is closed when at least `full` bytes of the network wait, and opened again when fewer than `low`
    /// wait.
    private static let full = 4 << 20, low = 1 << 20

    private var commands = Fifo<HostCommand>()
    private var arrivals = Fifo<(input: TransportInput, owner: TransportOwner, time: Int64)>()
    private var arrivedBytes = 0
    private var isNetworksTurn = false
    /// The load of the commands that take a slot while they wait here: those without a result, of which the host can
    /// give any number.
    private(set) var load = WaitingLoad()
    private var signOuts = 0

    var isEmpty: Bool { commands.isEmpty && arrivals.isEmpty }
    /// Whether so much waits that the intake must be closed.
    var isFull: Bool { arrivedBytes >= Inbox.full }
    /// Whether so little waits that the intake can be opened again.
    var isLow: Bool { arrivedBytes < Inbox.low }
    /// When the oldest input of the network came, by the monotonic clock.
    var oldestArrival: Int64? { arrivals.first?.time }

    mutating func append(_ command: HostCommand) {
        // A second disconnect in a row changes nothing. It is dropped, since a disconnect is never refused and any
        // number could wait.
        if case .post(.disconnect) = command, case .post(.disconnect)? = commands.last { return }
        if case .call(_, .signOut) = command { signOuts += 1 }
        if command.takesSlot {
            load.slots += 1
            load.bytes += command.textBytes
        }
        commands.append(command)
    }

    /// `time`: when it came, by the monotonic clock.
    mutating func append(_ input: TransportInput, of owner: TransportOwner, at time: Int64) {
        arrivedBytes += input.size
        arrivals.append((input, owner, time))
    }

    mutating func popFirst() -> Input? {
        isNetworksTurn.toggle()
        if isNetworksTurn, let arrival = popArrival() { return arrival }
        if let command = popCommand() { return .command(command) }
        return popArrival()
    }

    /// The next command, without inputs of the network. Used when the client closes.
    mutating func popCommand() -> HostCommand? {
        let command = commands.popFirst()
        if let command {
            if command.takesSlot {
                load.slots -= 1
                load.bytes -= command.textBytes
            }
            if case .call(_, .signOut) = command { signOuts -= 1 }
        }
        return command
    }

    private mutating func popArrival() -> Input? {
        guard let (input, owner, _) = arrivals.popFirst() else { return nil }
        arrivedBytes -= input.size
        return .transport(input, of: owner)
    }

    /// The result of a command that need not be carried out, since a later sign-out removes what it would do.
    func resultBeforeSignOut(of command: HostCommand) -> Completion? {
        signOuts == 0 ? nil : command.completionBeforeSignOut
    }
}

extension TransportInput {
    /// How many bytes it holds while it waits.
    fileprivate var size: Int {
        let own = 256
        return switch self {
        case .response(_, let response), .streamRefused(_, let response): own + response.body.count
        case .socketText(_, let bytes), .streamBytes(_, let bytes): own + bytes.count
        case .requestFailed, .progress, .socketOpened, .socketClosed, .streamOpened, .streamEnded: own
        }
    }
}
