import SyncModel
import SyncResources

/// A request of a host to resources, checked.
public struct ResourceCall: Sendable {
    public let action: Action
    public let request: ResourceRequest
    /// Milliseconds until the call completes with TIMEOUT; `nil`: no limit.
    public let timeout: Int64?
    /// Bytes of the texts that may be long.
    public let textBytes: Int

    /// Whether the call writes to the database; these writes must not be lost.
    public var isWrite: Bool { if case .operation = request { true } else { false } }

    /// Reads an action on resources; `nil` for any other action. Invalid content is refused with its path.
    public init?(_ call: ActionCall) throws(DocumentError) {
        guard let request = try ResourceRequest(call) else { return nil }
        action = call.action
        self.request = request
        timeout = call.timeout
        textBytes = call.textBytes
    }
}
