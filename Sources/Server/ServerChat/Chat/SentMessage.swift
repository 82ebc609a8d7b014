/// A message that was sent or changed, and what told of it.
public struct SentMessage {
    public let message: MessageRow
    /// The frame that told of it, without a request id.
    public let frame: [UInt8]
}
