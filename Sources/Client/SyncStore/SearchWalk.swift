import SyncBytes
import SyncModel
import SyncSQLite
import SyncText

/// What is looked for, and where.
public struct SearchScope: Sendable {
    public var question: SearchQuestion
    /// `nil`: in all.
    public var channels: [ChannelURL]?
    public var senders: [UserID] = []
    public var kinds: [MessageRecord.Kind] = []
    public var customTypes = TextSet()
    /// Milliseconds since the epoch; both ends belong to it.
    public var times: ClosedRange<Int64> = Int64.min...Int64.max

    public init(_ question: SearchQuestion) { self.question = question }
}

/// A cached message that has what is looked for.
public struct FoundMessage: Sendable {
    public let channelURL: ChannelURL
    public let id: MessageID
    public let time: Int64
    public let json: [UInt8]
    public let match: SearchMatch
    fileprivate let position: MessagePosition
    fileprivate let key: Int64

    /// Newest first. The rest tells apart messages of one millisecond.
    fileprivate func precedes(_ other: FoundMessage) -> Bool {
        (time, position.order, position.tie, key) > (other.time, other.position.order, other.position.tie, other.key)
    }
}

/// A walk over what is found, newest first, in steps of bounded work.
public struct SearchWalk {
    /// Threads of the channels to look in, up to which the index is asked for them.
    private static let mostTerms = 400
    /// Words so short that asking the index for all that begin with them takes longer than looking at the newest.
    private static let shortPrefix = 2
    /// Rows that are looked at for those, before the index is asked.
    private static let mostWalked = 2000

    private let scope: SearchScope
    /// Keys of channels and threads; `nil`: all.
    private var keys: Set<Int64>?
    /// `nil`: not compiled yet.
    private var match: String?
    private let needsIndex: Bool
    private var walked = 0
    /// Rows from here on have been read.
    private var below = Int64.max
    /// Found, but what is newer may still come.
    private var pending: [FoundMessage] = []
    public private(set) var isAtEnd = false

    public init(_ scope: SearchScope) {
        self.scope = scope
        needsIndex = !scope.question.terms.contains { term in
            if case .prefix(let text) = term { text.count <= SearchWalk.shortPrefix } else { false }
        }
    }

    /// Looks at up to so many rows; gives what was found that nothing newer can precede.
    public mutating func step(rows limit: Int, _ index: SearchIndex) throws(StoreError) -> [FoundMessage] {
        guard !isAtEnd else { return [] }
        if match == nil { try prepare(index.cache) }
        let isWalking = !needsIndex && walked < SearchWalk.mostWalked
        let places = try isWalking ? index.places(below: below, limit) : index.places(match ?? "", below: below, limit)
        walked += places.count
        for place in places {
            below = place.row
            if let found = try index.message(place.key, scope, keys) { pending.append(found) }
        }
        let first = SearchIndex.second(scope.times.lowerBound) * SearchIndex.rowsPerSecond
        isAtEnd = places.count < limit || below < first
        pending.sort { $0.precedes($1) }
        if isAtEnd {
            defer { pending = [] }
            return pending
        }
        let unread = (below &- 1) / SearchIndex.rowsPerSecond
        let settled = pending.prefix { SearchIndex.second($0.time) > unread }
        pending.removeFirst(settled.count)
        return Array(settled)
    }

    private mutating func prepare(_ cache: CacheStore) throws(StoreError) {
        if let channels = scope.channels {
            var keys = Set<Int64>()
            for url in channels {
                guard let key = try cache.channelKeyIfKnown(url) else { continue }
                keys.insert(key)
                for thread in try cache.soundThreads(channel: key) { keys.insert(thread.key) }
            }
            self.keys = keys
        }
        var parts = scope.question.terms.map { term in
            switch term {
            case .exact(let text): SearchWalk.quoted(text)
            case .prefix(let text): SearchWalk.quoted(text) + "*"
            }
        }
        if let keys, keys.count <= SearchWalk.mostTerms {
            parts.append(SearchWalk.any(keys.sorted().map { SearchIndex.channelTerm($0) }))
        }
        if !scope.senders.isEmpty, scope.senders.count <= SearchWalk.mostTerms {
            parts.append(SearchWalk.any(scope.senders.map { sender in
                Array(sender.text.utf8).withUnsafeBytes { SearchIndex.senderTerm($0) }
            }))
        }
        match = parts.joined(separator: " AND ")
    }

