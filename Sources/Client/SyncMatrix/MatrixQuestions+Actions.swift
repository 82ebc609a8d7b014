import SyncBytes
import SyncJSON
import SyncModel

// What hosts ask for by name.
extension MatrixQuestions {
    static let offered = otherActions.union(memberActions.map { Action.member($0) })

    private static let otherActions: Set<Action> = [
        .message(.editMessage), .message(.deleteMessage), .message(.addReaction), .message(.removeReaction),
        .reading(.markAsRead), .reading(.startTyping), .reading(.endTyping), .member(.invite),
        .member(.acceptInvitation), .member(.declineInvitation), .member(.join), .member(.leave),
        .channel(.getChannel), .channel(.getMessage), .channel(.createChannel), .channel(.updateChannel),
        .channel(.listPublicChannels), .user(.updateProfile), .user(.reportMessage),
    ]

    private static let typingTime: Int64 = 10_000

    func action(_ call: ActionCall) -> MatrixStep {
        let url = call.channelURL
        let id = call.messageID
        switch call.action {
        case .message(.editMessage): return edit(call, url, id)
        case .message(.deleteMessage):
            return redact(url, id) { MatrixQuestions.done([.messageDeleted(channelURL: url, messageID: id)]) }
        case .message(.addReaction): return react(url, id, call.text("key") ?? "")
        case .message(.removeReaction): return takeBack(url, id, call.text("key") ?? "")
        case .reading(.markAsRead): return markAsRead(url)
        case .reading(.startTyping), .reading(.endTyping):
            let isTyping = call.action == .reading(.startTyping)
            let body = JSON.object(["typing": .bool(isTyping)])
            if isTyping { body.set("timeout", .int(MatrixQuestions.typingTime)) }
            return post("PUT", ["rooms", url.text, "typing", userID.text], body) { _ in MatrixQuestions.done() }
        case .member(.invite): return invite(url, call.texts("user_ids") ?? [])
        case .member(.acceptInvitation), .member(.join):
            return post("POST", ["join", url.text], .object()) { _ in answered(url, Cause(.eventUserJoined)) }
        case .member(.declineInvitation), .member(.leave):
            let source = call.action == .member(.leave)
                ? EventSource.eventUserLeft : .eventUserDeclinedInvitation
            return post("POST", ["rooms", url.text, "leave"], .object()) { _ in
                MatrixQuestions.done([.channel(url: url, .removed(Cause(source)))])
            }
        case .channel(.getChannel): return answered(url, Cause(.channelRefresh))
        case .channel(.getMessage): return mapped(question(.getMessage(channelURL: url, messageID: id)))
        case .channel(.createChannel): return create(call)
        case .channel(.updateChannel): return update(call, url)
        case .channel(.listPublicChannels): return publicRooms(call)
        case .user(.updateProfile): return updateProfile(call)
        case .user(.reportMessage): return report(call, url, id)
        case .member(let member): return members(member, call)
        default: return .reply(.failure(.unsupported))
        }
    }

    // MARK: Shapes

    static func done(_ events: [ServiceEvent] = [], _ result: [UInt8]? = nil) -> MatrixStep {
        .reply(.action(ActionReply(result: result, events: events)))
    }

    /// A request that changes something.
    func post(
        _ method: String, _ path: [String], _ body: JSON, _ then: @escaping (JSON) -> MatrixStep
    ) -> MatrixStep {
        .ask(api.request(method, path, [], body, timeout: timeout)) { answer in
            guard answer.isGood, let document = answer.document else {
                return .reply(.failure(ServiceFailure(answer)))
            }
            return then(document)
        }
    }

    /// The reply with a message or a channel becomes that to an action.
    private func mapped(_ step: MatrixStep, _ cause: Cause = Cause(.channelRefresh)) -> MatrixStep {
        switch step {
        case .reply(.message(let message)): MatrixQuestions.done([], message.json)
        case .reply(.channel(let channel)):
            MatrixQuestions.done([.channelAnswered(channel, cause)], channel.json)
        case .reply: step
        case .ask(let request, let then): .ask(request) { mapped(then($0), cause) }
        }
    }

    /// Asks for a channel, which becomes the result.
    private func answered(_ url: ChannelURL, _ cause: Cause) -> MatrixStep {
        mapped(channel(url), cause)
    }

    /// The server knows a request by this: repeated under it, it is the same one.
    private var requestID: String { "a\(now.wall).\(now.monotonic)" }

    // MARK: Messages

