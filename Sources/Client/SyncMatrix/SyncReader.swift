import SyncJSON
import SyncModel

/// What is remembered of rooms between two answers of the stream.
struct RoomMemory {
    /// Who was typing when the room last told.
    var typing: [ChannelURL: Set<UserID>] = [:]
    var isEncrypted: [ChannelURL: Bool] = [:]
    /// The newest event of each room, for receipts.
    var newest: [ChannelURL: MessageID] = [:]
}

/// Reads answers of the stream.
struct SyncReader {
    let userID: UserID
    /// When the answer came, in milliseconds since the epoch by this machine.
    let heardAt: Int64
    /// From where the stream went on; `nil`: the answer has everything as it is now.
    let since: String?
    /// The answer has everything, and its channels are to be listed; else they are told as they come.
    var isListing: Bool
    /// State of the room that the answer leaves out.
    var moreState: [JSON] = []

    struct News {
        var events: [ServiceEvent] = []
        /// From where the stream goes on.
        var next = ""
        /// All channels, if they are to be listed.
        var channels: [ChannelRecord] = []
    }

    /// `nil`: the answer is not what the protocol says.
    func read(_ answer: JSON, _ memory: inout RoomMemory) -> News? {
        guard let next = answer["next_batch"]?.string, !next.isEmpty else { return nil }
        var news = News(next: next)
        let rooms = answer["rooms"]
        for (id, room) in rooms?["join"]?.members ?? [] where !id.isEmpty {
            joined(ChannelURL(id), room, &news, &memory)
        }
        for (id, room) in rooms?["invite"]?.members ?? [] where !id.isEmpty {
            invited(ChannelURL(id), room, &news)
        }
        // An answer that has everything has no rooms that this user has left.
        for (id, _) in rooms?["leave"]?.members ?? [] where !id.isEmpty && since != nil {
            let url = ChannelURL(id)
            memory.typing[url] = nil
            memory.newest[url] = nil
            news.events.append(.channel(url: url, .removed(Cause(.eventUserLeft))))
        }
        return news
    }

    private func invited(_ url: ChannelURL, _ room: JSON, _ news: inout News) {
        let state = RoomState(userID: userID)
        state.take(room["invite_state"]?["events"]?.array ?? [])
        guard let channel = state.channel(url, member: "invited", last: nil) else { return }
        tell(channel, Cause(.eventUserReceivedInvitation), &news)
    }

    private func tell(_ channel: ChannelRecord, _ cause: Cause, _ news: inout News) {
        if isListing {
            news.channels.append(channel)
        } else {
            news.events.append(.channelAnswered(channel, cause))
        }
    }

    private func joined(_ url: ChannelURL, _ room: JSON, _ news: inout News, _ memory: inout RoomMemory) {
        let before = room["state"]?["events"]?.array ?? []
        let timeline = room["timeline"]?["events"]?.array ?? []
        let state = RoomState(userID: userID)
        state.take(moreState)
        state.take(before)
        state.take(timeline)
        state.take(summary: room["summary"])
        state.take(counts: room["unread_notifications"])
        // An answer that has everything has the whole state of each room; else a room that is new has it.
        let isWhole = since == nil || state.isWhole
        if isWhole || state.isEncrypted { memory.isEncrypted[url] = state.isEncrypted }
        if let id = timeline.last?["event_id"]?.string { memory.newest[url] = MessageID(id) }

        var reader = EventReader(room: url, heardAt: heardAt)
        reader.learn(before)
        reader.learn(timeline)
        let page = TimelinePage(timeline, reader)
        if isWhole {
            let last = page.messages.last { $0.parentID.isEmpty }?.json
            if let channel = state.channel(url, member: "joined", last: last) {
                tell(channel, Cause(.eventUserJoined), &news)
            }
        }
        let isLimited = isWhole || room["timeline"]?["limited"]?.bool == true
        if isLimited {
            let older = isWhole ? "" : since ?? ""
            let newer = page.newest(before: room["timeline"]?["prev_batch"]?.string, behind: news.next)
            news.events.append(.hole(channelURL: url, older: older, newer: newer))
        }
        news.events += page.events(url, withMessages: !isLimited)
        if !isWhole, !state.isEmpty {
            let patch = ChannelPatch(key: "matrix", value: state.json.serialized())
            news.events.append(.channel(url: url, .patched(Cause(.eventChannelChanged), members: [patch])))
        }
        typing(url, room, reader, &news, &memory)
    }

