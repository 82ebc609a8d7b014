/// How the transaction under way changes the counts of channels. They are written at its end, once for each channel.
struct PendingCounts {
    struct Change {
        var messages: Int64 = 0
        var bytes: Int64 = 0
    }

    /// By the number under which messages are filed: a channel's, or a thread's, which is negative.
    private(set) var changes: [Int64: Change] = [:]
    /// The keys whose rows are counted again.
    private(set) var uncounted: Set<Int64> = []

    var isEmpty: Bool { changes.isEmpty && uncounted.isEmpty }

    /// Notes that rows were added (or removed, with negative numbers), and how many bytes of JSON.
    mutating func add(rows: Int64, bytes: Int64, to key: Int64) {
        changes[key, default: Change()].messages &+= rows
        changes[key, default: Change()].bytes &+= bytes &+ rows &* ChannelUsage.rowBytes
    }

    /// The same of relations, which are no messages.
    mutating func add(relations rows: Int64, bytes: Int64, to key: Int64) {
        changes[key, default: Change()].bytes &+= bytes &+ rows &* ChannelUsage.rowBytes
    }

    mutating func countAgain(_ key: Int64) { uncounted.insert(key) }
}
