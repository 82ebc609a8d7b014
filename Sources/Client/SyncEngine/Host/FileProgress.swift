import SyncModel

/// How much of a message's file has been sent, in bytes.
public struct FileProgress: Equatable, Sendable {
    public var requestID: RequestID
    public var channelURL: ChannelURL
    /// Which of its files, from 0 on.
    public var file: Int
    public var done: Int64
    public var total: Int64
}
