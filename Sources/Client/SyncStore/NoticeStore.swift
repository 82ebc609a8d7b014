import SyncModel
import SyncSQLite

/// Messages that `notify` tells the host, and up to where each channel was searched for them (its mark). Both are
/// stored by the URL of the channel, which need not be cached, so they outlive cached messages.
///
/// A damaged row is treated as missing, and `takeDamage` tells of it: the message is not told, and of a channel whose
/// mark is damaged nothing is known, so messages may be told again.
public struct NoticeStore {
    private let cache: CacheStore
    private var connection: Connection { cache.connection }

    /// How many messages may wait, of one channel and of all.
    public static let channelLimit = 100
    public static let limit = 10_000

    private static let sinceKey = "notices.since"
    /// The last number that was given outlives a sign-out, so that no number is given twice.
    static let lastKey = "notices.last"
    /// A clock that shows a later time than this (the year 144683) is not believed, so that every number is exact in
    /// every language of hosts.
    private static let latestTime: Int64 = 1 << 52
    private static let columns = "id, channel_url, message_id, ord, tie, is_mention, missed, may_be_more, json"

    init(_ cache: CacheStore) { self.cache = cache }

    // MARK: Since when

    /// From when on messages are told, in milliseconds since the epoch by the service's clock; `nil`: not at all yet.
    public func since() throws(StoreError) -> Int64? { try cache.value(NoticeStore.sinceKey).flatMap { Int64($0) } }

    public func setSince(_ time: Int64) throws(StoreError) { try cache.setValue(NoticeStore.sinceKey, String(time)) }

    /// Whether messages were ever told, so that something may have to be cleared.
    public func isUsed() throws(StoreError) -> Bool { try cache.hasValue(NoticeStore.sinceKey) }

