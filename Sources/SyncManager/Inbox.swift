import SyncEngine
import SyncModel

/// What waits for the engine, in order.
struct Inbox {
    enum Input {
        case command(HostCommand)
        case transport(TransportInput)
    }

    private var inputs = Fifo<Input>()
    /// How many commands wait that take a slot: those that have no result, which would hold one otherwise, and that the
    /// host can give without end.
    private(set) var slots = 0

    var isEmpty: Bool { inputs.isEmpty }

    mutating func append(_ input: Input) {
        if case .command(let command) = input {
            // A second one in a row changes nothing, and being never refused they would pile up.
            if case .disconnect = command, case .command(.disconnect)? = inputs.last { return }
            if command.takesSlot { slots += 1 }
        }
        inputs.append(input)
    }

    mutating func popFirst() -> Input? {
        let input = inputs.popFirst()
        if case .command(let command)? = input, command.takesSlot { slots -= 1 }
        return input
    }
}
