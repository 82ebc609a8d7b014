import SyncTree

/// A write that waits for the service, as it is kept over a restart. Writes reach the service in the order of their
/// ids.
public struct QueuedWrite: Equatable, Sendable {
    /// What the body is. The numbers are stored in files.
    public enum Kind: Int64, Sendable {
        /// The value of the place.
        case set = 0
        /// Values of paths below the place.
        case update = 1
        /// A whole number that is added to the one at the place.
        case count = 2
    }

    public let id: UInt64
    public let path: TreePath
    public let kind: Kind
    /// JSON as the host gave it, server values not resolved.
    public let body: [UInt8]

    public init(id: UInt64, path: TreePath, kind: Kind, body: [UInt8]) {
        self.id = id
        self.path = path
        self.kind = kind
        self.body = body
    }

    /// Whether the text may have server values, which depend on the value that is there.
    var mayHaveServerValues: Bool {
        zip(body, body.dropFirst()).contains { first, second in
            first == UInt8(ascii: ".") && second == UInt8(ascii: "s") || first == UInt8(ascii: "\\")
        }
    }
}
