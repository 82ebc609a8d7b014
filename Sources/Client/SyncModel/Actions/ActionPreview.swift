/// What an action makes of a message, as far as it is known before the service has answered.
public enum ActionPreview: Equatable, Sendable {
    /// JSON text of the message.
    case changed([UInt8])
    case removed
}