    private func edit(_ call: ActionCall, _ url: ChannelURL, _ id: MessageID) -> MatrixStep {
        guard let text = call.text("message") else { return .reply(.failure(.unsupported)) }
        let mentioned = call.texts("mentioned_user_ids").map { JSON.strings($0) }
        let content = MatrixQuestions.text("* " + text, mentioned)
        content.set("m.new_content", MatrixQuestions.text(text, mentioned))
        content.set("m.relates_to", .object([
            "rel_type": .string(RelationKind.edit), "event_id": .string(id.text),
        ]))
        return sending(url, type: "m.room.message", requestID: requestID, content) { _ in
            mapped(question(.getMessage(channelURL: url, messageID: id)))
        }
    }

    private func redact(
        _ url: ChannelURL, _ id: MessageID, _ then: @escaping () -> MatrixStep
    ) -> MatrixStep {
        post("PUT", ["rooms", url.text, "redact", id.text, requestID], .object()) { _ in then() }
    }

    private func react(_ url: ChannelURL, _ id: MessageID, _ key: String) -> MatrixStep {
        let content = JSON.object(["m.relates_to": .object([
            "rel_type": .string(RelationKind.reaction), "event_id": .string(id.text), "key": .string(key),
        ])])
        let result = JSON.object(["key": .string(key), "user_id": .string(userID.text)]).serialized()
        let question = sending(url, type: "m.reaction", requestID: requestID, content) { _ in
            MatrixQuestions.done([], result)
        }
        guard case .ask(let request, let then) = question else { return question }
        return .ask(request) { answer in
            // It is there already.
            if answer.document?["errcode"]?.string == "M_DUPLICATE_ANNOTATION" {
                return MatrixQuestions.done([], result)
            }
            return then(answer)
        }
    }

    /// A reaction is taken back by the id of its own event, which the server is asked for.
    private func takeBack(_ url: ChannelURL, _ id: MessageID, _ key: String) -> MatrixStep {
        let result = JSON.object(["key": .string(key), "user_id": .string(userID.text)]).serialized()
        let request = api.request(
            "GET", ["rooms", url.text, "relations", id.text, RelationKind.reaction, "m.reaction"],
            [("limit", "100")], timeout: timeout, version: "v1")
        return .ask(request) { answer in
            guard answer.isGood, let chunk = answer.document?["chunk"]?.array else {
                return .reply(.failure(ServiceFailure(answer)))
            }
            let own = chunk.first { event in
                event["sender"]?.string?.isByteEqual(to: userID.text) == true
                    && event["content"]?["m.relates_to"]?["key"]?.string?.isByteEqual(to: key) == true
            }
            guard let reaction = own?["event_id"]?.string else { return MatrixQuestions.done([], result) }
            return redact(url, MessageID(reaction)) {
                let changes = RelationChanges(removed: [MessageID(reaction)])
                return MatrixQuestions.done(
                    [.messageRelations(channelURL: url, changes, Cause(.eventReactionUpdated))], result)
            }
        }
    }

    // MARK: Channels

    /// Up to the newest event that the stream has told; of a room of which it has told nothing, up to the newest one.
    private func markAsRead(_ url: ChannelURL) -> MatrixStep {
        func receipt(_ id: String) -> MatrixStep {
            post("POST", ["rooms", url.text, "receipt", "m.read", id], .object()) { _ in MatrixQuestions.done() }
        }
        if let id = memory.newest[url] { return receipt(id.text) }
        let newest = api.page(
            RoomHistory(room: url), from: streamToken, .previous, until: nil, limit: 1, timeout: timeout)
        return .ask(newest) { answer in
            guard answer.isGood, let chunk = answer.document?["chunk"]?.array else {
                return .reply(MatrixQuestions.reply(ofRoom: answer) { _ in nil })
            }
            return chunk.first?["event_id"]?.string.map { receipt($0) } ?? MatrixQuestions.done()
        }
    }

    /// One after the other.
    private func invite(_ url: ChannelURL, _ ids: [String]) -> MatrixStep {
        guard let first = ids.first else { return answered(url, Cause(.eventUserReceivedInvitation)) }
        return post("POST", ["rooms", url.text, "invite"], .object(["user_id": .string(first)])) { _ in
            invite(url, Array(ids.dropFirst()))
        }
    }

    private func create(_ call: ActionCall) -> MatrixStep {
        let isPublic = call.flag("is_public") ?? false
        let body = JSON.object([
            "preset": .string(isPublic ? "public_chat" : "private_chat"),
            "invite": .strings((call.texts("user_ids") ?? []).filter { !$0.isByteEqual(to: userID.text) }),
        ])
        if let name = call.text("name") { body.set("name", .string(name)) }
        return post("POST", ["createRoom"], body) { answer in
            guard let room = answer["room_id"]?.string else { return .reply(.failure(.malformed)) }
            return answered(ChannelURL(room), Cause(.eventChannelCreated))
        }
    }

