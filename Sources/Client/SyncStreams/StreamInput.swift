import SyncModel

/// What the feeder of an external source gives a stream.
public enum StreamInput: Sendable {
    /// Rows that are new or have changed.
    case put([StreamItem])
    /// Unknown keys are ignored.
    case removed(keys: [String])
    /// These are all rows of the source now.
    case reset([StreamItem])
    /// The first rows are loaded.
    case loaded
    /// The first rows cannot be loaded.
    case failed(StreamFailure)
    /// A `fetchMore` has ended; with a failure, the rows did not come. `hasMore`: whether asking again may bring
    /// something. `short`: why it brought less than it could, in one word.
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
