import SyncModel

/// A channel collection: the channels that match a query, in its order, as far as the host has fetched them.
///
/// The list is always a prefix of all matching channels: a channel enters when it sorts within what is shown, or when
/// nothing more is to come.
///
/// Until every channel is cached, what the list took from the cache is a prefix of what is known only, and the account
/// may have any number of channels before its end. Those that become known push as many out at the end, so that a list
/// never has more than was fetched; what pages of the service brought stays, since they go on behind it. Channels that
/// are equal in the order come from the service in an order of its own. So those that are equal to the last one of its
/// pages are left out: its next page has them, or they are shown when the cache takes over.
struct ChannelWindow {
    /// Where a fetch stands.
    struct Fetch {
        /// `nil` when it was ended while the service was asked: that answer belongs to nobody, unless it is fetched
        /// again before it comes.
        var call: CallID?
        /// How many channels it still wants.
        var wanted: Int
        /// Whether the service is being asked for it.
        var isAsking = false
        /// What the cache gave before the service was asked; `nil` as long as it was not looked at.
        var standIns: [ChannelURL]?
    }

    let id: CollectionID
    var query: ChannelQuery
    private(set) var window = Window<ChannelRow>()
    /// Until the first page came, facts add nothing.
    var isLoaded = false
    var hasNext = true
    /// The query asks for members, and the cache knows only some of those of a channel that may belong.
    var needsService = false
    /// The service's token of the next page while pages come from the service: `nil` before the first one and when the
    /// cache has taken over, empty behind the last.
    var token: String?
    /// How far pages of the service have come; `nil` as long as there was none or when the cache has taken over.
    private(set) var servedTo: ChannelSortKey?
    var fetch: Fetch?

    init(id: CollectionID, query: ChannelQuery) {
        self.id = id
        self.query = query
    }

    var info: CollectionInfo {
        var info = CollectionInfo(channels: id, query)
        info.hasNext = hasNext
        return info
    }

    func change(_ change: WindowChange, _ cause: Cause) -> CollectionChange {
        CollectionChange(
            collection: id, list: .channels, action: change.action, cause: cause, items: change.items, info: info)
    }

    /// Shows a page: those that match and are not shown yet, as one insert. Gives how many are new with it.
    mutating func add(_ page: [ChannelRecord], userID: UserID) -> WindowChange? {
        window.insert(page.filter {
            query.membership(of: $0, userID: userID) != .isOut && window.index(ofID: $0.url) == nil
        }.map { ChannelRow($0, query) })
    }

    mutating func contains(_ url: ChannelURL) -> Bool { window.index(ofID: url) != nil }

    /// Shows a page that the service gave for the query.
    mutating func addServed(_ page: [ChannelRecord], userID: UserID) -> WindowChange? {
        for channel in page {
            let place = ChannelSortKey(query, channel)
            if servedTo.map({ $0 < place }) ?? true { servedTo = place }
        }
        return add(page, userID: userID)
    }

    /// Takes out again what stood in for a page of the service and turned out to lie behind it.
    mutating func dropStandIns(_ urls: [ChannelURL]) -> WindowChange? {
        guard let servedTo else { return nil }
        let behind = urls.filter { url in window.index(ofID: url).map { servedTo < window.rows[$0].place } ?? false }
        return window.remove(ids: Set(behind))
    }

    /// From here on pages come from the cache, which has every channel.
    mutating func endServing() {
        token = nil
        servedTo = nil
    }

    /// Takes in channels that were there before and become known only now.
    mutating func reconcileListed(_ listed: [ChannelRecord], userID: UserID) -> [WindowChange] {
        let before = countBehindServed
        let placed = listed.filter { window.index(ofID: $0.url) != nil || !isEqualToServed($0) }
        var changes = reconcile(placed, removed: [], userID: userID)
        guard hasNext else { return changes }
        if let change = window.removeLast(countBehindServed - before) { changes.append(change) }
        return changes
    }

    /// Whether only the service knows if the channel is in a page that it gave or in the next one.
    private func isEqualToServed(_ channel: ChannelRecord) -> Bool {
        guard hasNext, let servedTo else { return false }
        return ChannelSortKey(query, channel).isTied(with: servedTo)
    }

    /// Takes in channels of the cache, in their order, that are before the end; as many leave at the end, and those
    /// that would leave again do not come. The cache has all channels.
    mutating func fillIn(_ missing: [ChannelRecord], userID: UserID) -> [WindowChange] {
        guard hasNext else { return [add(missing, userID: userID)].compactMap { $0 } }
        var staying: [ChannelRecord] = []
        for channel in missing {
            let isOut = query.membership(of: channel, userID: userID) == .isOut
            if isOut || window.index(ofID: channel.url) != nil { continue }
            let index = staying.count + window.lowerBound(of: ChannelSortKey(query, channel))
            guard index < window.count else { break }
            staying.append(channel)
        }
        let count = staying.count
        return [add(staying, userID: userID), window.removeLast(count)].compactMap { $0 }
    }

    private var countBehindServed: Int {
        guard let servedTo else { return window.count }
        let index = window.lowerBound(of: servedTo)
        return window.count - index - (window.index(at: servedTo) == nil ? 0 : 1)
    }

    /// Takes in the new state of channels.
    mutating func reconcile(_ changed: [ChannelRecord], removed: [ChannelURL], userID: UserID) -> [WindowChange] {
        var gone = Set(removed)
        var rows: [ChannelRow] = []
        for channel in changed {
            let old = window.index(ofID: channel.url)
            switch query.membership(of: channel, userID: userID) {
            case .belongs: break
            // A page of the service brought it, and nothing says that it is out.
            case .isUnknown: if old == nil { continue }
            case .isOut:
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

    /// An update of channels to what they are in the list, for those of them that it shows.
    mutating func restatement(of urls: [ChannelURL]) -> WindowChange? {
        let items = urls.compactMap { url -> CollectionChange.Item? in
            guard let index = window.index(ofID: url) else { return nil }
            return CollectionChange.Item(index: index, id: url.text, json: window.rows[index].json)
        }
        return items.isEmpty ? nil : WindowChange(.update, items)
    }

    /// The list for a host that lost track of it.
    mutating func resync() -> [WindowChange] {
        [WindowChange(.clear, [])] + [window.snapshot()].compactMap { $0 }
    }
}