    // MARK: Rooms and users

    /// Requests that change something, one after the other.
    private func post(
        _ bodies: [(path: [String], body: JSON)], _ then: @escaping () -> MatrixStep
    ) -> MatrixStep {
        guard let first = bodies.first else { return then() }
        return post("PUT", first.path, first.body) { _ in post(Array(bodies.dropFirst()), then) }
    }

    /// Rooms have a name and a picture, and nothing else that a channel has.
    private func update(_ call: ActionCall, _ url: ChannelURL) -> MatrixStep {
        guard call.hasOnly(["channel_url", "name", "cover_url"]) else { return .reply(.failure(.unsupported)) }
        var changes: [(path: [String], body: JSON)] = []
        if let name = call.text("name") {
            changes.append((["rooms", url.text, "state", "m.room.name"], .object(["name": .string(name)])))
        }
        if let cover = call.text("cover_url") {
            changes.append((["rooms", url.text, "state", "m.room.avatar"], .object(["url": .string(cover)])))
        }
        return post(changes) { answered(url, Cause(.eventChannelChanged)) }
    }

    private func updateProfile(_ call: ActionCall) -> MatrixStep {
        guard call.hasOnly(["nickname", "profile_url"]) else { return .reply(.failure(.unsupported)) }
        let profile = ["profile", userID.text]
        var changes: [(path: [String], body: JSON)] = []
        if let name = call.text("nickname") {
            changes.append((profile + ["displayname"], .object(["displayname": .string(name)])))
        }
        if let picture = call.text("profile_url") {
            changes.append((profile + ["avatar_url"], .object(["avatar_url": .string(picture)])))
        }
        return post(changes) {
            .ask(api.request("GET", profile, timeout: timeout)) { answer in
                guard answer.isGood, let found = answer.document else {
                    return .reply(.failure(ServiceFailure(answer)))
                }
                let user = EventReader.user(userID, found["displayname"]?.string, found["avatar_url"]?.string)
                return MatrixQuestions.done([], user.serialized())
            }
        }
    }

    private func publicRooms(_ call: ActionCall) -> MatrixStep {
        guard call.hasOnly(["channel_name_contains", "limit", "token"]) else {
            return .reply(.failure(.unsupported))
        }
        let body = JSON.object(["limit": .int(call.integer("limit") ?? 20)])
        if let token = call.text("token"), !token.isEmpty { body.set("since", .string(token)) }
        if let name = call.text("channel_name_contains") {
            body.set("filter", .object(["generic_search_term": .string(name)]))
        }
        return post("POST", ["publicRooms"], body) { answer in
            guard let rooms = answer["chunk"]?.array else { return .reply(.failure(.malformed)) }
            let result = JSON.object([
                "channels": .array(rooms.compactMap(MatrixQuestions.publicRoom)),
                "next": .string(answer["next_batch"]?.string ?? ""),
            ])
            return MatrixQuestions.done([], result.serialized())
        }
    }

    private static func publicRoom(_ room: JSON) -> JSON? {
        guard let id = room["room_id"]?.string, !id.isEmpty else { return nil }
        // As one expression it takes the compiler 14 s.
        let members = JSON.int(max(0, room["num_joined_members"]?.int ?? 0))
        let name = room["name"]?.string ?? room["canonical_alias"]?.string ?? ""
        let coverURL = room["avatar_url"]?.string ?? ""
        let topic = room["topic"]?.string ?? ""
        return .object([
            "channel_url": .string(id), "is_public": true, "name": .string(name), "cover_url": .string(coverURL),
            "joined_member_count": members, "member_count": members,
            "metadata": .object(["topic": .string(topic)]),
        ])
    }

    private func report(_ call: ActionCall, _ url: ChannelURL, _ id: MessageID) -> MatrixStep {
        let category = call.text("category") ?? ""
        let description = call.text("description") ?? ""
        let reason = description.isEmpty ? category : category + ": " + description
        let result = JSON.object([
            "report_type": "message", "report_category": .string(category),
            "report_description": .string(description), "created_at": .int(now.wall),
            "channel_url": .string(url.text), "message_id": .string(id.text),
        ])
        return post("POST", ["rooms", url.text, "report", id.text], .object(["reason": .string(reason)])) { _ in
            MatrixQuestions.done([], result.serialized())
        }
    }
}

extension ActionCall {
    /// Whether the host named no other arguments. The engine's own ones begin with a bracket.
    fileprivate func hasOnly(_ keys: Set<String>) -> Bool {
        arguments.keys.allSatisfy { keys.contains($0) || $0.hasPrefix("(") }
    }
}
