/// What `sm_collection_info` tells beside the counts.
public struct CollectionInfo: Equatable, Sendable {
    public var collection: UInt64
    public var hasPrevious: Bool
    public var hasNext: Bool
    public var viewpoint: Int64

    public init(collection: UInt64, hasPrevious: Bool, hasNext: Bool, viewpoint: Int64) {
        self.collection = collection
        self.hasPrevious = hasPrevious
        self.hasNext = hasNext
        self.viewpoint = viewpoint
    }
}
