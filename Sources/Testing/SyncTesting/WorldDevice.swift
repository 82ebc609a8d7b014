import SyncManager
import SyncModel
import SyncSimulation

/// One client of a world: its engine and its network. Used with the world's lock held.
final class WorldDevice: ClientTransport {
    let network: SimulatedNetwork
    let userID: String
    /// `nil` before the client is ready, and when it has ended.
    var engine: (any SteppedEngine)?
    private var receiver: Receiver = { _, _ in }

    init(_ network: SimulatedNetwork, userID: String) {
        self.network = network
        self.userID = userID
    }

    /// Takes what is next on its way; an input goes to the engine, which processes it.
    func takeDue() {
        guard let due = network.takeDue() else { return }
        receiver(due.input, due.owner)
        engine?.runPending()
    }

    /// The client has ended: what it has sent still arrives, and nothing comes to it.
    func end() {
        guard engine != nil else { return }
        engine = nil
        close()
        network.processEnded()
    }

    func setReceiver(_ receiver: @escaping Receiver) { self.receiver = receiver }

    func carryOut(_ command: TransportCommand, of owner: TransportOwner) { network.carryOut(command, of: owner) }

    /// The network tells nothing of what was ended.
    func accepts(_ input: TransportInput, of owner: TransportOwner) -> Bool { true }

    // Each input is processed before the next one comes, so no more than one waits.
    func stopReading() {}
    func readOn() {}
    var isReading: Bool { true }
    var unreadSince: Int64? { nil }

    func close() { receiver = { _, _ in } }
}
