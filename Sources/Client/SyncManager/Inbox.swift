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

    var isEmpty: Bool { inputs.isEmpty }

    mutating func append(_ input: Input) {
        if case .command(let command) = input {
            // A second one in a row changes nothing, and being never refused they would pile up.
            if case .disconnect = command, case .command(.disconnect)? = inputs.last { return }
            if command.takesSlot {
                load.slots += 1
                load.bytes += command.textBytes
            }
        }
        inputs.append(input)
    }

    mutating func popFirst() -> Input? {
        let input = inputs.popFirst()
        if case .command(let command)? = input, command.takesSlot {
            load.slots -= 1
            load.bytes -= command.textBytes
        }
        return input
    }
}
