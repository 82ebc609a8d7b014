import SyncModel

/// What `sm_collection_info` tells beside the counts.
public struct CollectionInfo: Equatable, Sendable {
    public var collection: CollectionID
    public var hasPrevious: Bool
    public var hasNext: Bool
    public var viewpoint: Int64
    /// How many items a fetch brings, for each direction; lists of channels and of results have only the direction
    /// next.
    public var previousLimit: Int
    public var nextLimit: Int
    /// The channel of a message collection as hosts see it, as JSON text; `nil` when it is not known.
    public var channel: [UInt8]?

    /// A message collection that shows nothing yet.
    public init(messages collection: CollectionID, _ filter: MessageFilter, viewpoint: Int64) {
        self.collection = collection
        self.viewpoint = viewpoint
        hasPrevious = true
        hasNext = viewpoint != Int64.max
        previousLimit = filter.limit(.previous)
        nextLimit = filter.limit(.next)
    }

    /// A list of results, or of channels, that shows nothing yet.
    public init(list collection: CollectionID, limit: Int) {
        self.collection = collection
        viewpoint = 0
        hasPrevious = false
        hasNext = true
        previousLimit = 0
        nextLimit = limit
    }

    /// A list of channels that shows nothing yet.
    public init(channels collection: CollectionID, _ query: ChannelQuery) {
        self.init(list: collection, limit: query.limit)
    }
}
