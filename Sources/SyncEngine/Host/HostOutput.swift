/// What the host is told.
public enum HostOutput: Sendable {
    case event(HostEvent)
    case completion(Completion)
}
