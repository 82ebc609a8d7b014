import SyncJSON
import SyncModel

/// Turns requests of the engine into requests to the homeserver, and its answers into replies.
struct MatrixQuestions {
    let api: MatrixAPI
    let userID: UserID
    let memory: RoomMemory
    /// Up to where the stream has told: pages go no further.
    let streamToken: String
    let timeout: Int64
    let now: Moment

    /// The server gives no more at once.
    private static let pageSize = 100
    /// How many pages one request of the engine takes at most.
    private static let mostPages = 50

    func question(_ request: ServiceRequest) -> MatrixStep {
        switch request {
        case .listChannels:
            return ask(whole(nil)) { answer in
                channels(answer).map { .channels(ChannelPage(channels: $0, next: "")) }
            }
        case .getChannel(let url): return channel(url)
        case .messagesAround(let url, let time, let limit, ""): return around(url, time, limit)
        case .messagesAround(let url, let time, let limit, let parent):
            return replies(RoomHistory(room: url, parent: parent), back: time, limit)
        case .messages(let url, let edge, let direction, let limit, let parent, let until):
            return page(RoomHistory(room: url, parent: parent), edge, direction, limit, until)
        case .edge(let url, let id, let direction, _):
            return ask(api.context(url, id, limit: 0, timeout: timeout)) { answer in
                answer[direction == .previous ? "start" : "end"]?.string.map { .edge(token: $0) }
            }
        case .getMessage(let url, let id): return message(url, id)
        case .sendMessage(let url, let requestID, let body): return send(url, requestID, body)
        case .retention: return .reply(.retention(RetentionPage()))
        case .markDelivered: return .reply(.done)
        case .action(let call): return action(call)
        case .channelChanges, .messageChanges, .pollChanges, .messageGap,
            .ownMessages, .unreadCounts, .sendMessageByRequest, .uploadFile:
            return .reply(.failure(.unsupported))
        }
    }

    /// A request with one answer; `nil` from `read`: the answer is not what the protocol says.
    func ask(_ request: TransportRequest, _ read: @escaping (JSON) -> ServiceReply?) -> MatrixStep {
        .ask(request) { answer in .reply(MatrixQuestions.reply(answer, read)) }
    }

    static func reply(_ answer: MatrixAnswer, _ read: (JSON) -> ServiceReply?) -> ServiceReply {
        guard answer.isGood, let document = answer.document else { return .failure(ServiceFailure(answer)) }
        return read(document) ?? .failure(.malformed)
    }

    /// As `reply`, for rooms: of one that this user may not read, or that does not exist, the server says the same.
    static func reply(ofRoom answer: MatrixAnswer, _ read: (JSON) -> ServiceReply?) -> ServiceReply {
        guard answer.status == 403 else { return reply(answer, read) }
        var failure = ServiceFailure(answer)
        failure.kind = .notFound
        return .failure(failure)
    }

    // MARK: Channels

    /// Asks for everything as it is now, of all rooms or of one.
    private func whole(_ room: ChannelURL?) -> TransportRequest {
        // Servers keep the answer to the same request for a while. Another time to wait makes it another request, and
        // nothing is waited for where everything is asked for.
        api.sync(since: nil, wait: now.monotonic & 0xFFFF, timeout: timeout, room: room)
    }

    private func channels(_ answer: JSON, _ moreState: [JSON] = []) -> [ChannelRecord]? {
        var memory = RoomMemory()
        let reader = SyncReader(
            userID: userID, heardAt: now.wall, since: nil, isListing: true, moreState: moreState)
        return reader.read(answer, &memory)?.channels
    }

    /// Some servers leave the event that created the room out of the answer about one room alone. It has to be known,
    /// since a room that was created at another time would count as another channel.
    func channel(_ url: ChannelURL) -> MatrixStep {
        let creation = creation(url)
        return .ask(whole(url)) { answer in
            guard answer.isGood, let document = answer.document, let found = channels(document) else {
                return .reply(MatrixQuestions.reply(answer) { _ in nil })
            }
            guard let channel = found.first(where: { $0.url == url }) else {
                return .reply(.failure(.notFound("\(url) is no room of this user")))
            }
            if channel.createdAt > 0 || channel.traits.memberState != "joined" { return .reply(.channel(channel)) }
            return .ask(creation) { answer in
                .reply(MatrixQuestions.reply(ofRoom: answer) { event in
                    channels(document, [event])?.first { $0.url == url }.map { .channel($0) }
                })
            }
        }
    }

