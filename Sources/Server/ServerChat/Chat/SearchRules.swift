import ServerBase
import SyncBytes
import SyncJSON

/// The search in messages.
public struct SearchRules: ChatRules {
    let chat: Chat

    /// Messages that have a text, in one channel or in all of a user's. Case does not matter; all words have to be
    /// there, in any order, unless the text is to match exactly.
    public func messages(_ caller: Caller, _ wanted: SearchQuery) throws -> JSON {
        let words = wanted.isExact ? [wanted.text] : wanted.text.parts(between: UInt8(ascii: " "))
        let (url, type) = (wanted.channelURL, wanted.customType)
        let channels = try url.isEmpty ? storage.channels.list(of: caller.userID).map(\.channel) : [chat.channel(url)]
        var found: [MessageRow] = []
        for channel in channels {
            let member = try chat.access.checkReading(caller, channel)
            let from = max(wanted.from, member?.offset ?? 0)
            found += try storage.messages.list(channel.id, from: from, to: wanted.to).filter { message in
                guard type.isEmpty || message.customType.isByteEqual(to: type) else { return false }
                guard let json = try? JSON.parse(message.json) else { return false }
                let texts = wanted.fields.compactMap { json[$0]?.string?.lowercased() }
                return words.allSatisfy { word in texts.contains { $0.contains(text: word) } }
            }
        }
        found.sort { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        if wanted.isReversed { found.reverse() }
        let start = min(wanted.start, found.count)
        let end = min(found.count, start + wanted.limit)
        let results = try found[start..<end].map { message in
            let json = try JSON.parse(message.bytes(.all))
            if let channel = try storage.channels.channel(id: message.channelID) {
                json.set(
                    "channel",
                    .object([
                        "channel_url": .string(channel.url), "name": .string(channel.name),
                        "custom_type": .string(channel.customType),
                    ]))
            }
            return json
        }
        return .object([
            "results": .array(results), "has_next": .bool(end < found.count), "total_count": .int(Int64(found.count)),
            "end_cursor": .string(end < found.count ? String(end) : ""),
        ])
    }
}

extension Chat {
    public var search: SearchRules { SearchRules(chat: self) }
}
