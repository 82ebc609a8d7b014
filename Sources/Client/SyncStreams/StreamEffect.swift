import SyncModel

/// What the streams ask for and tell, in the order in which it is to be done.
public enum StreamEffect: Sendable {
    /// The list of an open stream changed.
    case batch(stream: UInt64, StreamBatch, StreamSpec.Delivery)
    /// The first rows are loaded and shown, or cannot be loaded. Once for each stream, after the batch with those rows.
    case loaded(stream: UInt64, StreamFailure?)
    /// The feeder begins to give the stream the rows of this source; `limit`: how many at first.
    case open(stream: UInt64, ExternalSource, limit: Int?)
    case close(stream: UInt64)
    /// `count` 0: the feeder says whether there is more, and loads nothing.
    case fetchMore(stream: UInt64, count: Int?, PageDirection?)
    case complete(call: CallID, StreamReply)
}

/// How a request to a stream ended.
public struct StreamReply: Equatable, Sendable {
    public var status: Status
    /// JSON text.
    public var result: [UInt8]?
    public var explanation: String?

    init(_ status: Status, result: [UInt8]? = nil, explanation: String? = nil) {
        self.status = status
        self.result = result
        self.explanation = explanation
    }
}
