import SyncSQLite

/// How much room all channels take together, and which of them were used last. Both are read some channels at a time.
extension ChannelCounts {
    /// A channel by the number under which its messages are stored.
    public struct Used: Equatable, Sendable {
        public let channel: Int64
        public let usage: ChannelUsage
    }

    /// Bytes of the rows of all channels; `nil` until `countTotal` has read them.
    public var total: Int64? { sum.isComplete ? sum.bytes : nil }

    /// Adds the next channels to the sum, `limit` of them at most. Once all are counted, every transaction keeps
    /// `total` current; after a rollback, or when counts are damaged, counting begins again.
    public func countTotal(channels limit: Int) throws(StoreError) {
        guard !sum.isComplete else { return }
        let read = try used(after: sum.through, limit: limit)
        for each in read { sum.add(each.usage.bytes, of: each.channel) }
        if read.count < limit { sum.complete() }
    }

    /// Counts all channels that are left, and gives the total.
    public func completeTotal() throws(StoreError) -> Int64 {
        while !sum.isComplete { try countTotal(channels: 500) }
        return sum.bytes
    }

    /// The next channels in the order of their numbers, with what they take. Damaged counts are counted again and
    /// stored.
    public func used(after channel: Int64, limit: Int) throws(StoreError) -> [Used] {
        var (found, unsound) = try stored(after: channel, limit: limit)
        guard !unsound.isEmpty else { return found }
        damaged = connection.damageOfMissing("the counts of a channel do not match their checksum")
        try transaction { () throws(StoreError) in
            for index in unsound { try write(counted: found[index].channel) }
        }
        for index in unsound {
            let channel = found[index].channel
            if let usage = try usage(channel: channel) { found[index] = Used(channel: channel, usage: usage) }
        }
        return found
    }

    /// The next channels as they are stored, and the indices of those whose counts are damaged.
    private func stored(after channel: Int64, limit: Int) throws(StoreError) -> ([Used], [Int]) {
        let row = try connection.prepare("""
            SELECT key, messages, bytes, used_at, usage_checksum FROM channel WHERE key > ? ORDER BY key LIMIT ?
            """).bind(channel).bind(limit)
        defer { row.reset() }
        var found: [Used] = []
        var unsound: [Int] = []
        while try row.step() {
            let isSound = row.matches(0...3, checksum: 4) && row.int(1) >= 0 && row.int(2) >= 0
            if !isSound { unsound.append(found.count) }
            found.append(Used(
                channel: row.int(0),
                usage: isSound
                    ? ChannelUsage(messages: row.int(1), bytes: row.int(2), usedAt: row.int(3))
                    : ChannelUsage(messages: 0, bytes: 0, usedAt: 0)))
        }
        return (found, unsound)
    }
}
