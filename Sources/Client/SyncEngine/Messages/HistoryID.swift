import SyncModel

/// Names a history: that of a channel, or that of one of its threads.
struct HistoryID: Hashable, Comparable, CustomStringConvertible {
    let channelURL: ChannelURL
    /// The id of the thread's parent message; empty: the channel itself.
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
