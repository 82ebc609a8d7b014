import SyncModel

/// Progress of a call that receives or writes a file.
public struct CallProgress: Equatable, Sendable {
    public enum Kind: Sendable {
        /// In bytes.
        case download
        /// In messages.
        case export
    }

    public let kind: Kind
    public let call: CallID
    public let done: Int64
    /// `nil`: not known.
    public let total: Int64?

    init(_ kind: Kind, _ call: CallID, done: Int64, total: Int64?) {
        (self.kind, self.call, self.done, self.total) = (kind, call, done, total)
    }
}
