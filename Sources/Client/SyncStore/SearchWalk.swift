import SyncBytes
import SyncModel
import SyncSQLite
import SyncText

/// A walk over what is found, newest first, in steps of bounded work.
public struct SearchWalk {
    /// With more keys of channels and threads than this, or more senders, the index is not asked for these terms.
    private static let mostTerms = 400
    /// The length of words so short that asking the index for all that begin with them takes longer than looking at the
    /// newest rows.
    private static let shortPrefix = 2
    /// How many rows are looked at for such short words before the index is asked.
    private static let mostWalked = 2000
    /// Rows that the index is asked for at once, at most.
    private static let mostAsked = 640

    private let scope: SearchScope
    /// Only messages behind this place are found.
    private let bound: SearchPlace?
    /// `nil`: not compiled yet.
    private var match: String?
    private let needsIndex: Bool
    private var walked = 0
    /// Rows from here on have been looked at.
    private var below = Int64.max
    /// Rows that the index gave and that were not looked at yet, in reverse. Each query of the index reads all passed
    /// rows again, so the next one asks for twice as many.
    private var ahead: [SearchIndex.Place] = []
    private var asked = 0
    /// The index has no rows behind those in `ahead`.
    private var isLast = false
    /// Found messages that wait, since a newer one may still be found. Not in order.
    private var pending: [ResultID: FoundMessage] = [:]
    /// The latest second of the pending messages, so that they are searched only when one of them can be given.
    private var newestPending = Int64.min
    public private(set) var isAtEnd = false

    /// `bound`: the last result of an earlier walk in the order of time; this one goes on behind it.
    public init(_ scope: SearchScope, behind bound: SearchPlace? = nil) {
        self.scope = scope
        self.bound = bound
        isAtEnd = scope.question.isEmpty
        needsIndex = !scope.question.terms.contains { term in
            if case .prefix(let text) = term { text.count <= SearchWalk.shortPrefix } else { false }
        }
    }

    /// Looks at up to `limit` rows; gives the found messages that no newer one can precede any more.
    public mutating func step(rows limit: Int, _ index: SearchIndex) throws(StoreError) -> [FoundMessage] {
        guard !isAtEnd else { return [] }
        if match == nil { try prepare(index) }
        for _ in 0..<limit {
            guard let place = try next(limit, index) else { break }
            below = place.row
            if let found = try index.message(place, scope) { take(found) }
        }
        let first = SearchIndex.second(scope.query.times.lowerBound) * SearchIndex.rowsPerSecond
        isAtEnd = ahead.isEmpty && isLast || below < first
        let unread = (below &- 1) / SearchIndex.rowsPerSecond
        return isAtEnd ? settle { _ in true } : newestPending > unread ? settle { $0 > unread } : []
    }

    /// The next row; `limit`: how many rows are read at once.
    private mutating func next(_ limit: Int, _ index: SearchIndex) throws(StoreError) -> SearchIndex.Place? {
        if ahead.isEmpty, !isLast {
            let isWalking = !needsIndex && walked < SearchWalk.mostWalked
            let count = isWalking ? limit : min(max(limit, 2 * asked), max(limit, SearchWalk.mostAsked))
            ahead = try isWalking
                ? index.places(below: below, count) : index.places(match ?? "", below: below, count)
            asked = isWalking ? 0 : count
            isLast = ahead.count < count
            walked += ahead.count
            ahead.reverse()
        }
        return ahead.popLast()
    }

    /// Gives the pending messages whose second is settled, so that no newer one can precede them.
    private mutating func settle(_ isSettled: (Int64) -> Bool) -> [FoundMessage] {
        var settled: [FoundMessage] = []
        newestPending = Int64.min
        for found in pending.values {
            let second = SearchIndex.second(found.place.time)
            if isSettled(second) { settled.append(found) } else { newestPending = max(newestPending, second) }
        }
        for found in settled { pending[found.place.id] = nil }
        settled.sort { SearchWalk.isNewer($0.place, $1.place) }
        return settled
    }

    /// Takes a message that became known or changed, and matches: it is given in its turn.
    public mutating func take(_ found: FoundMessage) {
        drop(found.place.id)
        // The walk has not begun, so it will find the message by itself.
        if match == nil { return }
        if let bound, !SearchWalk.isNewer(bound, found.place) { return }
        pending[found.place.id] = found
        newestPending = max(newestPending, SearchIndex.second(found.place.time))
    }

    /// Drops a message that does not match any more.
    public mutating func drop(_ id: ResultID) { pending[id] = nil }

    /// Compares by time alone, without the scores.
    private static func isNewer(_ place: SearchPlace, _ other: SearchPlace) -> Bool {
        var (place, other) = (place, other)
        (place.score, other.score) = (0, 0)
        return other < place
    }

