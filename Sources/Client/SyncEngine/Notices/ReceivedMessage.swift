import SyncModel
import SyncStore

/// A message of another user that the host is told of, whether a collection shows its channel or not.
public struct ReceivedMessage: Equatable, Sendable {
    /// The id that the host acknowledges. It is the same each time that the message is told.
    public var id: Int64
    public var channelURL: ChannelURL
    /// The channel as it is when the event is told; `nil`: it is not cached.
    public var channel: [UInt8]?
    public var json: [UInt8]
    public var isMention: Bool
    /// Earlier messages of the channel that are not told.
    public var missed: MissedNotices
}
