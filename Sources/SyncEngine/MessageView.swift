import SyncModel

/// A message collection: a window of a channel's messages that match a filter, in the order of the service.
///
/// The window lies inside one chunk, so what it shows as neighbours are neighbours. It grows by fetches at both ends,
/// by realtime messages while it shows the newest, and is trimmed beyond its capacity at the end that did not grow.
final class MessageView {
    struct Fetch {
        let call: UInt64
        var wanted: Int
    }

    let id: UInt64
    let channelURL: String
    let filter: MessageFilter
    var viewpoint: Int64
    var shown: [MessageRow] = []
    var hasPrevious = true
    var hasNext: Bool
    /// Shows the newest message and takes in those that come: no fetch is needed to keep up. A view that opens at the
    /// newest point follows from the start, also while nobody knows yet what is newest.
    var isFollowing: Bool
    /// Something was fetched since the view was opened or reset.
    var isLoaded = false
    /// The newest position known when the window was last seen empty: only what comes behind it is contiguous.
    var emptyEdge = MessagePosition.last
    /// Where the window stands since all it showed is gone.
    var emptiedAt: MessagePosition?
    var fetches: [HostCommand.Direction: Fetch] = [:]
    /// Own messages under way and failed, as shown, by request id in order.
    var pending: [String] = []
    var failed: [String] = []

    init(id: UInt64, channelURL: String, filter: MessageFilter, viewpoint: Int64) {
        self.id = id
        self.channelURL = channelURL
        self.filter = filter
        self.viewpoint = viewpoint
        hasNext = viewpoint != Int64.max
        isFollowing = viewpoint == Int64.max
    }

    var info: CollectionInfo {
        CollectionInfo(collection: id, hasPrevious: hasPrevious, hasNext: hasNext, viewpoint: viewpoint)
    }

    /// Behind every message at the viewpoint: where a window stands that has shown nothing yet.
    var anchor: MessagePosition { MessagePosition(createdAt: viewpoint, id: Int64.max) }

    /// Where an empty window stands.
    var stand: MessagePosition { emptiedAt ?? anchor }

    /// The place of the first message that is not before `position`.
    func place(of position: MessagePosition) -> Int {
        var low = 0
        var high = shown.count
        while low < high {
            let middle = (low + high) / 2
            if shown[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func index(of position: MessagePosition) -> Int? {
        let place = place(of: position)
        return place < shown.count && shown[place].position == position ? place : nil
    }

    func index(ofID id: Int64) -> Int? { shown.lastIndex { $0.id == id } }

    /// Whether a position lies inside what the window claims to show completely.
    func spans(_ position: MessagePosition) -> Bool {
        guard let first = shown.first, let last = shown.last else {
            return isFollowing && isLoaded && position > emptyEdge
        }
        let afterStart = first.position < position || !hasPrevious
        let beforeEnd = position < last.position || isFollowing
        return afterStart && beforeEnd
    }
}
