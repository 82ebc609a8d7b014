import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

extension Router {
    /// group_channels/{url}/scheduled_messages[/{id}[/send_now]]
    func scheduledMessages(_ request: HTTPRequest, _ channel: ChannelRow, _ rest: [String]) throws -> HTTPResponse {
        let payload = try request.payload()
        let caller = try caller(request, as: try payload.string("user_id") ?? request.query["user_id"])
        guard let word = rest.first else {
            guard request.method == "POST" else { throw Refusal.noEndpoint() }
            let input = try messageInput(request, try messageKind(payload), caller)
            return HTTPResponse(Chat.shown(try chat.schedule(payload, input, caller, channel)))
        }
        guard let id = Int64(word) else { throw Refusal.noEndpoint() }
        let document = try chat.scheduledMessage(id, in: channel)
        guard caller.isAdmin || document.json["user_id"]?.string == caller.userID else {
            throw Refusal.unauthorized("a user sees its own scheduled messages")
        }
        switch (request.method, rest.count) {
        case ("GET", 1): return HTTPResponse(Chat.shown(document.json))
        case ("PUT", 1): return HTTPResponse(Chat.shown(try chat.reschedule(document, payload)))
        case ("DELETE", 1):
            try chat.cancelScheduled(document)
            return .empty
        case ("POST", 2) where rest[1] == "send_now", ("PUT", 2) where rest[1] == "send_now":
            try chat.sendScheduled(document)
            return HTTPResponse(Chat.shown(try chat.scheduledMessage(id, in: channel).json))
        default: throw Refusal.noEndpoint()
        }
    }

    /// scheduled_messages, scheduled_messages/count: a user's own, or all for the administration.
    func allScheduledMessages(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        guard request.method == "GET", path.isEmpty || path == ["count"] else { throw Refusal.noEndpoint() }
        let caller = try caller(request, as: request.query["user_id"])
        let query = request.query
        let url = query.text("channel_url")
        let states = query.choice("status", "scheduled_status")
        let types = query.text("message_type")
        _ = query["channel_type"]
        let byCreation = query.text("order") == "created_at"
        var found = try storage.documents(.scheduled).map(\.json).filter { json in
            (caller.userID.isEmpty || json["user_id"]?.string == caller.userID)
                && (url.isEmpty || json["channel_url"]?.string == url)
                && (states?.contains(json["status"]?.string ?? "") ?? true)
                && (types.isEmpty || json["type"]?.string == types)
        }
        if path == ["count"] {
            return HTTPResponse(.object(["count": .int(Int64(found.count))]))
        }
        let key = byCreation ? "created_at" : "scheduled_at"
        found.sort { ($0[key]?.int ?? 0) < ($1[key]?.int ?? 0) }
        if query.bool("reverse") { found.reverse() }
        let page = try Page(of: found, query)
        return HTTPResponse(
            .object([
                "scheduled_messages": .array(page.items.map(Chat.shown)), "next": .string(page.next),
            ]))
    }

    /// announcements[/{id}]
    func announcements(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        try administrator(request)
        switch (request.method, path.count) {
        case ("POST", 0): return HTTPResponse(try chat.scheduleAnnouncement(try request.payload()))
        case ("GET", 0):
            let states = request.query.choice("status")
            let found = try storage.documents(.announcement).map(\.json)
                .filter { states?.contains($0["status"]?.string ?? "") ?? true }
            let page = try Page(of: found, request.query)
            return HTTPResponse(.object(["announcements": .array(Array(page.items)), "next": .string(page.next)]))
        default: break
        }
        guard path.count == 1 else { throw Refusal.noEndpoint() }
        guard let json = try storage.document(.announcement, path[0]) else {
            throw Refusal(400_201, "\"Announcement\" not found.")
        }
        switch request.method {
        case "GET": return HTTPResponse(json)
        case "PUT":
            let payload = try request.payload()
            if let action = try payload.string("action") {
                let known = ["cancel": "canceled", "remove": "removed", "pause": "paused", "resume": "scheduled"]
                guard let status = known[action] else {
                    throw Refusal.invalid("action", "cancel, remove, pause or resume is expected")
                }
                guard json["status"]?.string != "completed" else {
                    throw Refusal.invalid("action", "the announcement has gone out")
                }
                json.set("status", .string(status))
            }
            if let time = try payload.int("scheduled_at") { json.set("scheduled_at", .int(time)) }
            let waits = json["status"]?.string == "scheduled"
            let due = waits ? max(json["scheduled_at"]?.int ?? 0, 1) : 0
            try storage.save(.announcement, path[0], at: chat.now, due: due, json)
            chat.arrange(at: due)
            return HTTPResponse(json)
        default: throw Refusal.noEndpoint()
        }
    }
}
