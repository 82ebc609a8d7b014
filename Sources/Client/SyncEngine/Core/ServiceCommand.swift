import SyncModel

/// What the engine wants of the service.
public enum ServiceCommand: Equatable, Sendable {
    case connect(SessionStart)
    case resume(from: String?)
    case kept(Bool)
    case disconnect
    case ask(id: UInt64, ServiceRequest, timeout: Int64)
    /// Nobody waits for this request any more.
    case cancel(id: UInt64)
}
