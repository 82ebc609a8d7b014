import SyncEngine
import SyncModel

/// What waits for the engine, in order.
struct Inbox {
    enum Input {
        case command(HostCommand)
        case transport(TransportInput)
    }

    private var inputs = Fifo<Input>()
    /// The commands that take a slot while they wait here: those that have no result, which would hold one otherwise,
    /// and that the host can give without end.
    private(set) var load = WaitingLoad()
    private var signOuts = 0

    var isEmpty: Bool { inputs.isEmpty }

    mutating func append(_ input: Input) {
        if case .command(let command) = input {
            // A second one in a row changes nothing, and being never refused they would pile up.
            if case .disconnect = command, case .command(.disconnect)? = inputs.last { return }
            if case .signOut = command { signOuts += 1 }
            if command.takesSlot {
                load.slots += 1
                load.bytes += command.textBytes
            }
        }
        inputs.append(input)
    }

    mutating func popFirst() -> Input? {
        let input = inputs.popFirst()
        if case .command(let command)? = input {
            if command.takesSlot {
                load.slots -= 1
                load.bytes -= command.textBytes
            }
            if case .signOut = command { signOuts -= 1 }
        }
        return input
    }

    /// The result of a command that need not be carried out, since a sign-out behind it erases what it does.
    func resultBeforeSignOut(of command: HostCommand) -> Completion? {
        signOuts == 0 ? nil : command.statusBeforeSignOut.flatMap { command.completion($0) }
    }
}