    /// Asks for the event with which a room began.
    func creation(_ url: ChannelURL) -> TransportRequest {
        api.request("GET", ["rooms", url.text, "state", "m.room.create"], [("format", "event")], timeout: timeout)
    }

    // MARK: Messages

    private func reader(_ url: ChannelURL, _ state: JSON?, _ events: [JSON]) -> EventReader {
        var reader = EventReader(room: url, heardAt: now.wall)
        reader.learn(state?.array ?? [])
        reader.learn(events)
        return reader
    }

    private func page(
        _ history: RoomHistory, _ edge: HistoryEdge, _ direction: PageDirection, _ limit: Int, _ until: HistoryEdge?
    ) -> MatrixStep {
        // Towards newer messages the stream's own place is the end: what is behind it the stream tells.
        let bound = until?.token ?? (direction == .next ? streamToken : nil)
        let request = api.page(
            history, from: edge.token, direction, until: bound, limit: min(max(limit, 1), MatrixQuestions.pageSize),
            timeout: timeout)
        let end = HistoryEdge(edge.position, token: streamToken)
        return .ask(request) { answer in
            .reply(MatrixQuestions.reply(ofRoom: answer) { document in
                guard let chunk = document["chunk"]?.array else { return nil }
                let events = direction == .previous ? Array(chunk.reversed()) : chunk
                let page = TimelinePage(
                    events, reader(history.room, document["state"], events), thread: history.parent)
                return .messages(page.page(
                    from: edge, to: document[history.isThread ? "next_batch" : "end"]?.string, direction,
                    until: until, end: direction == .next ? end : nil))
            })
        }
    }

    /// The newest messages go backwards from the stream's place; those about a time are found by the event next to it.
    private func around(_ url: ChannelURL, _ time: Int64, _ limit: Int) -> MatrixStep {
        let newest = newest(RoomHistory(room: url), limit)
        guard time < Int64.max else { return newest }
        let request = api.request(
            "GET", ["rooms", url.text, "timestamp_to_event"], [("ts", String(max(time, 0))), ("dir", "f")],
            timeout: timeout, version: "v1")
        return .ask(request) { answer in
            // Nothing is as late as that.
            if answer.status == 404 { return newest }
            guard answer.isGood, let id = answer.document?["event_id"]?.string else {
                return .reply(MatrixQuestions.reply(ofRoom: answer) { _ in nil })
            }
            return .ask(api.context(url, MessageID(id), limit: 2 * limit, timeout: timeout)) { answer in
                .reply(MatrixQuestions.reply(ofRoom: answer) { context(url, $0) })
            }
        }
    }

    private func newest(_ history: RoomHistory, _ limit: Int) -> MatrixStep {
        let end = HistoryEdge(MessagePosition(order: now.wall, tie: 0), token: streamToken)
        return changed(page(history, end, .previous, limit, nil)) { page in
            page.reachedNewest = true
            if let last = page.messages.last { page.range?.end.position = last.position }
            if page.messages.isEmpty, page.reachedFirst { page.range = nil }
            return .reply(.messages(page))
        }
    }

    /// Goes on with the page that is the reply.
    private func changed(_ step: MatrixStep, _ then: @escaping (inout MessagePage) -> MatrixStep) -> MatrixStep {
        switch step {
        case .ask(let request, let read): return .ask(request) { changed(read($0), then) }
        case .reply(.messages(var page)): return then(&page)
        case .reply: return step
        }
    }

    /// The server does not find replies by time: pages go back from the newest one until one is that old.
    private func replies(_ thread: RoomHistory, back time: Int64, _ limit: Int) -> MatrixStep {
        guard time < Int64.max else { return newest(thread, limit) }
        return changed(newest(thread, MatrixQuestions.pageSize)) { older(thread, $0, back: time, pages: 1) }
    }

    private func older(_ thread: RoomHistory, _ page: MessagePage, back time: Int64, pages: Int) -> MatrixStep {
        let isThere = page.messages.first.map { $0.position.order < time } ?? false
        guard !isThere, !page.reachedFirst, pages < MatrixQuestions.mostPages, let start = page.range?.start else {
            return .reply(.messages(page))
        }
        return changed(self.page(thread, start, .previous, MatrixQuestions.pageSize, nil)) { before in
            before.messages += page.messages
            before.relations.added += page.relations.added
            before.relations.removed += page.relations.removed
            before.deletedIDs += page.deletedIDs
            before.reachedNewest = page.reachedNewest
            if let end = page.range?.end { before.range?.end = end }
            return older(thread, before, back: time, pages: pages + 1)
        }
    }

