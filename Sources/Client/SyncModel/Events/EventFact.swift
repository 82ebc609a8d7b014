/// A fact about an event: who joined, until when somebody is muted, which metadata changed.
///
/// A JSON object whose member `event` names the reason; the service fills in the rest when it decodes the event, since
/// only it knows which field means what. docs/events.md lists what each event tells.
public struct EventFact: Equatable, Sendable {
    /// The reason that it names.
    public let source: EventSource
    /// JSON text of the object.
    public let json: [UInt8]

    public init(_ source: EventSource, json: [UInt8]) {
        self.source = source
        self.json = json
    }
}
