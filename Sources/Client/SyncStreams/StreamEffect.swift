import SyncModel

/// What the streams want done and told, in this order.
public enum StreamEffect: Sendable {
    /// The list of an open stream changed.
    case batch(stream: UInt64, StreamBatch, StreamSpec.Delivery)
    /// The stream shows what there was at first, or will not. Once a stream, after the batch with those rows.
    case loaded(stream: UInt64, StreamFailure?)
    /// Begin to tell the stream what this source has; `limit`: how many rows at first.
    case open(stream: UInt64, ExternalSource, limit: Int?)
    case close(stream: UInt64)
    /// `count` 0: say whether there is more, and ask for nothing.
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
