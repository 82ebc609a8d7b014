import SyncModel

/// A channel collection: the channels that match a query, in its order, as far as the host has fetched them.
///
/// The list is always a prefix of all matching channels: a channel enters when it sorts within what is shown, or when
/// nothing more is to come.
struct ChannelWindow {
    /// Where a fetch stands.
    struct Fetch {
        let call: UInt64
        /// How many channels it still wants.
        var wanted: Int
        /// Whether the service is being asked for it.
        var isAsking: Bool
    }

    let id: UInt64
    let query: ChannelQuery
    private(set) var window = Window<ChannelRow>()
    /// Until the first page came, facts add nothing.
    var isLoaded = false
    var hasNext = true
    /// The service's token of the next page while pages come from the service: `nil` before the first one and when the
    /// cache has taken over, empty behind the last.
    var token: String?
    var fetch: Fetch?

    init(id: UInt64, query: ChannelQuery) {
        self.id = id
        self.query = query
    }

    var info: CollectionInfo {
        CollectionInfo(collection: id, hasPrevious: false, hasNext: hasNext, viewpoint: 0)
    }

    func change(_ change: WindowChange, _ cause: Cause) -> HostEvent {
        .change(CollectionChange(
            collection: id, list: .channels, action: change.action, cause: cause, items: change.items, info: info))
    }

    /// Shows a page: those that match and are not shown yet, as one insert. Gives how many are new with it.
    mutating func add(_ page: [ChannelRecord], userID: String) -> WindowChange? {
        window.insert(page.filter { query.matches($0, userID: userID) && window.index(ofID: $0.url) == nil }
            .map { ChannelRow($0, query) })
    }

    mutating func contains(_ url: String) -> Bool { window.index(ofID: url) != nil }

    /// Takes in the new state of channels.
    mutating func reconcile(_ changed: [ChannelRecord], removed: [String], userID: String) -> [WindowChange] {
        var gone = Set(removed)
        var rows: [ChannelRow] = []
        for channel in changed {
            let old = window.index(ofID: channel.url)
            guard query.matches(channel, userID: userID) else {
                if old != nil { gone.insert(channel.url) }
                continue
            }
            let row = ChannelRow(channel, query)
            if let old {
                // Past the last one shown there may be others in between that are not: it leaves until it is fetched.
                let isPastEnd = hasNext && window.rows[old].place < row.place && window.last.map { last in
                    last.id == channel.url || last.place < row.place
                } ?? true
                if isPastEnd { gone.insert(channel.url) } else { rows.append(row) }
            } else if isLoaded, query.isDecidableFromCache {
                // What only the service can decide enters by its pages.
                let isPastEnd = hasNext && window.last.map { $0.place < row.place } ?? true
                if !isPastEnd { rows.append(row) }
            }
        }
        var changes: [WindowChange] = []
        if let change = window.remove(ids: gone) { changes.append(change) }
        return changes + window.merge(rows)
    }

    /// The list for a host that lost track of it.
    mutating func resync() -> [WindowChange] {
        [WindowChange(.clear, [])] + [window.snapshot()].compactMap { $0 }
    }
}