    /// The server names all who type, each time that one begins or ends.
    private func typing(
        _ url: ChannelURL, _ room: JSON, _ reader: EventReader, _ news: inout News, _ memory: inout RoomMemory
    ) {
        for event in room["ephemeral"]?["events"]?.array ?? [] where event["type"]?.string == "m.typing" {
            let ids = event["content"]?["user_ids"]?.array ?? []
            var now = Set(ids.prefix(SyncReader.mostTyping).compactMap(\.string).map { UserID($0) })
            now.remove(userID)
            let then = memory.typing[url] ?? []
            for id in then.symmetricDifference(now).sorted() {
                let user = reader.users[id] ?? EventReader.user(id, nil, nil)
                news.events.append(.channel(
                    url: url, .typing(userID: id, user: user.serialized(), isTyping: now.contains(id))))
            }
            memory.typing[url] = now.isEmpty ? nil : now
        }
    }

    private static let mostTyping = 100
}

/// Events of a timeline, oldest first, sorted by what they are.
struct TimelinePage {
    private(set) var messages: [MessageRecord] = []
    private var relations: [(relation: Relation, source: EventSource)] = []
    /// What the timeline takes back.
    private var redacted: [MessageID] = []
    /// Edits that the server has bundled with messages.
    private var bundled: [Relation] = []
    private let isFirst: Bool

    /// `thread`: only replies to this message are messages here; empty: all are.
    init(_ events: [JSON], _ reader: EventReader, thread: MessageID = "") {
        isFirst = events.contains { $0["type"]?.string == "m.room.create" }
        var seen: Set<MessageID> = []
        for event in events {
            switch reader.read(event) {
            case .message(let message, let edit):
                guard thread.isEmpty || message.parentID == thread, seen.insert(message.id).inserted else { continue }
                messages.append(message)
                if let edit { bundled.append(edit) }
            case .relation(let relation, let source): relations.append((relation, source))
            case .redaction(let id): redacted.append(id)
            case .nothing: break
            }
        }
    }

    /// What the stream tells of one by one. The messages themselves are part of a page when the stream left out others.
    func events(_ url: ChannelURL, withMessages: Bool) -> [ServiceEvent] {
        var events: [ServiceEvent] = []
        if withMessages { events += messages.map { .messageReceived(channelURL: url, message: $0) } }
        for (relation, source) in relations {
            events.append(.messageRelations(channelURL: url, RelationChanges(added: [relation]), Cause(source)))
        }
        for id in redacted {
            events.append(.messageDeleted(channelURL: url, messageID: id))
            events.append(.messageRelations(
                channelURL: url, RelationChanges(removed: [id]), Cause(.eventMessageUpdated)))
        }
        return events
    }

    /// The page behind messages that the stream left out. `token`: where it begins; `end`: where the stream goes on.
    func newest(before token: String?, behind end: String) -> MessagePage {
        var page = MessagePage(messages: messages, range: nil, reachedFirst: isFirst, reachedNewest: true)
        page.relations.added = bundled
        if let first = messages.first, let last = messages.last, let token {
            page.range = (HistoryEdge(first.position, token: token), HistoryEdge(last.position, token: end))
        }
        return page
    }

    /// What was taken back is a message or a relation; the page does not say which.
    private func finish(_ page: inout MessagePage) {
        page.relations = RelationChanges(added: relations.map(\.relation) + bundled, removed: redacted)
        page.deletedIDs = redacted
    }

    /// A stretch of history between two tokens.
    func island(from start: String, to end: String) -> MessagePage {
        var page = MessagePage(messages: messages, range: nil, reachedFirst: isFirst, reachedNewest: false)
        finish(&page)
        if let first = messages.first, let last = messages.last {
            page.range = (HistoryEdge(first.position, token: start), HistoryEdge(last.position, token: end))
        }
        return page
    }

    /// A page of history. Its edges have the places of its outermost messages; without any, that of the edge from which
    /// it was asked for.
    func page(
        from edge: HistoryEdge, to token: String?, _ direction: PageDirection, until: HistoryEdge?, end: HistoryEdge?
    ) -> MessagePage {
        let far = direction == .previous ? messages.first?.position : messages.last?.position
        let reached = token.map { HistoryEdge(far ?? edge.position, token: $0) }
            ?? until ?? end ?? HistoryEdge(far ?? edge.position, token: edge.token)
        let isLast = token == nil && until == nil
        var page = MessagePage(
            messages: messages, range: direction == .previous ? (reached, edge) : (edge, reached),
            reachedFirst: direction == .previous && (isLast || isFirst), reachedNewest: direction == .next && isLast)
        finish(&page)
        return page
    }
}
