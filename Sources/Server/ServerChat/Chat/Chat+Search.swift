import ServerBase
import SyncBytes
import SyncJSON

extension Chat {
    /// Messages that have a text, in one channel or in all of a user's. Case does not matter; all words have to be
    /// there, in any order, unless the text is to match exactly.
    public func search(_ caller: Caller, _ wanted: SearchQuery) throws -> JSON {
        let words = wanted.isExact ? [wanted.text] : wanted.text.parts(between: UInt8(ascii: " "))
        let (url, type) = (wanted.channelURL, wanted.customType)
        let channels = try url.isEmpty ? storage.channels.list(of: caller.userID).map(\.channel) : [channel(url)]
        var found: [MessageRow] = []
        for channel in channels {
            let member = try checkReading(caller, channel)
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

    /// "Translates" a message: the same text, marked with the language, so that clients have something to show.
    public func translate(_ id: Int64, _ fields: Fields, _ caller: Caller, _ channel: ChannelRow) throws -> MessageRow {
        guard let languages = try fields.strings("target_langs"), !languages.isEmpty else {
            throw Refusal.missing("target_langs")
        }
        try checkReading(caller, channel)
        guard let message = try storage.messages.message(id, in: channel.id), message.kind == .text,
            let json = try? JSON.parse(message.json)
        else { throw Refusal.noMessage() }
        let texts = json["translations"] ?? .object()
        let text = json["message"]?.string ?? ""
        for language in languages { texts.set(language, Translations.echo(text, language)) }
        return try rewrite(message, ["translations": texts], channel)
    }

    /// Adds a message that was sent by another service, at the place of its time. Nobody is told.
    public func addHistory(_ input: MessageInput, _ senderID: String, _ channel: ChannelRow) throws {
        if let key = input.dedupID, try storage.requests.sent(channel.id, senderID, "d" + key) != nil { return }
        let sender = senderID.isEmpty ? nil : try storage.users.user(senderID)
        let message = try store(input, sender, channel, at: now).row
        if let key = input.dedupID {
            try storage.requests.noteSent(channel.id, senderID, "d" + key, message.id, at: now)
        }
    }

    /// Whether users who never chose join at once when they are invited.
    public func invitesAtOnce() throws -> Bool {
        try storage.documents.document(.setting, "default_channel_invitation_preference")?["auto_accept"]?.bool ?? true
    }

    /// A hash that changes with every change of the emoji sets, so that clients know when to load them again.
    public func emojiHash() throws -> String {
        let all = try storage.documents.all(.emoji) + storage.documents.all(.emojiCategory)
        guard !all.isEmpty else { return "0" }
        // FNV-1a over what the sets hold.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for document in all {
            for byte in Array(document.id.utf8) + document.json.serialized() {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return String(hash, radix: 16)
    }
}
