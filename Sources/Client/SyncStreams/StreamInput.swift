import SyncModel

/// What whoever feeds an external source tells a stream.
public enum StreamInput: Sendable {
    /// Rows that are new or are otherwise than before.
    case put([StreamItem])
    /// Unknown ones do no harm.
    case removed(keys: [String])
    /// These are all rows there are.
    case reset([StreamItem])
    /// What was to be loaded at first is there.
    case loaded
    /// It is not, and will not be.
    case failed(StreamFailure)
    /// What `fetchMore` asked for is there, or not. `hasMore`: whether asking again may bring something.
    /// `short`: why it brought less than it could, in one word.
    case fetched(hasMore: Bool, short: String?, StreamFailure?)
}

/// Why something was not done, in one line.
public struct StreamFailure: Error, Equatable, Sendable {
    public let status: Status
    public let message: String

    public init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }
}