    private mutating func prepare(_ index: SearchIndex) throws(StoreError) {
        let cache = index.cache
        let newest = min(bound?.time ?? Int64.max, scope.query.times.upperBound)
        if newest < Int64.max { below = try index.end(of: newest) }
        var keys: Set<Int64>?
        if !scope.query.channelURLs.isEmpty {
            var known = Set<Int64>()
            for url in scope.query.channelURLs {
                guard let key = try cache.channels.keyIfKnown(url) else { continue }
                known.insert(key)
                for thread in try cache.threads.sound(channel: key) { known.insert(thread.key) }
            }
            keys = known
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
        let senders = scope.query.filter.senderIDs
        if !senders.isEmpty, senders.count <= SearchWalk.mostTerms {
            parts.append(SearchWalk.any(senders.map { sender in
                Array(sender.text.utf8).withUnsafeBytes { SearchIndex.senderTerm($0) }
            }))
        }
        match = parts.joined(separator: " AND ")
    }

    private static func any(_ terms: [[UInt8]]) -> String {
        terms.isEmpty ? quoted([0x30]) : "(" + terms.map(quoted).joined(separator: " OR ") + ")"
    }

    /// Terms have no quotes, so none has to be escaped.
    static func quoted(_ text: [UInt8]) -> String { "\"" + String(decoding: text, as: UTF8.self) + "\"" }
}

extension SearchIndex {
    /// A row, and the message that it stands for.
    fileprivate typealias Place = (row: Int64, key: Int64)

    /// The next messages that have all terms, newest first.
    fileprivate func places(
        _ match: String, below row: Int64, _ limit: Int
    ) throws(StoreError) -> [Place] {
        try places("""
            SELECT search_found.rowid, coalesce(search_place.key, 0) FROM search_found
            LEFT JOIN search_place ON search_place.row = search_found.rowid
            WHERE search_found MATCH ?3 AND search_found.rowid < ?1 ORDER BY search_found.rowid DESC LIMIT ?2
            """, row, limit, match)
    }

    /// The next messages, whatever terms they have.
    fileprivate func places(below row: Int64, _ limit: Int) throws(StoreError) -> [Place] {
        try places("SELECT row, key FROM search_place WHERE row < ?1 ORDER BY row DESC LIMIT ?2", row, limit, nil)
    }

    private func places(
        _ sql: String, _ row: Int64, _ limit: Int, _ match: String?
    ) throws(StoreError) -> [Place] {
        let found = try cache.connection.prepare(sql).bind(row).bind(limit)
        if let match { found.bind(match) }
        defer { found.reset() }
        var places: [Place] = []
        while try found.next() {
            let place = (row: found.int(0), key: found.int(1))
            guard place.key > 0 else {
                throw .failed(code: Connection.damagedIndex, message: "a row of the index has no message")
            }
            places.append(place)
        }
        return places
    }

    /// The message of a row, if it matches. A message that is cached both in a thread and in its channel counts once.
    fileprivate func message(_ place: Place, _ scope: SearchScope) throws(StoreError) -> FoundMessage? {
        guard let (channel, message) = try cache.message(key: place.key) else {
            try checkGone(place)
            return nil
        }
        let searched = message.json.withUnsafeBytes { read($0) }
        if !isRow(place, of: searched.time) { try checkGone(place) }
        guard let root = try root(of: channel), let url = try channelURL(root, scope) else { return nil }
        if root != channel, try cache.message(id: message.id, channel: root) != nil { return nil }
        return scope.result(message, in: url, searched)
    }

    /// Checks that the index does not have a row any more, since it has been read: its message was removed, or has
    /// another time. A row that is still there names a wrong message, and its own one would not be found.
    private func checkGone(_ place: Place) throws(StoreError) {
        // A key of another type equals no number, not even the one as which it was read.
        let row = try connection.prepare("""
            SELECT 1 FROM search_place WHERE row = ?1 AND (key = ?2 OR typeof(key) <> 'integer')
            """).bind(place.row).bind(place.key)
        defer { row.reset() }
        guard try !row.next() else {
            throw .failed(code: Connection.damagedIndex, message: "a row of the index has another message")
        }
    }

    /// The URL of the channel with this key, if the query searches that channel.
    private func channelURL(_ key: Int64, _ scope: SearchScope) throws(StoreError) -> ChannelURL? {
        guard let url = try cache.room.channelURL(ofKey: key), scope.includes(url) else { return nil }
        return url
    }

    /// A touched message as it is now; `nil`: its channel is gone.
    public func lookUp(_ touched: TouchedMessage) throws(StoreError) -> LookedUp? {
        guard let url = try cache.room.channelURL(ofKey: touched.channel) else { return nil }
        let message = try cache.message(
            id: touched.id, parentID: touched.parentID, channelAndThreads: touched.channel)
        let searched = message.map { $0.json.withUnsafeBytes { read($0) } }
        return LookedUp(channelURL: url, id: ResultID(url, touched.id), message: message, searched: searched)
    }

    /// The key of the channel of a thread; for a channel, its own key.
    func root(of channel: Int64) throws(StoreError) -> Int64? {
        guard channel < 0 else { return channel }
        let row = try cache.connection.prepare("\(ThreadStore.select) WHERE key = ?").bind(0 &- channel)
        defer { row.reset() }
        guard try row.next() else { return nil }
        try row.check(0...2, checksum: 3)
        return row.int(1)
    }
}

/// A touched message as it is now.
public struct LookedUp {
    fileprivate let channelURL: ChannelURL
    public let id: ResultID
    fileprivate let message: MessageRecord?
    fileprivate let searched: SearchedText?

    /// The message as a result of a search; `nil`: it does not match, or is not cached any more.
    public func result(of scope: SearchScope) -> FoundMessage? {
        guard let message, let searched else { return nil }
        return scope.result(message, in: channelURL, searched)
    }
}
