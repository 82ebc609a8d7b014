/// What search reads of a message.
public struct SearchedText: Equatable, Sendable {
    public var text: String
    /// When it was sent, in milliseconds since the epoch.
    public var time: Int64

    public init(text: String, time: Int64) { (self.text, self.time) = (text, time) }
}
