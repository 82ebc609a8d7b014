import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

extension Router {
    /// sdk/…: what clients ask of the application as a whole.
    func sdk(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        switch (request.method, path) {
        case ("GET", ["applications", "settings"]):
            _ = try caller(request)
            let query = request.query
            let limit = try max(1, query.limit(default: 100, max: 1000))
            return HTTPResponse(
                try chat.settingsChanges(since: try query.int("ts") ?? 0, token: query.text("token"), limit: limit))
        case ("POST", ["statistics"]):
            _ = try caller(request)
            return .empty
        default: throw Refusal.noEndpoint()
        }
    }

    /// applications/…
    func applications(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        try administrator(request)
        switch (request.method, path) {
        case ("GET", ["dau"]): return try activeUsers(request, "dau", isMonth: false)
        case ("GET", ["mau"]): return try activeUsers(request, "mau", isMonth: true)
        case ("GET", ["ccu"]):
            return HTTPResponse(.object(["ccu": .int(Int64(Set(chat.hub.all.map(\.userID)).count))]))
        case ("GET", ["settings_global"]): return HTTPResponse(try globalSettings())
        case ("GET", ["default_channel_invitation_preference"]):
            return HTTPResponse(.object(["auto_accept": .bool(try chat.invitesAtOnce())]))
        case ("PUT", ["default_channel_invitation_preference"]):
            guard let value = try request.payload().bool("auto_accept") else { throw Refusal.missing("auto_accept") }
            let json = JSON.object(["auto_accept": .bool(value)])
            try storage.save(.setting, "default_channel_invitation_preference", at: chat.now, json)
            return HTTPResponse(json)
        default: throw Refusal.noEndpoint()
        }
    }

    /// What holds for the whole application, as told at login.
    private func globalSettings() throws -> JSON {
        .object([
            "max_length_message": .int(Int64(chat.options.maximumMessageLength)),
            "file_upload_size_limit": .int(Int64(Chat.fileLimit)),
            "auto_accept": .bool(try chat.invitesAtOnce()), "session_token_ttl": .int(chat.options.sessionLife),
        ])
    }

    private func activeUsers(_ request: HTTPRequest, _ name: String, isMonth: Bool) throws -> HTTPResponse {
        let today = CivilDate(daysSinceEpoch: chat.now / Storage.day)
        let text = request.query.text("date")
        let form = isMonth ? "YYYY-MM" : "YYYY-MM-DD"
        guard let date = text.isEmpty ? today : CivilDate(isMonth ? text + "-01" : text) else {
            throw Refusal.invalid("date", "\(form) is expected")
        }
        let days = isMonth ? date.wholeMonth : date.daysSinceEpoch...date.daysSinceEpoch
        let count = try storage.activeUsers(from: days.lowerBound, to: days.upperBound)
        let result = JSON.object()
        result.set(name, .int(count))
        return HTTPResponse(result)
    }

    /// migration/{url}: messages that were sent elsewhere, each with its time.
    func migration(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        try administrator(request)
        guard request.method == "POST", path.count == 1 else { throw Refusal.noEndpoint() }
        let channel = try chat.channel(path[0])
        let payload = try request.payload()
        // Read marks stay: what is migrated is unread for nobody.
        for key in ["update_read_ts", "rewind_read_ts"] { _ = try payload.bool(key) }
        guard let messages = payload["messages"]?.array else { throw Refusal.missing("messages") }
        guard messages.count <= 100 else { throw Refusal.tooMany("messages") }
        try storage.transaction {
            for message in messages {
                let entry = Fields(message)
                let kind = try messageKind(entry)
                guard let time = try entry.int("timestamp") else { throw Refusal.missing("timestamp") }
                guard time > 0, time <= chat.now else { throw Refusal.outOfRange("timestamp") }
                let sender = kind == .admin ? "" : try chat.activeUser(try entry.required("user_id")).id
                var input = try MessageInput(entry, kind: kind, limit: chat.options.maximumMessageLength)
                input.createdAt = time
                input.isHistory = true
                input.marksAsRead = false
                // A sender may have left long ago.
                try chat.addHistory(input, sender, try chat.channel(channel.url))
            }
        }
        return .empty
    }
}