    /// Forgets everything but the last number.
    public func clear() throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM notice").run()
            try connection.prepare("DELETE FROM notice_mark").run()
            try cache.setValue(NoticeStore.sinceKey, nil)
        }
    }

    // MARK: Messages

    /// The last number that was given; 0: none was.
    public func lastID() throws(StoreError) -> Int64 {
        if let last = try notedID() { return last }
        let row = try connection.prepare("SELECT max(id) FROM notice")
        defer { row.reset() }
        return try row.next() ? max(0, row.int(0)) : 0
    }

    private func notedID() throws(StoreError) -> Int64? {
        try cache.value(NoticeStore.lastKey).flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Adds a message behind all others. `now`: milliseconds since the epoch. The first number is made from it, so that
    /// numbers also grow when the file was lost. When more wait than may, the oldest are dropped.
    public func add(_ notice: StoredNotice, now: Int64) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            let (next, isTooLarge) = try lastID().addingReportingOverflow(1)
            let first = try notedID() == nil ? min(max(now, 1), NoticeStore.latestTime) : 1
            let id = isTooLarge ? Int64.max : max(next, first)
            try cache.setValue(NoticeStore.lastKey, String(id))
            var notice = notice
            notice.id = id
            try write(notice)
            try limit(notice.channelURL, last: id)
        }
    }

    private func write(_ notice: StoredNotice) throws(StoreError) {
        try connection.prepare("""
            INSERT OR REPLACE INTO notice (\(NoticeStore.columns), checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, checksum_of_row(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))
            """)
            .bind(notice.id).bind(notice.channelURL).bind(notice.messageID).bind(notice.position.order)
            .bind(notice.position.tie).bind(notice.isMention).bind(notice.missed.count).bind(notice.missed.mayBeMore)
            .bind(notice.json).run()
    }

    private func limit(_ url: ChannelURL, last: Int64) throws(StoreError) {
        let beyond = "ORDER BY id DESC LIMIT -1 OFFSET"
        let ofChannel = try ids("WHERE channel_url = ? \(beyond) \(NoticeStore.channelLimit)", url)
        for id in ofChannel.reversed() { try release(id) }
        // Numbers are consecutive: while the oldest and the last one are less than `limit` apart, no more than `limit`
        // can wait.
        let oldest = try ids("ORDER BY id LIMIT 1").first ?? last
        guard last - oldest >= Int64(NoticeStore.limit) else { return }
        for id in try ids("\(beyond) \(NoticeStore.limit)").reversed() { try release(id) }
    }

    private func ids(_ condition: String, _ url: ChannelURL? = nil) throws(StoreError) -> [Int64] {
        let row = try connection.prepare("SELECT id FROM notice \(condition)")
        if let url { row.bind(url) }
        defer { row.reset() }
        var ids: [Int64] = []
        while try row.next() { ids.append(row.int(0)) }
        return ids
    }

    /// Drops a message: it is not told any more, and the next one of its channel counts it as missed.
    private func release(_ id: Int64) throws(StoreError) {
        guard let notice = try notice("WHERE id = ?1", { $0.bind(id) }) else { return }
        try remove(notice, counting: MissedNotices(count: 1))
    }

    /// Removes a message; what was missed before it now counts as missed before the next one of its channel.
    private func remove(_ notice: StoredNotice, counting: MissedNotices = MissedNotices()) throws(StoreError) {
        try connection.prepare("DELETE FROM notice WHERE id = ?").bind(notice.id).run()
        let missed = notice.missed + counting
        guard missed != MissedNotices() else { return }
        let behind = try self.notice("WHERE channel_url = ?1 AND id > ?2 ORDER BY id LIMIT 1") {
            $0.bind(notice.channelURL).bind(notice.id)
        }
        if var behind {
            behind.missed = behind.missed + missed
            return try write(behind)
        }
        var mark = try mark(notice.channelURL)
        mark.missed = mark.missed + missed
        try set(mark, of: notice.channelURL)
    }

    /// The messages with a larger number, in their order, `limit` of them at most.
    public func notices(after id: Int64, limit: Int) throws(StoreError) -> [StoredNotice] {
        try notices("WHERE id > ?1 ORDER BY id LIMIT ?2") { $0.bind(id).bind(limit) }
    }

    /// All messages of a channel that wait, in their order.
    public func notices(of url: ChannelURL) throws(StoreError) -> [StoredNotice] {
        try notices("WHERE channel_url = ?1 ORDER BY id") { $0.bind(url) }
    }

    public func notice(of messageID: MessageID, in url: ChannelURL) throws(StoreError) -> StoredNotice? {
        try notice("WHERE channel_url = ?1 AND message_id = ?2") { $0.bind(url).bind(messageID) }
    }

    private func notice(_ condition: String, _ bind: (Statement) -> Void) throws(StoreError) -> StoredNotice? {
        try notices(condition, bind).first
    }

    private func notices(_ condition: String, _ bind: (Statement) -> Void) throws(StoreError) -> [StoredNotice] {
        let row = try connection.prepare("SELECT \(NoticeStore.columns), checksum FROM notice \(condition)")
        bind(row)
        defer { row.reset() }
        var notices: [StoredNotice] = []
        var damaged: [Int64] = []
        while try row.step() {
            guard row.matches(0...8, checksum: 9) else {
                damaged.append(row.int(0))
                continue
            }
            var notice = StoredNotice(
                channelURL: ChannelURL(row.text(1)), messageID: MessageID(row.text(2)),
                position: MessagePosition(order: row.int(3), tie: row.int(4)), isMention: row.bool(5),
                missed: MissedNotices(count: row.count(6), mayBeMore: row.bool(7)), json: row.bytes(8))
            notice.id = row.int(0)
            notices.append(notice)
        }
        row.reset()
        for id in damaged {
            cache.noteDamage("a message that the host was to be told of does not match its checksum")
            try cache.transaction { () throws(StoreError) in
                try connection.prepare("DELETE FROM notice WHERE id = ?").bind(id).run()
            }
        }
        return notices
    }

    /// Stores the new content of a message.
    public func update(_ notice: StoredNotice) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in try write(notice) }
    }

    /// Removes a message that was deleted.
    public func delete(_ notice: StoredNotice) throws(StoreError) {
        // The notice is read again: since the caller read it, more messages may have been missed before it.
        try cache.transaction { () throws(StoreError) in
            if let held = try self.notice("WHERE id = ?1", { $0.bind(notice.id) }) { try remove(held) }
        }
    }

    /// Removes all messages up to a number, which the host has acknowledged.
    public func acknowledge(through id: Int64) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM notice WHERE id <= ?").bind(id).run()
        }
    }

    /// Removes messages that do not mention the user, for a host that wants mentions only.
    public func keepMentions() throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM notice WHERE is_mention = 0").run()
        }
    }

    // MARK: Channels

    /// Up to where a channel was searched for messages to tell.
    public func mark(_ url: ChannelURL) throws(StoreError) -> NoticeMark {
        let row = try connection.prepare("""
            SELECT channel_url, has_position, ord, tie, is_wanted, missed, may_be_more, checksum FROM notice_mark
            WHERE channel_url = ?
            """).bind(url)
        defer { row.reset() }
        var mark = NoticeMark()
        guard try row.step() else { return mark }
        guard row.matches(0...6, checksum: 7) else {
            cache.noteDamage("how far a channel was told does not match its checksum")
            return mark
        }
        if row.bool(1) { mark.position = MessagePosition(order: row.int(2), tie: row.int(3)) }
        mark.isWanted = row.bool(4)
        mark.missed = MissedNotices(count: row.count(5), mayBeMore: row.bool(6))
        return mark
    }

    public func set(_ mark: NoticeMark, of url: ChannelURL) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            try connection.prepare("""
                INSERT INTO notice_mark (
                    channel_url, has_position, ord, tie, is_wanted, missed, may_be_more, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, checksum_of_row(?1, ?2, ?3, ?4, ?5, ?6, ?7))
                ON CONFLICT (channel_url) DO UPDATE SET has_position = excluded.has_position, ord = excluded.ord,
                    tie = excluded.tie, is_wanted = excluded.is_wanted, missed = excluded.missed,
                    may_be_more = excluded.may_be_more, checksum = excluded.checksum
                """)
                .bind(url).bind(mark.position != nil).bind(mark.position?.order ?? 0).bind(mark.position?.tie ?? 0)
                .bind(mark.isWanted).bind(mark.missed.count).bind(mark.missed.mayBeMore).run()
        }
    }

    /// The channels of which the service has to be asked.
    public func wanted() throws(StoreError) -> [ChannelURL] {
        let row = try connection.prepare("SELECT channel_url FROM notice_mark WHERE is_wanted = 1 ORDER BY channel_url")
        defer { row.reset() }
        var urls: [ChannelURL] = []
        while try row.step() { urls.append(ChannelURL(row.text(0))) }
        row.reset()
        // `mark` reports a damaged row. Its channel stays in the list, since nothing is known of it.
        for url in urls { _ = try mark(url) }
        return urls
    }

    /// The channels of which something is stored here although they are not cached.
    public func channelsNotCached() throws(StoreError) -> [ChannelURL] {
        let row = try connection.prepare("""
            SELECT channel_url FROM notice UNION SELECT channel_url FROM notice_mark
            EXCEPT SELECT url FROM channel WHERE is_cached = 1
            """)
        defer { row.reset() }
        var urls: [ChannelURL] = []
        while try row.next() { urls.append(ChannelURL(row.text(0))) }
        return urls
    }

    /// Forgets a channel that is gone, or whose URL now belongs to another channel.
    public func forget(_ url: ChannelURL) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM notice WHERE channel_url = ?").bind(url).run()
            try connection.prepare("DELETE FROM notice_mark WHERE channel_url = ?").bind(url).run()
        }
    }

    /// Removes messages from before a time (milliseconds since the epoch), since this user may not see them any more.
    public func delete(before order: Int64, in url: ChannelURL) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM notice WHERE channel_url = ? AND ord < ?").bind(url).bind(order).run()
        }
    }
}

extension CacheStore {
    public var notices: NoticeStore { NoticeStore(self) }

    func noteDamage(_ message: String) { damagedValue = connection.damageOfMissing(message) }
}
