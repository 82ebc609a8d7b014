/// What the transaction under way does to the counts of channels. They are written at its end, once a channel.
struct PendingCounts {
    struct Change {
        var messages: Int64 = 0
        var bytes: Int64 = 0
    }

    /// By the number under which messages are filed: a channel's, or a thread's, which is negative.
    private(set) var changes: [Int64: Change] = [:]
    /// What is stored there is counted again.
    private(set) var uncounted: Set<Int64> = []

    var isEmpty: Bool { changes.isEmpty && uncounted.isEmpty }

    /// Rows came (or went, with negative numbers), with so many bytes of JSON more (or fewer).
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
