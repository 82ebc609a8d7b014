import SyncModel

/// What the user has written in a channel or a thread and not sent.
public struct StoredDraft: Equatable, Sendable {
    public let channelURL: ChannelURL
    /// The message that a thread answers; empty: the channel's own draft.
    public let parentID: MessageID
    /// Milliseconds since the epoch, by this machine.
    public let updatedAt: Int64
    /// JSON object.
    public let body: [UInt8]

    public init(channelURL: ChannelURL, parentID: MessageID, updatedAt: Int64, body: [UInt8]) {
        self.channelURL = channelURL
        self.parentID = parentID
        self.updatedAt = updatedAt
        self.body = body
    }

    var checksum: Int64 {
        var checksum = RowChecksum()
        checksum.add(channelURL)
        checksum.add(parentID)
        checksum.add(updatedAt)
        checksum.add(body)
        return checksum.value
    }
}
