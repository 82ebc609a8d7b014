import SyncModel

/// Whose messages: those of a channel, or those of one of its threads.
struct HistoryID: Hashable, Comparable, CustomStringConvertible {
    let channelURL: ChannelURL
    /// The id of the thread's first message; empty: the channel itself.
    let parentID: MessageID

    init(_ channelURL: ChannelURL, parentID: MessageID = "") {
        self.channelURL = channelURL
        self.parentID = parentID
    }

    var isThread: Bool { !parentID.isEmpty }

    var description: String { isThread ? "\(channelURL)/\(parentID)" : channelURL.text }

    /// A channel comes before its threads.
    static func < (left: HistoryID, right: HistoryID) -> Bool {
        (left.channelURL, left.parentID) < (right.channelURL, right.parentID)
    }
}
