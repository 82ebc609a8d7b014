/// What the host is told. `indirect`: an output is one pointer to move, however large its event is.
public indirect enum HostOutput: Sendable {
    case event(HostEvent)
    case completion(Completion)
}

extension HostOutput {
    /// Whether the output changes which messages of the service a list shows.
    var isOfMessages: Bool { if case .event(.change(let change)) = self { change.list == .succeeded } else { false } }
}
