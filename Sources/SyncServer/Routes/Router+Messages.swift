import SyncJSON

extension Router {
    /// What concerns the messages of a channel.
    func messages(_ request: HTTPRequest, _ channel: ChannelRow, _ rest: [String]) throws -> HTTPResponse {
        guard let word = rest.first else {
            switch request.method {
            case "GET":
                return HTTPResponse(
                    body: try chat.messages(channel, try caller(request, as: request.query["user_id"]), request.query))
            case "POST": return try send(request, channel)
            default: throw APIError.noEndpoint()
            }
        }
        switch (request.method, word, rest.count) {
        case ("GET", "changelogs", 1):
            return HTTPResponse(
                body: try chat.messageChanges(channel, try caller(request, as: request.query["user_id"]), request.query)
            )
        case ("PUT", "mark_as_read", 1): return try markAsRead(request, channel)
        case ("PUT", "mark_as_delivered", 1):
            let payload = try request.payload()
            let caller = try caller(request, as: try payload.string("user_id"))
            let time = try payload.int("ts") ?? chat.now
            try chat.markDelivered(caller, channel, at: time)
            return HTTPResponse(.object(["ts": .int(time)]))
        case ("GET", "total_count", 1):
            let member = try chat.checkReading(try caller(request), channel)
            var filter = MessageFilter()
            filter.replies = .all
            filter.offset = member?.offset ?? 0
            let count = try storage.count(channel.id, .upwards(0, .max), filter, limit: -1)
            return HTTPResponse(.object(["total": .int(Int64(count))]))
        default: break
        }
        guard let id = Int64(word) else { throw APIError.noEndpoint() }
        if rest.count == 1 { return try oneMessage(request, channel, id) }
        return try messagePart(request, channel, id, rest[1])
    }

    private func send(_ request: HTTPRequest, _ channel: ChannelRow) throws -> HTTPResponse {
        let payload = try request.payload()
        let kind: MessageRow.Kind
        switch try payload.string("message_type") ?? "MESG" {
        case "MESG": kind = .text
        case "FILE": kind = .file
        case "ADMM": kind = .admin
        default: throw APIError.invalid("message_type", "MESG, FILE or ADMM is expected")
        }
        var caller = try caller(request, as: kind == .admin ? nil : try payload.string("user_id"))
        if kind == .admin {
            guard caller.isAdmin else { throw APIError.unauthorized("an API token is needed") }
            caller = Caller(userID: "", isAdmin: true)
        } else if caller.userID.isEmpty {
            throw APIError.missing("user_id")
        }
        let input = try MessageInput(payload, kind: kind, limit: chat.options.maximumMessageLength)
        return HTTPResponse(body: try chat.send(input, caller, channel).message.bytes(.all))
    }

    private func markAsRead(_ request: HTTPRequest, _ channel: ChannelRow) throws -> HTTPResponse {
        let payload = try request.payload()
        let caller = try caller(request, as: try payload.string("user_id"))
        guard !caller.userID.isEmpty else { throw APIError.missing("user_id") }
        if try payload.bool("is_excluded") == true {
            guard let id = try payload.int("message_id") else { throw APIError.missing("message_id") }
            _ = try chat.markUnread(caller, channel, from: id, uniqueID: try payload.string("unique_id"))
        } else {
            try chat.markRead(caller, channel.id)
        }
        let member = try storage.membership(channel.id, caller.userID)
        return HTTPResponse(
            .object([
                "channel_url": .string(channel.url), "ts": .int(member?.lastRead ?? 0),
                "unread_message_count": .int(member?.unread(in: channel) ?? 0),
            ]))
    }

    private func oneMessage(_ request: HTTPRequest, _ channel: ChannelRow, _ id: Int64) throws -> HTTPResponse {
        switch request.method {
        case "GET":
            let member = try chat.checkReading(try caller(request), channel)
            guard let message = try storage.message(id, in: channel.id), message.createdAt >= member?.offset ?? 0 else {
                throw APIError.noMessage()
            }
            return HTTPResponse(body: message.bytes(Chat.messageParts(request.query)))
        case "PUT":
            let payload = try request.payload()
            let caller = try caller(request, as: try payload.string("user_id"))
            return HTTPResponse(body: try chat.edit(id, payload, caller, channel).message.bytes(.all))
        case "DELETE":
            try chat.delete(id, try caller(request), channel)
            return .empty
        default: throw APIError.noEndpoint()
        }
    }

    private func messagePart(_ request: HTTPRequest, _ channel: ChannelRow, _ id: Int64, _ part: String) throws
        -> HTTPResponse
    {
        let payload = try request.payload()
        let named = try payload.string("user_id")
        let caller = try caller(request, as: named ?? request.query["user_id"])
        switch (request.method, part) {
        case ("POST", "reactions"), ("DELETE", "reactions"):
            guard !caller.userID.isEmpty else { throw APIError.missing("user_id") }
            let key = try payload.string("reaction") ?? request.query.text("reaction")
            return HTTPResponse(try chat.react(id, key, caller, channel, adds: request.method == "POST"))
        case ("GET", "reactions"):
            try chat.checkReading(caller, channel)
            guard let message = try storage.message(id, in: channel.id) else { throw APIError.noMessage() }
            return HTTPResponse(
                body: Array("{\"reactions\":".utf8) + (message.reactions ?? Array("[]".utf8)) + Array("}".utf8))
        case ("POST", "pin"), ("DELETE", "pin"):
            try chat.pin(id, caller, channel, adds: request.method == "POST")
            return .empty
        case ("POST", "sorted_metaarray"), ("PUT", "sorted_metaarray"), ("DELETE", "sorted_metaarray"):
            let change = JSON.object()
            let keys = try payload.strings("keys") ?? request.query.list("keys")
            let list =
                payload["sorted_metaarray"] ?? .array(keys.map { .object(["key": .string($0), "value": .array()]) })
            change.set(
                "metaarray",
                .object([
                    "array": list, "mode": request.method == "DELETE" ? "remove" : "add", "upsert": true,
                ]))
            return HTTPResponse(body: try chat.edit(id, Payload(change), caller, channel).message.bytes(.all))
        default: throw APIError.noEndpoint()
        }
    }
}