    private func context(_ url: ChannelURL, _ document: JSON) -> ServiceReply? {
        guard let start = document["start"]?.string, let end = document["end"]?.string else { return nil }
        let before = (document["events_before"]?.array ?? []).reversed()
        let events = before + (document["event"].map { [$0] } ?? []) + (document["events_after"]?.array ?? [])
        let page = TimelinePage(Array(events), reader(url, document["state"], Array(events)))
        return .messages(page.island(from: start, to: end))
    }

    private func message(_ url: ChannelURL, _ id: MessageID) -> MatrixStep {
        .ask(api.request("GET", ["rooms", url.text, "event", id.text], timeout: timeout)) { answer in
            .reply(MatrixQuestions.reply(ofRoom: answer) { event in
                record(url, event).map { .message($0) } ?? .failure(.notFound("\(id) is no message"))
            })
        }
    }

    /// A message as an event has it, with the edit that is bundled with it.
    func record(_ url: ChannelURL, _ event: JSON) -> MessageRecord? {
        guard case .message(var message, let edit) = reader(url, nil, []).read(event) else { return nil }
        if let edit {
            message.json = MatrixRules().folded(message.json, with: [edit])
            message.updatedAt = edit.order
        }
        return message
    }

    // MARK: Sending

    /// Nothing goes in clear to a room that is encrypted. Of a room of which the stream has not told, the server is
    /// asked.
    func send(_ url: ChannelURL, _ requestID: RequestID, _ body: [UInt8]) -> MatrixStep {
        guard let content = MatrixQuestions.content(body) else { return .reply(.failure(.unsupported)) }
        return sending(url, type: "m.room.message", requestID: requestID.text, content) { answer in
            answer["event_id"]?.string.map { .reply(.accepted(MessageID($0))) } ?? .reply(.failure(.malformed))
        }
    }

    /// Sends an event unless the room is encrypted.
    func sending(
        _ url: ChannelURL, type: String, requestID: String, _ content: JSON, _ then: @escaping (JSON) -> MatrixStep
    ) -> MatrixStep {
        let request = api.send(url, type: type, requestID: requestID, content, timeout: timeout)
        let sent: (MatrixAnswer) -> MatrixStep = { answer in
            guard answer.isGood, let document = answer.document else {
                return .reply(.failure(ServiceFailure(answer)))
            }
            return then(document)
        }
        switch memory.isEncrypted[url] {
        case true?: return .reply(.failure(.encrypted))
        case false?: return .ask(request, sent)
        case nil:
            let state = api.request("GET", ["rooms", url.text, "state", "m.room.encryption"], timeout: timeout)
            return .ask(state) { answer in
                if answer.status == 404 { return .ask(request, sent) }
                if answer.isGood { return .reply(.failure(.encrypted)) }
                return .reply(.failure(ServiceFailure(answer)))
            }
        }
    }

    /// The content of a text message; `nil` for what cannot be sent yet.
    private static func content(_ body: [UInt8]) -> JSON? {
        guard let document = try? JSON.parse(body), document.kind == .object,
            !OwnMessageDocument.isFile(document)
        else { return nil }
        let content = text(document["message"]?.string ?? "", document["mentioned_user_ids"])
        if document["custom_type"]?.string == "m.notice" { content.set("msgtype", "m.notice") }
        if document["custom_type"]?.string == "m.emote" { content.set("msgtype", "m.emote") }
        if let parent = document["parent_message_id"]?.string, !parent.isEmpty {
            content.set("m.relates_to", .object([
                "rel_type": .string(RelationKind.thread), "event_id": .string(parent),
            ]))
        }
        return content
    }

    static func text(_ text: String, _ mentioned: JSON?) -> JSON {
        let content = JSON.object(["msgtype": "m.text", "body": .string(text)])
        let mentions = JSON.object()
        if let mentioned, mentioned.count > 0 { mentions.set("user_ids", mentioned) }
        content.set("m.mentions", mentions)
        return content
    }
}
