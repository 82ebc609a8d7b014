import SyncBytes

/// Where a result stands in a list of results: the better, the greater.
public struct SearchPlace: Comparable, Sendable {
    /// How well it fits; 0 where that does not count.
    public var score: Int
    /// When the message was sent, in milliseconds since the epoch.
    public var time: Int64
    /// Tells apart messages of one millisecond, as far as they are of one channel.
    public var position: MessagePosition
    public var id: ResultID

    public init(score: Int, time: Int64, position: MessagePosition, id: ResultID) {
        self.score = score
        self.time = time
        self.position = position
        self.id = id
    }

    public static func < (left: SearchPlace, right: SearchPlace) -> Bool {
        if left.score != right.score { return left.score < right.score }
        if left.time != right.time { return left.time < right.time }
        return left.position == right.position ? left.id < right.id : left.position < right.position
    }
}

/// A result of a search, as hosts name it: the URL of its channel, a slash, and the message's id.
public struct ResultID: TextID {
    public let text: String

    public init(_ text: String) { self.text = text }
    public init(_ channelURL: ChannelURL, _ id: MessageID) { text = "\(channelURL.text)/\(id.text)" }
}
