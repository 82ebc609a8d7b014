import SyncBytes
import SyncModel
import SyncText

/// A query, ready to be compared with messages.
public struct SearchScope: Sendable {
    public let query: SearchQuery
    public let question: SearchQuestion
    private let channels: Set<ChannelURL>

    public init(_ query: SearchQuery) {
        self.query = query
        question = SearchQuestion(query.text, isTyping: query.isPrefix)
        channels = Set(query.channelURLs)
    }

    func includes(_ channelURL: ChannelURL) -> Bool { channels.isEmpty || channels.contains(channelURL) }

    /// The message as a result; `nil`: it does not match.
    func result(_ message: MessageRecord, in channelURL: ChannelURL, _ searched: SearchedText) -> FoundMessage? {
        guard includes(channelURL), query.filter.matches(message), query.times.contains(searched.time),
            let match = question.match(searched.text)
        else { return nil }
        let place = SearchPlace(
            score: query.order == .relevance ? match.score : 0, time: searched.time, position: message.position,
            id: ResultID(channelURL, message.id))
        return FoundMessage(
            channelURL: channelURL, place: place, json: message.json, snippet: SearchSnippet(searched.text, match))
    }
}

/// A cached message that has what is looked for.
public struct FoundMessage: Sendable {
    public let channelURL: ChannelURL
    public let place: SearchPlace
    public let json: [UInt8]
    public let snippet: SearchSnippet
}