    private static func any(_ terms: [[UInt8]]) -> String {
        terms.isEmpty ? quoted([0x30]) : "(" + terms.map(quoted).joined(separator: " OR ") + ")"
    }

    /// Terms have no quotes.
    private static func quoted(_ text: [UInt8]) -> String { "\"" + String(decoding: text, as: UTF8.self) + "\"" }
}

extension SearchIndex {
    /// The next messages that have all terms, newest first.
    fileprivate func places(
        _ match: String, below row: Int64, _ limit: Int
    ) throws(StoreError) -> [(row: Int64, key: Int64)] {
        try places("""
            SELECT search_place.row, search_place.key FROM search_found
            JOIN search_place ON search_place.row = search_found.rowid
            WHERE search_found MATCH ?3 AND search_found.rowid < ?1 ORDER BY search_found.rowid DESC LIMIT ?2
            """, row, limit, match)
    }

    /// The next ones, whatever they have.
    fileprivate func places(below row: Int64, _ limit: Int) throws(StoreError) -> [(row: Int64, key: Int64)] {
        try places("SELECT row, key FROM search_place WHERE row < ?1 ORDER BY row DESC LIMIT ?2", row, limit, nil)
    }

    private func places(
        _ sql: String, _ row: Int64, _ limit: Int, _ match: String?
    ) throws(StoreError) -> [(row: Int64, key: Int64)] {
        let found = try cache.connection.prepare(sql).bind(row).bind(limit)
        if let match { found.bind(match) }
        defer { found.reset() }
        var places: [(row: Int64, key: Int64)] = []
        while try found.next() { places.append((found.int(0), found.int(1))) }
        return places
    }

    /// The message of a key, if it is one that is looked for. One that is in a thread and in its channel counts once.
    fileprivate func message(
        _ key: Int64, _ scope: SearchScope, _ keys: Set<Int64>?
    ) throws(StoreError) -> FoundMessage? {
        let row = try cache.connection.prepare("SELECT channel, id FROM message WHERE key = ?").bind(key)
        guard try row.next() else {
            row.reset()
            return nil
        }
        let (channel, id) = (row.int(0), MessageID(row.text(1)))
        row.reset()
        if let keys, !keys.contains(channel) { return nil }
        guard let root = try root(of: channel) else { return nil }
        if root != channel, try cache.message(id: id, channel: root) != nil { return nil }
        guard let message = try cache.message(id: id, channel: channel),
            let url = try cache.room.channelURL(ofKey: root)
        else { return nil }
        let isWanted = (scope.senders.isEmpty || scope.senders.contains(message.senderID))
            && (scope.kinds.isEmpty || scope.kinds.contains(message.kind))
            && (scope.customTypes.isEmpty || scope.customTypes.contains(message.customType))
        guard isWanted else { return nil }
        let text = message.json.withUnsafeBytes { read($0) }
        guard scope.times.contains(text.time), let match = scope.question.match(text.text) else { return nil }
        return FoundMessage(
            channelURL: url, id: id, time: text.time, json: message.json, match: match, position: message.position,
            key: key)
    }

    /// The channel of a thread; of a channel itself.
    private func root(of channel: Int64) throws(StoreError) -> Int64? {
        guard channel < 0 else { return channel }
        let row = try cache.connection.prepare("\(CacheStore.selectThreads) WHERE key = ?").bind(0 &- channel)
        defer { row.reset() }
        guard try row.next() else { return nil }
        try row.check(0...2, checksum: 3)
        return row.int(1)
    }
}
