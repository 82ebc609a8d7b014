import ServerBase
import ServerChat
import ServerHTTP

extension ChangeStart {
    /// A token counts before a time.
    init(_ query: RequestQuery) throws {
        if let token = query["token"], !token.isEmpty {
            self = .token(token)
        } else if let time = try query.int("change_ts") {
            self = .time(time)
        } else {
            throw Refusal.missing("token")
        }
    }
}

extension ChannelChangesQuery {
    init(_ query: RequestQuery) throws {
        let limit = try max(1, query.limit(default: 100, max: 200))
        self.init(since: try ChangeStart(query))
        self.limit = limit
        customTypes = query.choice("custom_types", "custom_type")
        showsEmpty = query.bool("show_empty", default: true)
        showsFrozen = query.bool("show_frozen", default: true)
        parts = ChannelView.Parts(query)
    }
}

extension MessageListQuery {
    init(_ query: RequestQuery, isAdmin: Bool) throws {
        var filter = try MessageFilter(query)
        filter.includesRemoved = isAdmin && query.bool("including_removed")
        let previous = try query.limit("prev_limit", default: 15)
        let next = try query.limit("next_limit", default: 15)
        let time = try query.int("message_ts")
        if let id = try query.int("message_id"), id > 0 {
            self.init(.message(id))
        } else if let time {
            self.init(.time(time))
        } else {
            throw Refusal.missing("message_ts")
        }
        self.filter = filter
        parts = MessageRow.Parts(query)
        self.previous = previous
        self.next = next
        includes = query.bool("include", default: true)
        checksNext = query.bool("checking_has_next")
        checksContinuity = query.bool("checking_continuous_messages")
        isReversed = query.bool("reverse")
    }
}

extension MessageChangesQuery {
    init(_ query: RequestQuery) throws {
        let filter = try MessageFilter(query)
        let limit = try max(1, query.limit(default: 100, max: 200))
        self.init(since: try ChangeStart(query))
        self.filter = filter
        parts = MessageRow.Parts(query)
        self.limit = limit
    }
}

extension GapQuery {
    init(_ query: RequestQuery) throws {
        self.init()
        filter = try MessageFilter(query)
        parts = MessageRow.Parts(query)
        older = try Held(query, "prev")
        newer = try Held(query, "next")
        isReversed = query.bool("reverse")
    }
}

extension GapQuery.Held {
    fileprivate init(_ query: RequestQuery, _ prefix: String) throws {
        self.init()
        start = try query.int("\(prefix)_start_ts") ?? 0
        end = try query.int("\(prefix)_end_ts") ?? 0
        count = max(0, Int(clamping: try query.int("\(prefix)_cache_count") ?? 0))
    }
}

extension SearchQuery {
    init(_ query: RequestQuery) throws {
        self.init()
        text = query.text("query").lowercased()
        guard !text.isEmpty else { throw Refusal.missing("query") }
        limit = try max(1, query.limit(default: 20, max: 100))
        isExact = query.bool("exact_match")
        fields = query.choice("target_fields") ?? ["message"]
        channelURL = query.text("channel_url")
        customType = query.text("custom_type")
        from = try query.int("message_ts_from") ?? 0
        to = try query.int("message_ts_to") ?? .max
        if let token = query["token"] ?? query["after"], !token.isEmpty {
            guard let value = Int(token), value >= 0 else { throw Refusal.expiredToken() }
            start = value
        }
        isReversed = query.bool("reverse")
    }
}
