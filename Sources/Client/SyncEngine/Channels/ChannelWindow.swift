import SyncModel

/// A channel collection: the channels that match a query, in its order, as far as the host has fetched them.
///
/// The list is always a prefix of all matching channels: a channel enters when it sorts before the end of the list, or
/// when the list has reached the end of all channels.
///
/// Until every channel is cached, the part of the list that came from the cache is only a prefix of the known channels,
/// and the account may have more channels before its end. When such channels become known, they enter and as many
/// channels leave at the end, so that a list never has more than was fetched. Channels that came with pages of the
/// service stay, because the next pages continue after them. The service orders channels that are equal in the query's
/// order by a rule of its own. So channels that are equal to the last one of its pages are left out: its next page has
/// them, or they are shown when pages come from the cache.
struct ChannelWindow {
    /// The state of a fetch.
    struct Fetch {
        /// `nil`: no call waits. Its call ended while the service was being asked, or `isRefill`.
        var call: CallID?
        /// How many channels are still wanted.
        var wanted: Int
        /// Whether a request to the service is in flight for it.
        var isAsking = false
        /// The list shows nothing, because a fetch of its host ended before the service could be asked: it fills itself
        /// when it can.
        var isRefill = false
        /// The cached channels that are shown until the service's page comes; `nil` while the cache was not read yet.
        var standIns: [ChannelURL]?

        /// Somebody wants the page: a call waits for it, or the list fills itself.
        var isWanted: Bool { call != nil || isRefill }
    }

    let id: CollectionID
    var query: ChannelQuery
    private(set) var window = Window<ChannelRow>()
    /// Before the first page, facts add no channels.
    var isLoaded = false
    var hasNext = true
    /// The query asks for certain members, and for a channel that may match, the cache knows only some of its members.
    var needsService = false
    /// The service's token of the next page while pages come from the service. `nil` before the first page and when
    /// pages come from the cache; empty after the last page.
    var token: String?
    /// The end of the pages that came from the service; `nil` before the first page and when pages come from the cache.
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

    /// Shows a page: inserts the channels that match and are not shown yet.
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

    /// Removes cached channels that were shown in place of a page of the service and turned out to sort after it.
    mutating func dropStandIns(_ urls: [ChannelURL]) -> WindowChange? {
        guard let servedTo else { return nil }
        let behind = urls.filter { url in window.index(ofID: url).map { servedTo < window.rows[$0].place } ?? false }
        return window.remove(ids: Set(behind))
    }

    /// From now on pages come from the cache, which has every channel.
    mutating func endServing() {
        token = nil
        servedTo = nil
    }

    /// Takes in channels that existed before and become known only now.
    mutating func reconcileListed(_ listed: [ChannelRecord], userID: UserID) -> [WindowChange] {
        let before = countBehindServed
        let placed = listed.filter { window.index(ofID: $0.url) != nil || !isEqualToServed($0) }
        var changes = reconcile(placed, removed: [], userID: userID)
        guard hasNext else { return changes }
        if let change = window.removeLast(countBehindServed - before) { changes.append(change) }
        return changes
    }

    /// Whether only the service knows if the channel is in one of its past pages or in the next one.
    private func isEqualToServed(_ channel: ChannelRecord) -> Bool {
        guard hasNext, let servedTo else { return false }
        return ChannelSortKey(query, channel).isTied(with: servedTo)
    }

    /// Takes in cached channels, in their order, that sort before the end of the list. As many channels leave at the
    /// end; a channel that would leave again at once is not added. Called when the cache has all channels.
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
            // It came with a page of the service, and nothing says that it does not match.
            case .isUnknown: if old == nil { continue }
            case .isOut:
                if old != nil { gone.insert(channel.url) }
                continue
            }
            let row = ChannelRow(channel, query)
            if let old {
                // Behind the last channel shown, others may sort in between that are not shown: the channel leaves
                // until a fetch brings it.
                let isPastEnd = hasNext && window.rows[old].place < row.place && window.last.map { last in
                    last.id == channel.url || last.place < row.place
                } ?? true
                if isPastEnd { gone.insert(channel.url) } else { rows.append(row) }
            } else if isLoaded, query.isDecidableFromCache {
                // If only the service can decide, channels enter with its pages alone.
                let isPastEnd = hasNext && window.last.map { $0.place < row.place } ?? true
                if !isPastEnd { rows.append(row) }
            }
        }
        var changes: [WindowChange] = []
        if let change = window.remove(ids: gone) { changes.append(change) }
        return changes + window.merge(rows)
    }

    /// An update that repeats channels as the list has them, for those that the list shows.
    mutating func restatement(of urls: [ChannelURL]) -> WindowChange? {
        let items = urls.compactMap { url -> CollectionChange.Item? in
            guard let index = window.index(ofID: url) else { return nil }
            return CollectionChange.Item(index: index, id: url.text, json: window.rows[index].json)
        }
        return items.isEmpty ? nil : WindowChange(.update, items)
    }

    /// The whole list again, for a host that lost events.
    mutating func resync() -> [WindowChange] {
        [WindowChange(.clear, [])] + [window.snapshot()].compactMap { $0 }
    }
}
