import SyncTree

/// A write that waits for the service, as it is kept over a restart. Writes reach the service in the order of their
/// ids.
public struct QueuedWrite: Equatable, Sendable {
    public let id: UInt64
    public let path: TreePath
    /// Whether the body is an update of paths below the place, and not the value of the place itself.
    public let isUpdate: Bool
    /// JSON as the host gave it, server values not resolved.
    public let body: [UInt8]

    public init(id: UInt64, path: TreePath, isUpdate: Bool, body: [UInt8]) {
        self.id = id
        self.path = path
        self.isUpdate = isUpdate
        self.body = body
    }
}
