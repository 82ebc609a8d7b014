import SyncTree

/// The feeds of a machine, by number, in the order in which they were made; found by their streams, too.
struct FeedTable {
    private var all: [UInt64: Feed] = [:]
    /// Numbers grow, so the number of a new feed is the last one.
    private(set) var ids: [UInt64] = []
    private var byStream: [UInt64: UInt64] = [:]
    /// Those without a stream, which are opened when their gates allow it.
    private(set) var closed: Set<UInt64> = []

    subscript(id: UInt64) -> Feed? {
        get { all[id] }
        // Changed in place: if there were a copy of the feed, each change of its value, or of a part of an event, would
        // copy the whole.
        _modify {
            let (wasThere, stream) = (all[id] != nil, all[id]?.stream)
            yield &all[id]
            note(id, wasThere: wasThere, stream)
        }
    }

    var values: Dictionary<UInt64, Feed>.Values { all.values }

    /// In the order in which they were made.
    var ordered: some Sequence<Feed> { ids.lazy.compactMap { all[$0] } }

    func feed(of stream: UInt64) -> UInt64? { byStream[stream] }

    /// Whether a feed tells of a place that is equal to a path, within it or around it.
    func tell(of path: TreePath) -> Bool { all.values.contains { $0.location.path.touches(path) } }

    /// The places that are kept with the values of feeds.
    var places: Set<KeptPlace> { Set(all.values.map { KeptPlace($0.location) }) }

    mutating func remove(_ id: UInt64) -> Feed? {
        let feed = all[id]
        self[id] = nil
        return feed
    }

    private mutating func note(_ id: UInt64, wasThere: Bool, _ before: UInt64?) {
        let isThere = all[id] != nil
        let stream = all[id]?.stream
        if before != stream {
            if let before { byStream[before] = nil }
            if let stream { byStream[stream] = id }
        }
        if isThere, stream == nil { closed.insert(id) } else { closed.remove(id) }
        if isThere == wasThere { return }
        if isThere { ids.insertNumber(id) } else { ids.removeNumber(id) }
    }
}

/// The listens of a machine, by number, in the order in which they were made; found by their feeds, too.
struct ListenTable {
    private var all: [UInt64: Listen] = [:]
    private(set) var ids: [UInt64] = []
    private var byFeed: [UInt64: [UInt64]] = [:]

    subscript(id: UInt64) -> Listen? {
        get { all[id] }
        _modify {
            let before = all[id]?.feed
            yield &all[id]
            note(id, before)
        }
    }

    var values: Dictionary<UInt64, Listen>.Values { all.values }

    /// Those that show a feed's value, in the order in which they were made.
    func users(of feed: UInt64) -> [Listen] { (byFeed[feed] ?? []).compactMap { all[$0] } }

    mutating func remove(_ id: UInt64) -> Listen? {
        let listen = all[id]
        self[id] = nil
        return listen
    }

    private mutating func note(_ id: UInt64, _ before: UInt64?) {
        let feed = all[id]?.feed
        if before == feed { return }
        if let before {
            byFeed[before]?.removeNumber(id)
            if byFeed[before]?.isEmpty == true { byFeed[before] = nil }
        }
        if let feed { byFeed[feed, default: []].insertNumber(id) }
        if before == nil { ids.insertNumber(id) }
        if feed == nil { ids.removeNumber(id) }
    }
}

/// Numbers in ascending order, each once.
extension [UInt64] {
    fileprivate mutating func insertNumber(_ number: UInt64) {
        let place = place(of: number)
        if place == count || self[place] != number { insert(number, at: place) }
    }

    fileprivate mutating func removeNumber(_ number: UInt64) {
        let place = place(of: number)
        if place < count, self[place] == number { remove(at: place) }
    }

    private func place(of number: UInt64) -> Int {
        if let last, last < number { return count }
        var (start, end) = (0, count)
        while start < end {
            let middle = (start + end) / 2
            if self[middle] < number { start = middle + 1 } else { end = middle }
        }
        return start
    }
}
