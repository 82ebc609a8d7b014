/// The service's answer to an action: what the host is told, and what became known by it.
public struct ActionReply: Sendable {
    /// JSON text for the host; `nil` when the service has nothing to tell.
    public var result: [UInt8]?
    /// Handled as if the service had told them by itself, before the call completes.
    public var events: [ServiceEvent]

    public init(result: [UInt8]? = nil, events: [ServiceEvent] = []) {
        self.result = result
        self.events = events
    }
}
