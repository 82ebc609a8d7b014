import SyncModel

/// Whose messages: those of a channel, or those of one of its threads.
struct HistoryID: Hashable, Comparable, CustomStringConvertible {
    let channel: TextKey
    /// The id of the thread's first message; empty: the channel itself.
    let parent: TextKey

    init(_ channelURL: String, parentID: String = "") {
        channel = TextKey(channelURL)
        parent = TextKey(parentID)
    }

    var channelURL: String { channel.text }
    var parentID: String { parent.text }
    var isThread: Bool { !parentID.isEmpty }

    var description: String { isThread ? "\(channelURL)/\(parentID)" : channelURL }

    /// A channel comes before its threads.
    static func < (left: HistoryID, right: HistoryID) -> Bool {
        (left.channel, left.parent) < (right.channel, right.parent)
    }
}
