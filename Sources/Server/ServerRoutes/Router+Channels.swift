import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

extension Router {
    func groupChannels(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        guard let url = path.first else {
            switch request.method {
            case "GET": return try listChannels(request)
            case "POST":
                let caller = try caller(request)
                try storeCover(request)
                let made = try chat.createChannel(try request.payload(), caller)
                return try channelResponse(made.channel, caller, request.query, extra: ["is_created": made.isCreated])
            default: throw Refusal.noEndpoint()
            }
        }
        let rest = Array(path.dropFirst())
        guard let topic = rest.first else { return try oneChannel(request, url) }
        let channel = try chat.channel(url)
        switch topic {
        case "messages": return try messages(request, channel, Array(rest.dropFirst()))
        case "scheduled_messages": return try scheduledMessages(request, channel, Array(rest.dropFirst()))
        case "polls": return try pollChanges(request, channel, Array(rest.dropFirst()))
        case "messages_gap":
            let reader = try chat.reader(try caller(request, as: request.query["user_id"]), channel)
            return HTTPResponse(body: try chat.gap(for: reader, GapQuery(request.query)))
        case "metadata", "metacounter":
            return try meta(request, channel, isCounter: topic == "metacounter", key: rest.count > 1 ? rest[1] : nil)
        default: return try membership(request, channel, topic, Array(rest.dropFirst()))
        }
    }

    private func oneChannel(_ request: HTTPRequest, _ url: String) throws -> HTTPResponse {
        let caller = try caller(request)
        let channel = try chat.channel(url)
        switch request.method {
        case "GET":
            let viewer = caller.isAdmin ? Caller(userID: request.query.text("user_id"), isAdmin: true) : caller
            try chat.checkReading(viewer, channel)
            return try channelResponse(channel, viewer, request.query)
        case "PUT":
            try storeCover(request)
            return try channelResponse(
                try chat.updateChannel(channel, try request.payload(), caller), caller, request.query)
        case "DELETE":
            try chat.deleteChannel(channel, caller)
            return .empty
        default: throw Refusal.noEndpoint()
        }
    }

    /// Public channels for users, all for the administration.
    private func listChannels(_ request: HTTPRequest) throws -> HTTPResponse {
        let caller = try caller(request)
        let publicOnly = !caller.isAdmin || request.query.text("public_mode") == "public"
        let list = try ChannelListQuery(request.query, usualOrder: .chronological)
        let onlyJoined = request.query.text("public_membership_mode") == "joined"
        return HTTPResponse(
            body: try chat.channels(publicOnly: publicOnly, onlyJoined: onlyJoined, caller.userID, list))
    }

    // MARK: Metadata and counters

    private func meta(_ request: HTTPRequest, _ channel: ChannelRow, isCounter: Bool, key: String?) throws
        -> HTTPResponse
    {
        let caller = try caller(request)
        let field = isCounter ? "metacounter" : "metadata"
        switch request.method {
        case "GET":
            try chat.checkReading(caller, channel)
            let keys = key.map { [$0] } ?? request.query.choice("keys", "key")
            let values = JSON.object()
            let isWanted = { (name: String) in keys?.contains(name) ?? true }
            if isCounter {
                for (name, value) in try storage.counters(channel.id) where isWanted(name) {
                    values.set(name, .int(value))
                }
            } else {
                for (name, value) in try storage.metadata(channel.id) where isWanted(name) {
                    values.set(name, .string(value))
                }
            }
            return metaResponse(request, values, at: chat.now, isCounter: isCounter)
        case "DELETE":
            // A key in the query is as good as one in the path: one item goes, not all.
            let keys =
                try key.map { [$0] } ?? request.query.choice("keys", "key")
                ?? request.payload().strings("keys").map { Set($0) }
            if isCounter {
                try chat.removeCounters(channel, keys, caller)
            } else {
                try chat.removeMetadata(channel, keys, caller)
            }
            return metaResponse(request, .object(), at: chat.now, isCounter: isCounter)
        case "POST", "PUT":
            let payload = try request.payload()
            let given: JSON
            if let key {
                given = .object([
                    key: payload["value"] ?? payload[field]?[key] ?? payload[key] ?? (isCounter ? .int(0) : .string(""))
                ])
            } else {
                guard let object = try payload.object(field) else { throw Refusal.missing(field) }
                given = object.json
            }
            let isNew = request.method == "POST"
            let upserts = try payload.bool("upsert") ?? false
            if isCounter {
                return try setCounters(request, channel, payload, given, isNew: isNew, upserts: upserts, caller)
            }
            let values = (given.members ?? []).map { ($0.key, $0.value.string ?? $0.value.text) }
            let result = try chat.setMetadata(
                channel, values, creates: isNew || upserts, changes: !isNew || upserts, caller)
            return metaResponse(request, result.values, at: result.at, isCounter: false)
        default: throw Refusal.noEndpoint()
        }
    }

    private func setCounters(
        _ request: HTTPRequest, _ channel: ChannelRow, _ payload: Fields, _ given: JSON, isNew: Bool, upserts: Bool,
        _ caller: Caller
    ) throws -> HTTPResponse {
        var values: [(String, Int64)] = []
        for (name, value) in given.members ?? [] {
            guard let number = value.int ?? value.string.flatMap({ Int64($0) }) else { throw Refusal.notNumber(name) }
            values.append((name, number))
        }
        let mode: Chat.CounterMode
        switch try payload.string("mode") ?? "set" {
        case "set": mode = .set
        case "increase": mode = .increase
        case "decrease": mode = .decrease
        default: throw Refusal.invalid("mode", "set, increase or decrease is expected")
        }
        let result = try chat.setCounters(
            channel, values, mode: mode, creates: isNew || upserts, changes: !isNew || upserts, caller)
        return metaResponse(request, result, at: chat.now, isCounter: true)
    }

    /// Counters are a plain map; metadata come with a time when one is asked for.
    private func metaResponse(_ request: HTTPRequest, _ values: JSON, at time: Int64, isCounter: Bool) -> HTTPResponse {
        let isTimed = request.query.bool("include_ts") || (try? request.payload().bool("include_ts")) ?? false
        if !isCounter, isTimed {
            return HTTPResponse(.object(["metadata": values, "ts": .int(time)]))
        }
        return HTTPResponse(values)
    }
}
