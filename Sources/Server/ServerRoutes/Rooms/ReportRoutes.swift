import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests about reports, and about where users are banned or muted.
struct ReportRoutes: Routes {
    let context: RouteContext

    /// The reports of the whole application, or those about the path's address and what is below it.
    func listReports(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let page = try Page(of: try chat.reports.reports(about: Array(request.path.dropFirst())), request.query)
        return HTTPResponse(.object(["report_logs": .array(Array(page.items)), "next": .string(page.next)]))
    }

    /// Reports a user, a channel or a message, as the path says.
    func report(_ request: RoutedRequest) throws -> HTTPResponse {
        let path = Array(request.path.dropFirst())
        let payload = try request.payload()
        let reporter = try payload.string(["reporting_user_id", "user_id"])
        let caller = try caller(request, as: reporter)
        let category = try payload.string(["report_category", "category"]) ?? "spam"
        let now = chat.now
        let json = JSON.object([
            "report_category": .string(category),
            "report_description": .string(try payload.string(["report_description", "description"]) ?? ""),
            "created_at": .int(now),
            "reporting_user": try caller.userID.isEmpty ? .null : chat.users.find(caller.userID)?.json ?? .null,
        ])
        let offender = try payload.string("offending_user_id")
        if let offender { json.set("offending_user", try chat.activeUser(offender).json) }
        switch (path[0], path.count) {
        case ("users", 2):
            json.set("report_type", "user")
            json.set("offending_user", try chat.activeUser(path[1]).json)
            if let url = try payload.string("channel_url") { try add(try chat.channel(url), to: json) }
        case ("group_channels", 2):
            json.set("report_type", "channel")
            try add(try chat.channel(path[1]), to: json)
        case ("group_channels", 4) where path[2] == "messages":
            let channel = try chat.channel(path[1])
            guard let id = Int64(path[3]) else { throw Refusal.noMessage() }
            let message = try chat.contents.message(id, in: channel)
            json.set("report_type", "message")
            json.set("reported_message", try JSON.parse(message.bytes(.all)))
            if let user = try chat.users.find(message.sender) { json.set("offending_user", user.json) }
            try add(channel, to: json)
        default: throw Refusal.noEndpoint()
        }
        _ = try payload.string("channel_type")
        try chat.reports.store(json, about: path, at: now)
        return HTTPResponse(json)
    }

    private func add(_ channel: ChannelRow, to json: JSON) throws {
        let view = try ChannelView(chat, viewer: "", parts: [])
        json.set("channel", try JSON.parse(try view.document(channel)))
    }

    // MARK: Where users are banned or muted

    func bannedTypes(_ request: RoutedRequest) throws -> HTTPResponse { try restrictedTypes(request, .ban) }
    func mutedTypes(_ request: RoutedRequest) throws -> HTTPResponse { try restrictedTypes(request, .mute) }
    func changeBannedTypes(_ request: RoutedRequest) throws -> HTTPResponse { try restrict(request, .ban) }
    func changeMutedTypes(_ request: RoutedRequest) throws -> HTTPResponse { try restrict(request, .mute) }
    func bannedChannels(_ request: RoutedRequest) throws -> HTTPResponse { try restrictedChannels(request, .ban) }
    func mutedChannels(_ request: RoutedRequest) throws -> HTTPResponse { try restrictedChannels(request, .mute) }

    func noActionOfRestrictions(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        _ = try request.payload()
        throw Refusal.noEndpoint()
    }

    private func restrict(_ request: RoutedRequest, _ kind: RestrictionTable.Restriction.Kind) throws -> HTTPResponse {
        try administrator(request)
        let payload = try request.payload()
        guard
            let types = try payload.strings("channel_custom_types")
                ?? request.query.choice("channel_custom_types")?.sorted(), !types.isEmpty
        else { throw Refusal.missing("channel_custom_types") }
        try chat.moderation.restrict(
            request["user"], kind, types: types, seconds: try payload.int("seconds") ?? -1,
            note: try payload.string("description") ?? "", lifts: request.method == "DELETE")
        return try restrictedTypes(request, kind)
    }

    private func restrictedTypes(_ request: RoutedRequest, _ kind: RestrictionTable.Restriction.Kind) throws
        -> HTTPResponse
    {
        try administrator(request)
        _ = try request.payload()
        let user = try chat.activeUser(request["user"])
        let holding = try chat.contents.restrictions(of: user.id, kind)
        return HTTPResponse(
            .object([
                "user": user.json,
                "channel_custom_types": .array(
                    holding.map {
                        .object([
                            "custom_type": .string($0.customType), "start_at": .int($0.since),
                            "end_at": .int($0.until), "description": .string($0.note),
                        ])
                    }),
            ]))
    }

    private func restrictedChannels(_ request: RoutedRequest, _ kind: RestrictionTable.Restriction.Kind) throws
        -> HTTPResponse
    {
        try administrator(request)
        let user = try chat.activeUser(request["user"])
        let page = try Page(of: try chat.contents.channels(where: kind, holdsFor: user.id), request.query)
        let list = try page.items.map { entry in
            let json = JSON.object([
                "start_at": .int(entry.since), "end_at": .int(entry.until), "description": .string(entry.note),
            ])
            try add(entry.channel, to: json)
            return json
        }
        let name = kind == .ban ? "banned_channels" : "muted_channels"
        return HTTPResponse(.object([name: .array(list), "next": .string(page.next)]))
    }
}
