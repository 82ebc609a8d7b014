import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests about channels, their metadata and their counters.
struct ChannelRoutes: Routes {
    let context: RouteContext

    func createChannel(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        try FileRoutes(context: context).storeCover(request)
        let made = try chat.channels.create(try request.payload(), caller)
        return try channelResponse(made.channel, caller, request.query, extra: ["is_created": made.isCreated])
    }

    func viewChannel(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        let channel = try channel(request)
        let viewer = caller.isAdmin ? Caller(userID: request.query.text("user_id"), isAdmin: true) : caller
        try chat.access.checkReading(viewer, channel)
        return try channelResponse(channel, viewer, request.query)
    }

    func updateChannel(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        let channel = try channel(request)
        try FileRoutes(context: context).storeCover(request)
        return try channelResponse(
            try chat.channels.update(channel, try request.payload(), caller), caller, request.query)
    }

    func deleteChannel(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        try chat.channels.delete(try channel(request), caller)
        return .empty
    }

    func noActionOfChannel(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        _ = try channel(request)
        throw Refusal.noEndpoint()
    }

    /// Refuses addresses of parts or actions that a channel does not have.
    func noPartOfChannel(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try channel(request)
        throw Refusal.noEndpoint()
    }

    /// Public channels for users, all for the administration.
    func listChannels(_ request: RoutedRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        let publicOnly = !caller.isAdmin || request.query.text("public_mode") == "public"
        let list = try ChannelListQuery(request.query, usualOrder: .chronological)
        let onlyJoined = request.query.text("public_membership_mode") == "joined"
        return HTTPResponse(
            body: try chat.lists.channels(publicOnly: publicOnly, onlyJoined: onlyJoined, caller.userID, list))
    }

    // MARK: Metadata and counters

    /// Who asks, the channel, and the key that the path names.
    private func meta(_ request: RoutedRequest) throws -> (caller: Caller, channel: ChannelRow, key: String?) {
        let channel = try channel(request)
        return (try caller(request), channel, request.value("key"))
    }

    private func wantedKeys(_ request: RoutedRequest) -> TextSet? {
        request.value("key").map { [$0] } ?? request.query.choice("keys", "key")
    }

    func channelMetadata(_ request: RoutedRequest) throws -> HTTPResponse {
        let (caller, channel, _) = try meta(request)
        try chat.access.checkReading(caller, channel)
        let wanted = wantedKeys(request)
        let values = JSON.object()
        for (name, value) in try chat.contents.metadata(of: channel) where wanted?.contains(name) ?? true {
            values.set(name, .string(value))
        }
        return metadataResponse(request, values, at: chat.now)
    }

    func counters(_ request: RoutedRequest) throws -> HTTPResponse {
        let (caller, channel, _) = try meta(request)
        try chat.access.checkReading(caller, channel)
        let wanted = wantedKeys(request)
        let values = JSON.object()
        for (name, value) in try chat.contents.counters(of: channel) where wanted?.contains(name) ?? true {
            values.set(name, .int(value))
        }
        return countersResponse(request, values)
    }

    func removeChannelMetadata(_ request: RoutedRequest) throws -> HTTPResponse {
        let (caller, channel, _) = try meta(request)
        try chat.channels.removeMetadata(channel, try goingKeys(request), caller)
        return metadataResponse(request, .object(), at: chat.now)
    }

    func removeCounters(_ request: RoutedRequest) throws -> HTTPResponse {
        let (caller, channel, _) = try meta(request)
        try chat.channels.removeCounters(channel, try goingKeys(request), caller)
        return countersResponse(request, .object())
    }

    /// The keys to remove; `nil`: all. A key in the query counts like one in the path, so that not all are removed.
    private func goingKeys(_ request: RoutedRequest) throws -> TextSet? {
        try wantedKeys(request) ?? request.payload().strings("keys").map { TextSet($0) }
    }

    /// The values that a body gives, under the name of the field or under that of the one key.
    private func given(_ payload: Fields, _ field: String, _ key: String?, usual: JSON) throws -> JSON {
        if let key {
            return .object([key: payload["value"] ?? payload[field]?[key] ?? payload[key] ?? usual])
        }
        guard let object = try payload.object(field) else { throw Refusal.missing(field) }
        return object.json
    }

    func setChannelMetadata(_ request: RoutedRequest) throws -> HTTPResponse {
        let (caller, channel, key) = try meta(request)
        let payload = try request.payload()
        let given = try given(payload, "metadata", key, usual: .string(""))
        let isNew = request.method == "POST"
        let upserts = try payload.bool("upsert") ?? false
        let values = (given.members ?? []).map { ($0.key, $0.value.string ?? $0.value.text) }
        let result = try chat.channels.setMetadata(
            channel, values, creates: isNew || upserts, changes: !isNew || upserts, caller)
        return metadataResponse(request, result.values, at: result.at)
    }

    func setCounters(_ request: RoutedRequest) throws -> HTTPResponse {
        let (caller, channel, key) = try meta(request)
        let payload = try request.payload()
        let given = try given(payload, "metacounter", key, usual: .int(0))
        let isNew = request.method == "POST"
        let upserts = try payload.bool("upsert") ?? false
        var values: [(String, Int64)] = []
        for (name, value) in given.members ?? [] {
            guard let number = value.int ?? value.string.flatMap({ Int64($0) }) else { throw Refusal.notNumber(name) }
            values.append((name, number))
        }
        let mode: ChannelRules.CounterMode
        switch try payload.string("mode") ?? "set" {
        case "set": mode = .set
        case "increase": mode = .increase
        case "decrease": mode = .decrease
        default: throw Refusal.invalid("mode", "set, increase or decrease is expected")
        }
        let result = try chat.channels.setCounters(
            channel, values, mode: mode, creates: isNew || upserts, changes: !isNew || upserts, caller)
        return countersResponse(request, result)
    }

    func noActionOfMetadata(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try meta(request)
        throw Refusal.noEndpoint()
    }

    private func isTimed(_ request: RoutedRequest) -> Bool {
        request.query.bool("include_ts") || (try? request.payload().bool("include_ts")) ?? false
    }

    /// Metadata come with a time when one is asked for.
    private func metadataResponse(_ request: RoutedRequest, _ values: JSON, at time: Int64) -> HTTPResponse {
        HTTPResponse(isTimed(request) ? .object(["metadata": values, "ts": .int(time)]) : values)
    }

    /// Counters are a plain map, also when a time is asked for.
    private func countersResponse(_ request: RoutedRequest, _ values: JSON) -> HTTPResponse {
        _ = isTimed(request)
        return HTTPResponse(values)
    }
}
