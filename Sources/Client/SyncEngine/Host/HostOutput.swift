/// What the host is told. One pointer to move, however much an event holds.
public indirect enum HostOutput: Sendable {
    case event(HostEvent)
    case completion(Completion)
}

extension HostOutput {
    /// Whether it changes which messages of the service a list shows.
    var isOfMessages: Bool { if case .event(.change(let change)) = self { change.list == .succeeded } else { false } }
}
