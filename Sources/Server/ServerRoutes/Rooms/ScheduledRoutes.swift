import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests about messages and announcements that are sent later.
struct ScheduledRoutes: Routes {
    let context: RouteContext

    private typealias Asked = (channel: ChannelRow, payload: Fields, caller: Caller)

    private func asked(_ request: RoutedRequest) throws -> Asked {
        let channel = try channel(request)
        let payload = try request.payload()
        return (channel, payload, try caller(request, as: try payload.string("user_id") ?? request.query["user_id"]))
    }

    func schedule(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, caller) = try asked(request)
        let messages = MessageRoutes(context: context)
        let input = try messages.input(request, try messages.kind(payload), caller)
        return HTTPResponse(ScheduledRules.shown(try chat.scheduled.schedule(payload, input, caller, channel)))
    }

    func noActionOfScheduled(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try asked(request)
        throw Refusal.noEndpoint()
    }

    /// The message that the path names; a user sees its own.
    private func scheduled(_ request: RoutedRequest) throws -> (document: DocumentTable.Document, asked: Asked) {
        let asked = try asked(request)
        guard let id = Int64(request["id"]) else { throw Refusal.noEndpoint() }
        let document = try chat.scheduled.message(id, in: asked.channel)
        guard asked.caller.isAdmin || (document.json["user_id"]?.string).isByteEqual(to: asked.caller.userID) else {
            throw Refusal.unauthorized("a user sees its own scheduled messages")
        }
        return (document, asked)
    }

    func viewScheduled(_ request: RoutedRequest) throws -> HTTPResponse {
        HTTPResponse(ScheduledRules.shown(try scheduled(request).document.json))
    }

    func reschedule(_ request: RoutedRequest) throws -> HTTPResponse {
        let (document, asked) = try scheduled(request)
        return HTTPResponse(ScheduledRules.shown(try chat.scheduled.reschedule(document, asked.payload)))
    }

    func cancelScheduled(_ request: RoutedRequest) throws -> HTTPResponse {
        try chat.scheduled.cancel(try scheduled(request).document)
        return .empty
    }

    func sendScheduledNow(_ request: RoutedRequest) throws -> HTTPResponse {
        try chat.scheduled.send(try scheduled(request).document)
        return try viewScheduled(request)
    }

    func noActionOfOneScheduled(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try scheduled(request)
        throw Refusal.noEndpoint()
    }

    // MARK: Of all channels

    func countScheduled(_ request: RoutedRequest) throws -> HTTPResponse {
        HTTPResponse(.object(["count": .int(Int64(try wantedScheduled(request).count))]))
    }

    func listScheduled(_ request: RoutedRequest) throws -> HTTPResponse {
        let query = request.query
        var found = try wantedScheduled(request)
        let key = query.text("order") == "created_at" ? "created_at" : "scheduled_at"
        found.sort { ($0[key]?.int ?? 0) < ($1[key]?.int ?? 0) }
        if query.bool("reverse") { found.reverse() }
        let page = try Page(of: found, query)
        return HTTPResponse(
            .object([
                "scheduled_messages": .array(page.items.map(ScheduledRules.shown)), "next": .string(page.next),
            ]))
    }

    /// A user's own, or all for the administration.
    private func wantedScheduled(_ request: RoutedRequest) throws -> [JSON] {
        let caller = try caller(request, as: request.query["user_id"])
        return try chat.users.scheduledMessages(ScheduledQuery(request.query, of: caller))
    }

    // MARK: Announcements

    func scheduleAnnouncement(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        return HTTPResponse(try chat.announcements.schedule(try request.payload()))
    }

    func listAnnouncements(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let page = try Page(of: try chat.users.announcements(in: request.query.choice("status")), request.query)
        return HTTPResponse(.object(["announcements": .array(Array(page.items)), "next": .string(page.next)]))
    }

    private func announcement(_ request: RoutedRequest) throws -> JSON {
        try administrator(request)
        return try chat.announcements.find(request["id"])
    }

    func viewAnnouncement(_ request: RoutedRequest) throws -> HTTPResponse { HTTPResponse(try announcement(request)) }

    func updateAnnouncement(_ request: RoutedRequest) throws -> HTTPResponse {
        let json = try announcement(request)
        try chat.announcements.changeState(request["id"], json, try request.payload())
        return HTTPResponse(json)
    }

    func noActionOfAnnouncement(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try announcement(request)
        throw Refusal.noEndpoint()
    }
}
