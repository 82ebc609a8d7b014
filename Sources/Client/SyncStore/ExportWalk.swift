import SyncJSON
import SyncModel
import SyncSQLite

/// What is cached of one channel or of all, as lines of JSON (docs/export.md), a few messages at a time.
///
/// The walk keeps only its place. Each step reads what is cached at that time, so channels and messages may come,
/// change and go between two steps.
public struct ExportWalk: Sendable {
    private enum State {
        /// The next channel is the first one with a larger number.
        case between(after: Int64)
        case inside(History)
        case done
    }

    /// A channel or one of its threads.
    private struct History {
        var channel: Int64
        var url: ChannelURL
        /// The key of the channel, or the negative key of a thread.
        var key: Int64
        var parentID: MessageID?
        /// The last message that was given.
        var last: MessagePosition?
        /// Threads of the channel that come next.
        var threads: [(key: Int64, parentID: MessageID)]
    }

    private static let lowest = MessagePosition(order: .min, tie: .min)
    private static let highest = MessagePosition(order: .max, tie: .max)

    /// Lets every message through: the default filter leaves out replies, which may be cached with their channel.
    private static let everything: MessageFilter = {
        var filter = MessageFilter()
        filter.replyType = .all
        return filter
    }()

    private let only: ChannelURL?
    private var state = State.between(after: 0)
    /// How many were exported so far.
    public private(set) var channels: Int64 = 0
    public private(set) var messages: Int64 = 0

    /// `channel`: only this one; `nil`: all.
    public init(channel: ChannelURL?) { only = channel }

    /// How many messages are cached now of what is exported; `nil`: there is no such channel.
    public func total(_ cache: CacheStore) throws(StoreError) -> Int64? {
        guard let only else { return try cache.statistics().messages }
        guard let key = try cache.channels.keyIfKnown(only) else { return nil }
        return try cache.counts.usage(channel: key)?.messages
    }

