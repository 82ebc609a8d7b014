import SyncModel
import SyncSQLite

/// How much the messages of each channel take, and when it was used last: what decides which messages go when the cache
/// is too large. The counts are columns of `channel`, written at the end of the transaction that writes the messages.
public final class ChannelCounts {
    let connection: Connection
    private var pending = PendingCounts()
    /// How many rows of messages were added since the store was opened, including those that were rolled back.
    public private(set) var added: Int64 = 0
    var damaged: StoreError?
    /// The bytes of all channels that `countTotal` has read, kept current with every change since.
    var sum = CountedSum()

    init(_ connection: Connection) { self.connection = connection }

    /// A use is noted only when it is so many milliseconds later than the last noted one, since each note writes a page
    /// to the disk.
    private static let usePrecision: Int64 = 3_600_000

    /// How much room a channel takes, by the key under which its messages are stored; `nil` when there is no such
    /// channel. Damaged counts are counted again, and `CacheStore.takeDamage` tells of them.
    public func usage(channel: Int64) throws(StoreError) -> ChannelUsage? {
        switch try storedUsage(channel: channel) {
        case nil: nil
        case .sound(let usage): usage
        case .damaged: try counted(channel: channel)
        }
    }

    private enum StoredUsage {
        case sound(ChannelUsage)
        case damaged
    }

    /// `nil`: there is no such channel.
    private func storedUsage(channel: Int64) throws(StoreError) -> StoredUsage? {
        let row = try connection.prepare("""
            SELECT key, messages, bytes, used_at, usage_checksum FROM channel WHERE key = ?
            """).bind(channel)
        defer { row.reset() }
        guard try row.step() else { return nil }
        if row.matches(0...3, checksum: 4), row.int(1) >= 0, row.int(2) >= 0 {
            return .sound(ChannelUsage(messages: row.int(1), bytes: row.int(2), usedAt: row.int(3)))
        }
        damaged = connection.damageOfMissing("the counts of a channel do not match their checksum")
        return .damaged
    }

    /// Notes that a channel is looked at. `now` is in milliseconds since the epoch.
    public func use(channel: Int64, at now: Int64) throws(StoreError) {
        guard var usage = try usage(channel: channel) else { return }
        guard usage.usedAt > now || usage.usedAt < now &- ChannelCounts.usePrecision else { return }
        let bytes = usage.bytes
        usage.usedAt = now
        try transaction { () throws(StoreError) in try set(usage, insteadOf: bytes, channel: channel) }
    }

    // MARK: Keeping the counts right

    /// Counts what is stored of a channel and its threads. Reads all of it.
    func counted(channel: Int64) throws(StoreError) -> ChannelUsage {
        let threads = try connection.prepare("SELECT key FROM thread WHERE channel = ?").bind(channel)
        defer { threads.reset() }
        var keys = [channel]
        while try threads.next() { keys.append(0 &- threads.int(0)) }
        let relations = try size(of: "channel = ?1", in: "relation", channel)
        var usage = ChannelUsage(
            messages: 0, bytes: relations.bytes &+ relations.rows &* ChannelUsage.rowBytes, usedAt: 0)
        for key in keys {
            let size = try size(of: "channel = ?1", key)
            usage.messages &+= size.rows
            usage.bytes &+= size.bytes &+ size.rows &* ChannelUsage.rowBytes
        }
        return usage
    }

    /// How many rows a condition finds, and the bytes of their JSON. `?1` and `?2` are the numbers.
    func size(
        of condition: String, in table: String = "message", _ first: Int64, _ second: Int64? = nil
    ) throws(StoreError) -> (rows: Int64, bytes: Int64) {
        let row = try connection.prepare("""
            SELECT count(*), coalesce(sum(length(CAST(json AS BLOB))), 0) FROM \(table) WHERE \(condition)
            """).bind(first)
        if let second { row.bind(second) }
        defer { row.reset() }
        return try row.next() ? (row.int(0), row.int(1)) : (0, 0)
    }

    /// Where a message stands, and the bytes of its JSON; `nil` when it is not cached.
    func size(
        of id: MessageID, channel: Int64
    ) throws(StoreError) -> (position: MessagePosition, bytes: Int64)? {
        let row = try connection.prepare("""
            SELECT ord, tie, length(CAST(json AS BLOB)) FROM message WHERE channel = ? AND id = ?
            """).bind(channel).bind(id)
        defer { row.reset() }
        guard try row.next() else { return nil }
        return (MessagePosition(order: row.int(0), tie: row.int(1)), row.int(2))
    }

