import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests about messages of a channel, their reactions and their other parts.
struct MessageRoutes: Routes {
    let context: RouteContext

    func listMessages(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let caller = try caller(request, as: request.query["user_id"])
        let reader = try chat.access.reader(caller, channel)
        return HTTPResponse(
            body: try chat.lists.messages(for: reader, MessageListQuery(request.query, isAdmin: caller.isAdmin)))
    }

    func messageChanges(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let reader = try chat.access.reader(try caller(request, as: request.query["user_id"]), channel)
        return HTTPResponse(body: try chat.lists.messageChanges(for: reader, MessageChangesQuery(request.query)))
    }

    func gap(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let reader = try chat.access.reader(try caller(request, as: request.query["user_id"]), channel)
        return HTTPResponse(body: try chat.lists.gap(for: reader, GapQuery(request.query)))
    }

    func markAsDelivered(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let payload = try request.payload()
        let caller = try caller(request, as: try payload.string("user_id"))
        let time = try payload.int("ts") ?? chat.now
        try chat.reading.markDelivered(caller, channel, at: time)
        return HTTPResponse(.object(["ts": .int(time)]))
    }

    func unreadOfMembers(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        try chat.access.checkReading(try caller(request), channel)
        let ids = request.query.choice("user_ids", "user_id")?.sorted()
        let counts = JSON.object()
        for (id, count) in try chat.contents.unreadCounts(in: channel, of: ids) { counts.set(id, .int(count)) }
        return HTTPResponse(.object(["unread": counts]))
    }

    func countMessages(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let reader = try chat.access.reader(try caller(request), channel)
        return HTTPResponse(.object(["total": .int(Int64(try chat.contents.messageCount(for: reader)))]))
    }

    func send(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let payload = try request.payload()
        let kind = try kind(payload)
        var caller = try caller(request, as: kind == .admin ? nil : try payload.string("user_id"))
        if kind == .admin {
            guard caller.isAdmin else { throw Refusal.unauthorized("an API token is needed") }
            _ = try payload.string("user_id")
            caller = Caller(userID: "", isAdmin: true)
        } else if caller.userID.isEmpty {
            throw Refusal.missing("user_id")
        }
        let input = try input(request, kind, caller)
        let isShort = try payload.bool("include_poll_details") == false
        return HTTPResponse(
            body: try chat.sending.send(input, caller, channel).message.bytes(isShort ? [.all, .shortPoll] : .all))
    }

    func kind(_ payload: Fields) throws -> MessageRow.Kind {
        switch try payload.string("message_type") ?? "MESG" {
        case "MESG": return .text
        case "FILE": return .file
        case "ADMM": return .admin
        default: throw Refusal.invalid("message_type", "MESG, FILE or ADMM is expected")
        }
    }

    /// A message as a request brings it, its file stored.
    func input(_ request: RoutedRequest, _ kind: MessageRow.Kind, _ caller: Caller) throws -> MessageInput {
        let payload = try request.payload()
        if kind == .file, let file = try request.file("file") {
            let stored = try FileRoutes(context: context).store(ofMessage: file, request)
            payload.json.set("url", .string(stored.url))
            payload.json.set("thumbnails", stored.thumbnails)
            payload.json.set("file_name", .string(try payload.string("file_name") ?? file.name))
            payload.json.set("file_type", .string(try payload.string("file_type") ?? file.type))
            payload.json.set("file_size", .int(file.content.count))
        }
        var input = try MessageInput(payload, kind: kind, limit: chat.options.maximumMessageLength)
        // A user who sends has read the channel, unless the body says otherwise.
        input.marksAsRead = try payload.bool("mark_as_read") ?? true
        if caller.isAdmin, let time = try payload.int("created_at"), time > 0 {
            guard time <= chat.now else { throw Refusal.outOfRange("created_at") }
            input.createdAt = time
        }
        return input
    }

