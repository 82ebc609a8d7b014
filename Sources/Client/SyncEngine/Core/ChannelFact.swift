import SyncModel

/// Something that became known about channels: their records as the service gave them, or that they are gone. All
/// members are stored in one transaction.
struct ChannelFact {
    var changed: [ChannelRecord] = []
    var removed: [ChannelURL] = []
    var cause: Cause
    /// Values of the store that say how far sync has come; a `nil` value removes the key.
    var progress: [(key: String, value: String?)] = []
    /// If the fact is a page of a collection's own query: that collection places the channels itself.
    var page: (collection: CollectionID, next: String, isLast: Bool)?

    /// Whether the channels existed before: the fact is a page of the listing, or of a collection's own query.
    var isListing: Bool { cause.source == .sync }
}
