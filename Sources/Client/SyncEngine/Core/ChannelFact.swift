import SyncModel

/// Something that became known about channels: as the service gave them, or that they are gone. What is stored beside
/// it counts only together with it.
struct ChannelFact {
    var changed: [ChannelRecord] = []
    var removed: [ChannelURL] = []
    var cause: Cause
    /// Values of the store that say how far sync has come; `nil` removes one.
    var progress: [(key: String, value: String?)] = []
    /// The collection whose own page it is: it places the channels itself.
    var page: (collection: CollectionID, next: String, isLast: Bool)?

    /// It tells of channels that were there before: a page of the listing, or of a collection's own query.
    var isListing: Bool { cause.source == .sync }
}
