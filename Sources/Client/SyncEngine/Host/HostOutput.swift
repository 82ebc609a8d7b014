/// What the host is told. One pointer to move, however much an event holds.
public indirect enum HostOutput: Sendable {
    case event(HostEvent)
    case completion(Completion)
}
