import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests about the application as a whole: its settings, its statistics, imports of messages.
struct ApplicationRoutes: Routes {
    let context: RouteContext

    /// How the application's settings have changed, as clients ask.
    func settingsChanges(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        let query = request.query
        let limit = try max(1, query.limit(default: 100, max: 1000))
        return HTTPResponse(
            try chat.application.settingsChanges(
                since: try query.int("ts") ?? 0, token: query.text("token"), limit: limit))
    }

    /// Clients send what they have counted; the server ignores it.
    func statistics(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        return .empty
    }

    func connectedUsers(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        return HTTPResponse(.object(["ccu": .int(Int64(TextSet(chat.hub.all.map(\.userID)).count))]))
    }

    func usualInvitation(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        return HTTPResponse(.object(["auto_accept": .bool(try chat.application.invitesAtOnce())]))
    }

    func changeUsualInvitation(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        guard let value = try request.payload().bool("auto_accept") else { throw Refusal.missing("auto_accept") }
        let json = JSON.object(["auto_accept": .bool(value)])
        try chat.application.setUsualInvitation(json)
        return HTTPResponse(json)
    }

    /// Any other request that only the administration could make.
    func noActionOfAdministration(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        throw Refusal.noEndpoint()
    }

    /// The settings of the whole application, as they are told at login.
    func globalSettings(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        return HTTPResponse(
            .object([
                "max_length_message": .int(Int64(chat.options.maximumMessageLength)),
                "file_upload_size_limit": .int(chat.options.fileLimit),
                "auto_accept": .bool(try chat.application.invitesAtOnce()),
                "session_token_ttl": .int(chat.options.sessionLife),
            ]))
    }

    func dailyUsers(_ request: RoutedRequest) throws -> HTTPResponse {
        try activeUsers(request, "dau", isMonth: false)
    }

    func monthlyUsers(_ request: RoutedRequest) throws -> HTTPResponse {
        try activeUsers(request, "mau", isMonth: true)
    }

    private func activeUsers(_ request: RoutedRequest, _ name: String, isMonth: Bool) throws -> HTTPResponse {
        try administrator(request)
        let today = CivilDate(daysSinceEpoch: chat.now / ActivityTable.day)
        let text = request.query.text("date")
        let form = isMonth ? "YYYY-MM" : "YYYY-MM-DD"
        guard let date = text.isEmpty ? today : CivilDate(isMonth ? text + "-01" : text) else {
            throw Refusal.invalid("date", "\(form) is expected")
        }
        let days = isMonth ? date.wholeMonth : date.daysSinceEpoch...date.daysSinceEpoch
        let count = try chat.users.activeUsers(on: days)
        let result = JSON.object()
        result.set(name, .int(count))
        return HTTPResponse(result)
    }

    func search(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request, as: request.query["user_id"])
        return HTTPResponse(try chat.search.messages(caller, SearchQuery(request.query)))
    }

    /// Messages that were sent elsewhere, each with its time.
    func migrate(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let channel = try chat.channel(request["url"])
        let payload = try request.payload()
        // Read marks stay: what is migrated is unread for nobody.
        for key in ["update_read_ts", "rewind_read_ts"] { _ = try payload.bool(key) }
        guard let messages = payload["messages"]?.array else { throw Refusal.missing("messages") }
        guard messages.count <= 100 else { throw Refusal.tooMany("messages") }
        try chat.atomically {
            for message in messages {
                let entry = Fields(message)
                let kind = try MessageRoutes(context: context).kind(entry)
                guard let time = try entry.int("timestamp") else { throw Refusal.missing("timestamp") }
                guard time > 0, time <= chat.now else { throw Refusal.outOfRange("timestamp") }
                let sender = kind == .admin ? "" : try chat.activeUser(try entry.required("user_id")).id
                var input = try MessageInput(entry, kind: kind, limit: chat.options.maximumMessageLength)
                input.createdAt = time
                input.isHistory = true
                input.marksAsRead = false
                // A sender may have left long ago.
                try chat.sending.addHistory(input, sender, try chat.channel(channel.url))
            }
        }
        return .empty
    }
}
