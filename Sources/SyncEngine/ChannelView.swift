import SyncModel

/// A channel collection: the channels that match a query, in its order, as far as the host has fetched them.
///
/// The list is always a prefix of all matching channels: an event's channel enters when it sorts within what is shown,
/// or when nothing more is to come.
final class ChannelView {
    let id: UInt64
    let query: ChannelQuery
    var shown: [ChannelRecord] = []
    /// Until the first page came, events add nothing.
    var isLoaded = false
    var hasNext = true
    /// The service's token of the next page, while pages come from the service; `nil` before the first one.
    var token: String?
    /// The fetch under way.
    var call: UInt64?
    /// Whether the service is being asked for that fetch.
    var isAsking = false
    /// How many channels the fetch under way still wants.
    var wanted = 0

    init(id: UInt64, query: ChannelQuery) {
        self.id = id
        self.query = query
    }

    var info: CollectionInfo {
        CollectionInfo(collection: id, hasPrevious: false, hasNext: hasNext, viewpoint: 0)
    }

    func index(of url: String) -> Int? { shown.firstIndex { $0.url == url } }

    /// Where a channel belongs among those shown.
    func place(for channel: ChannelRecord) -> Int {
        var low = 0
        var high = shown.count
        while low < high {
            let middle = (low + high) / 2
            if query.areInIncreasingOrder(shown[middle], channel) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Takes in the new state of a channel; returns what changed, if anything.
    func reconcile(_ channel: ChannelRecord, userID: String) -> (CollectionChange.Action, CollectionChange.Item)? {
        let belongs = query.matches(channel, userID: userID)
        guard let old = index(of: channel.url) else {
            // What only the service can decide enters by its pages.
            guard belongs, isLoaded, query.isDecidableFromCache else { return nil }
            let place = place(for: channel)
            if place == shown.count, hasNext { return nil }
            shown.insert(channel, at: place)
            return (.insert, CollectionChange.Item(index: place, id: channel.url, json: channel.json))
        }
        let before = shown.remove(at: old)
        guard belongs else { return (.remove, CollectionChange.Item(index: old, id: channel.url)) }
        let place = place(for: channel)
        // Past the last one shown there may be others in between that are not: it leaves until they are fetched.
        if place == shown.count, hasNext, query.areInIncreasingOrder(before, channel) {
            return (.remove, CollectionChange.Item(index: old, id: channel.url))
        }
        shown.insert(channel, at: place)
        if place == old {
            if before == channel { return nil }
            return (.update, CollectionChange.Item(index: place, id: channel.url, json: channel.json))
        }
        return (.move, CollectionChange.Item(from: old, index: place, id: channel.url, json: channel.json))
    }
}