    /// Commits all that is done inside, with what it changes in the counts, or nothing of it. A call inside another
    /// joins it.
    func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        if connection.isInTransaction { return try connection.transaction(body) }
        do throws(StoreError) {
            return try connection.transaction { () throws(StoreError) in
                let result = try body()
                try writePending()
                return result
            }
        } catch {
            pending = PendingCounts()
            sum = CountedSum()
            throw error
        }
    }

    /// Notes that rows of messages were added (or removed, with negative numbers), and how many bytes of JSON. `key`:
    /// the key of the channel or thread under which they are stored.
    func add(rows: Int64, bytes: Int64, to key: Int64) {
        if rows > 0 { added &+= rows }
        pending.add(rows: rows, bytes: bytes, to: key)
    }

    /// The same of relations.
    func add(relations rows: Int64, bytes: Int64, to key: Int64) {
        pending.add(relations: rows, bytes: bytes, to: key)
    }

    /// Has the rows under a key counted at the end of the transaction.
    func countAgain(_ key: Int64) { pending.countAgain(key) }

    func takeDamage() -> StoreError? {
        defer { damaged = nil }
        return damaged
    }

    private func writePending() throws(StoreError) {
        guard !pending.isEmpty else { return }
        let pending = pending
        self.pending = PendingCounts()
        var uncounted: Set<Int64> = []
        for key in pending.uncounted { if let channel = try channel(ofKey: key) { uncounted.insert(channel) } }
        var changes: [Int64: PendingCounts.Change] = [:]
        for (key, change) in pending.changes {
            guard let channel = try channel(ofKey: key), !uncounted.contains(channel) else { continue }
            changes[channel, default: PendingCounts.Change()].messages &+= change.messages
            changes[channel, default: PendingCounts.Change()].bytes &+= change.bytes
        }
        for channel in uncounted { try write(counted: channel) }
        for (channel, change) in changes where change.messages != 0 || change.bytes != 0 {
            try add(change, channel: channel)
        }
    }

    private func add(_ change: PendingCounts.Change, channel: Int64) throws(StoreError) {
        guard case .sound(var usage) = try storedUsage(channel: channel) else { return try write(counted: channel) }
        let (messages, hasTooMany) = usage.messages.addingReportingOverflow(change.messages)
        let (bytes, isTooLarge) = usage.bytes.addingReportingOverflow(change.bytes)
        // A negative count means that rows were removed that had never been counted.
        guard !hasTooMany, !isTooLarge, messages >= 0, bytes >= 0 else { return try write(counted: channel) }
        let before = usage.bytes
        (usage.messages, usage.bytes) = (messages, bytes)
        try set(usage, insteadOf: before, channel: channel)
    }

    func write(counted channel: Int64) throws(StoreError) {
        guard let stored = try storedUsage(channel: channel) else { return }
        var usage = try counted(channel: channel)
        var before: Int64?
        if case .sound(let known) = stored {
            usage.usedAt = known.usedAt
            before = known.bytes
            if usage == known { return }
        }
        try set(usage, insteadOf: before, channel: channel)
    }

    /// The key of the channel to which a key belongs: a channel's own key, or that of the channel of a thread; `nil`
    /// for a thread that is not known.
    public func channel(ofKey key: Int64) throws(StoreError) -> Int64? {
        if key > 0 { return key }
        let row = try connection.prepare("SELECT channel FROM thread WHERE key = ?").bind(0 &- key)
        defer { row.reset() }
        return try row.next() ? row.int(0) : nil
    }

    /// `before`: the bytes that are stored; `nil`: they are not known.
    private func set(_ usage: ChannelUsage, insteadOf before: Int64?, channel: Int64) throws(StoreError) {
        sum.replace(before, with: usage.bytes, of: channel)
        try connection.prepare("""
            UPDATE channel SET messages = ?2, bytes = ?3, used_at = ?4,
                usage_checksum = checksum_of_row(?1, ?2, ?3, ?4)
            WHERE key = ?1
            """).bind(channel).bind(usage.messages).bind(usage.bytes).bind(usage.usedAt).run()
    }

    /// All messages were removed.
    func clear() throws(StoreError) {
        pending = PendingCounts()
        sum.clear()
        try connection.prepare("""
            UPDATE channel SET messages = 0, bytes = 0, usage_checksum = checksum_of_row(key, 0, 0, used_at)
            WHERE messages <> 0 OR bytes <> 0
            """).run()
    }
}