    /// The first line. `user` is whose cache it is, if that is known, `time` is in milliseconds since the epoch, and
    /// `messages` is how many are cached of what is exported.
    public func head(user: UserID?, at time: Int64, messages: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "export")
        writer.member("version", Int64(1))
        if let user { writer.member("user_id", user.text) }
        writer.member("exported_at", time)
        if let only { writer.member("channel_url", only.text) }
        writer.member("messages", messages)
        return ExportWalk.ended(&writer)
    }

    /// The last line.
    public var end: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "end")
        writer.member("channels", channels)
        writer.member("messages", messages)
        return ExportWalk.ended(&writer)
    }

    /// The lines of the next step, with `limit` messages at most; `nil` at the end.
    public mutating func next(limit: Int, _ cache: CacheStore) throws(StoreError) -> [UInt8]? {
        switch state {
        case .done: return nil
        case .between(let last): return try nextChannel(after: last, cache)
        case .inside(let history): return try nextMessages(of: history, limit: limit, cache)
        }
    }

    private mutating func nextChannel(after last: Int64, _ cache: CacheStore) throws(StoreError) -> [UInt8]? {
        guard let found = try cache.exportedChannel(only, after: last) else {
            state = .done
            return nil
        }
        channels += 1
        let history = History(
            channel: found.key, url: found.url, key: found.key, threads: try cache.threads.of(channel: found.key))
        state = .inside(history)
        var writer = JSONWriter(capacity: found.json.count + 256)
        writer.beginObject()
        writer.member("type", "channel")
        writer.member("channel_url", found.url.text)
        writer.member("complete", try cache.isComplete(found.key))
        writer.member("messages", try cache.counts.size(of: "channel = ?1", found.key).rows)
        if found.json.isEmpty {
            writer.key("channel")
            writer.null()
        } else {
            writer.member("channel", raw: found.json)
        }
        return ExportWalk.ended(&writer)
    }

    private mutating func nextMessages(
        of history: History, limit: Int, _ cache: CacheStore
    ) throws(StoreError) -> [UInt8] {
        var history = history
        let chunks = try cache.chunks.of(channel: history.key)
        let rows = try cache.messagesAfter(
            history.last ?? ExportWalk.lowest, notAfter: ExportWalk.highest, channel: history.key,
            filter: ExportWalk.everything, limit: limit)
        var lines: [UInt8] = []
        for row in rows {
            // Nothing of a thread is before its parent.
            let isParent = history.last == nil && row.id == history.parentID
            if !isParent, !ExportWalk.isJoined(history.last, row.position, chunks) {
                lines += ExportWalk.gap(in: history)
            }
            var writer = JSONWriter(capacity: row.json.count + 128)
            ExportWalk.begin("message", of: history, &writer)
            writer.member("message", raw: row.json)
            lines += ExportWalk.ended(&writer)
            history.last = row.position
        }
        messages += Int64(rows.count)
        state = .inside(history)
        if rows.count < limit { lines += try nextThread(of: history, cache) }
        return lines
    }

    /// Goes on to the next thread, or the next channel, at the end of a channel or thread.
    private mutating func nextThread(of history: History, _ cache: CacheStore) throws(StoreError) -> [UInt8] {
        guard let thread = history.threads.first else {
            state = only == nil ? .between(after: history.channel) : .done
            return []
        }
        var next = history
        next.threads.removeFirst()
        (next.key, next.parentID, next.last) = (thread.key, thread.parentID, nil)
        state = .inside(next)
        var writer = JSONWriter()
        ExportWalk.begin("thread", of: next, &writer)
        writer.member("complete", try cache.isComplete(thread.key))
        writer.member("messages", try cache.counts.size(of: "channel = ?1", thread.key).rows)
        return ExportWalk.ended(&writer)
    }

    /// Whether one chunk has both a message (`nil`: the very first one) and the next cached one, so that none is
    /// missing between them.
    private static func isJoined(
        _ last: MessagePosition?, _ next: MessagePosition, _ chunks: [StoredChunk]
    ) -> Bool {
        chunks.contains { $0.covers(next) && (last.map($0.covers) ?? $0.reachedFirst) }
    }

    private static func gap(in history: History) -> [UInt8] {
        var writer = JSONWriter()
        begin("gap", of: history, &writer)
        return ended(&writer)
    }

    private static func begin(_ type: String, of history: History, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", type)
        writer.member("channel_url", history.url.text)
        if let parent = history.parentID { writer.member("thread", parent.text) }
    }

    private static func ended(_ writer: inout JSONWriter) -> [UInt8] {
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}

extension CacheStore {
    /// The next channel, in the order of keys, that is cached or has cached messages; `json` is empty when only its
    /// messages are cached.
    fileprivate func exportedChannel(
        _ only: ChannelURL?, after last: Int64
    ) throws(StoreError) -> (key: Int64, url: ChannelURL, json: [UInt8])? {
        let row = try connection.prepare("""
            SELECT key, url, is_cached FROM channel WHERE key > ?1 AND (?2 = '' OR url = ?2)
                AND (is_cached = 1 OR EXISTS (SELECT 1 FROM message WHERE message.channel = channel.key))
            ORDER BY key LIMIT 1
            """).bind(last).bind(only?.text ?? "")
        defer { row.reset() }
        guard try row.next() else { return nil }
        let (key, url) = (row.int(0), ChannelURL(row.text(1)))
        let json = row.bool(2) ? try channels.channel(url)?.json ?? [] : []
        return (key, url, json)
    }

    /// Whether every message of a channel or a thread is cached, as far as sync has come.
    fileprivate func isComplete(_ key: Int64) throws(StoreError) -> Bool {
        let chunks = try chunks.of(channel: key)
        guard chunks.count == 1, let chunk = chunks.first, chunk.reachedFirst else { return false }
        if chunk.isOpenEnded { return true }
        return try !hasMessages(channel: key, after: chunk.end.position)
    }

    private func hasMessages(channel: Int64, after position: MessagePosition) throws(StoreError) -> Bool {
        let row = try connection.prepare("SELECT 1 FROM message WHERE channel = ? AND (ord, tie) > (?, ?) LIMIT 1")
            .bind(channel).bind(position.order).bind(position.tie)
        defer { row.reset() }
        return try row.next()
    }
}