    func markAsRead(_ request: RoutedRequest) throws -> HTTPResponse {
        let channel = try channel(request)
        let payload = try request.payload()
        let caller = try caller(request, as: try payload.string("user_id"))
        guard !caller.userID.isEmpty else { throw Refusal.missing("user_id") }
        let uniqueID = try payload.string("unique_id")
        if try payload.bool("is_excluded") == true {
            guard let id = try payload.int("message_id") else { throw Refusal.missing("message_id") }
            _ = try chat.reading.markUnread(caller, channel, from: id, uniqueID: uniqueID)
        } else {
            try chat.reading.markRead(caller, channel.id, uniqueID: uniqueID)
        }
        let member = try chat.contents.membership(caller.userID, in: channel)
        return HTTPResponse(
            .object([
                "channel_url": .string(channel.url), "ts": .int(member?.lastRead ?? 0),
                "unread_message_count": .int(member?.unread(in: channel) ?? 0),
            ]))
    }

    // MARK: One message

    /// The channel and the message's number that the path names; without a number, there is no such address.
    private func place(_ request: RoutedRequest) throws -> (channel: ChannelRow, id: Int64) {
        let channel = try channel(request)
        guard let id = Int64(request["message"]) else { throw Refusal.noEndpoint() }
        return (channel, id)
    }

    func viewMessage(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id) = try place(request)
        let message = try chat.contents.message(id, for: try chat.access.reader(try caller(request), channel))
        return HTTPResponse(body: message.bytes(MessageRow.Parts(request.query)))
    }

    func editMessage(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id) = try place(request)
        let payload = try request.payload()
        let caller = try caller(request, as: try payload.string("user_id"))
        return HTTPResponse(body: try chat.edits.edit(id, payload, caller, channel).message.bytes(.all))
    }

    func deleteMessage(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id) = try place(request)
        try chat.edits.delete(id, try caller(request), channel)
        return .empty
    }

    // MARK: Parts of a message

    private typealias AskedMessage = (channel: ChannelRow, id: Int64, payload: Fields, caller: Caller)

    /// The message whose part is meant, and who asks with what.
    private func message(_ request: RoutedRequest) throws -> AskedMessage {
        let (channel, id) = try place(request)
        let payload = try request.payload()
        let named = try payload.string("user_id")
        return (channel, id, payload, try caller(request, as: named ?? request.query["user_id"]))
    }

    func react(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id, payload, caller) = try message(request)
        guard !caller.userID.isEmpty else { throw Refusal.missing("user_id") }
        let key = try payload.string("reaction") ?? request.query.text("reaction")
        return HTTPResponse(try chat.reactions.react(id, key, caller, channel, adds: request.method == "POST"))
    }

    func listReactions(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id, _, caller) = try message(request)
        try chat.access.checkReading(caller, channel)
        let message = try chat.contents.message(id, in: channel)
        let withUsers = request.query.bool("list_users", default: true)
        let result = JSON.object()
        for entry in message.reactions.flatMap({ try? JSON.parse($0) })?.array ?? [] {
            guard let key = entry["key"]?.string else { continue }
            let users = entry["user_ids"] ?? .array()
            result.set(key, withUsers ? users : .int(Int64(users.count)))
        }
        return HTTPResponse(result)
    }

    func pin(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id, _, caller) = try message(request)
        try chat.pins.pin(id, caller, channel, adds: request.method == "POST")
        return .empty
    }

    func changeExtraData(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id, payload, caller) = try message(request)
        let keys = try payload.strings("keys").map { TextSet($0) } ?? request.query.choice("keys") ?? []
        let mode = try payload.string("mode") ?? "add"
        guard mode == "add" || mode == "remove" else {
            throw Refusal.invalid("mode", "add or remove is expected")
        }
        let change = JSON.object([
            "array": payload["sorted_metaarray"] ?? payload["metaarray"]
                ?? .array(keys.sorted().map { .object(["key": .string($0), "value": .array()]) }),
            "mode": request.method == "DELETE" ? "remove" : .string(mode),
            "upsert": .bool(try request.method == "POST" || payload.bool("upsert") ?? true),
        ])
        let edit = Fields(.object(["metaarray": change]))
        return HTTPResponse(body: try chat.edits.editExtraData(id, edit, caller, channel).message.bytes(.all))
    }

    func translate(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, id, payload, caller) = try message(request)
        return HTTPResponse(body: try chat.edits.translate(id, payload, caller, channel).bytes(.all))
    }

    func noPartOfMessage(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try message(request)
        throw Refusal.noEndpoint()
    }
}
