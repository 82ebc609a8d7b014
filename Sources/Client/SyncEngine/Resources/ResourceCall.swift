import SyncModel
import SyncResources

/// What a host asks of the resources, checked.
public struct ResourceCall: Sendable {
    public let action: Action
    public let request: ResourceRequest
    /// Milliseconds until it completes with TIMEOUT; `nil`: however long it takes.
    public let timeout: Int64?
    /// Bytes of what can be long in it.
    public let textBytes: Int

    /// Whether it writes to the database, and what it writes must not be lost.
    public var isWrite: Bool { if case .operation = request { true } else { false } }

    /// Reads an action on resources; `nil` for one that is none. What it cannot be is refused with its path.
    public init?(_ call: ActionCall) throws(DocumentError) {
        guard let request = try ResourceRequest(call) else { return nil }
        action = call.action
        self.request = request
        timeout = call.timeout
        textBytes = call.textBytes
    }
}
