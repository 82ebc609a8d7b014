import SyncModel

/// How many bytes of a message's file have been sent.
public struct FileProgress: Equatable, Sendable {
    public var requestID: RequestID
    public var channelURL: ChannelURL
    /// The index of the file, from 0.
    public var file: Int
    public var done: Int64
    public var total: Int64
}
