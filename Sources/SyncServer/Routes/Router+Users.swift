import SyncJSON

extension Router {
    func users(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        guard let id = path.first else {
            switch request.method {
            case "GET": return try listUsers(request)
            case "POST": return try createUser(request)
            default: throw APIError.noEndpoint()
            }
        }
        guard path.count > 1 else {
            switch request.method {
            case "GET":
                _ = try caller(request)
                guard let user = try storage.user(id) else { throw APIError.noUser() }
                return userResponse(user)
            case "PUT": return try updateUser(request, id)
            case "DELETE":
                try administrator(request)
                guard try storage.user(id) != nil else { throw APIError.noUser() }
                try removeUser(id)
                return .empty
            default: throw APIError.noEndpoint()
            }
        }
        switch (request.method, path[1], path.count) {
        case ("POST", "session_key", 2): return try sessionKey(request, id)
        case ("POST", "login", 2): return try login(request, id)
        case ("POST", "token", 2):
            try administrator(request)
            let user = try chat.activeUser(id)
            let expiry = try request.payload().int("expires_at") ?? chat.now &+ chat.options.sessionLife
            let key = try storage.makeSession(user.id, expiresAt: expiry, now: chat.now)
            return HTTPResponse(.object(["token": .string(key), "expires_at": .int(expiry)]))
        case ("GET", "my_group_channels", 2):
            let caller = try caller(request, as: id)
            return HTTPResponse(body: try chat.myChannels(caller.userID, request.query))
        case ("GET", "my_group_channels", 3) where path[2] == "changelogs":
            let caller = try caller(request, as: id)
            return HTTPResponse(body: try chat.channelChanges(caller.userID, request.query))
        case ("PUT", "mark_as_read_all", 2): return try markAllRead(request, id)
        case ("PUT", "channel_invitation_preference", 2):
            _ = try caller(request, as: id)
            var user = try chat.activeUser(id)
            user.acceptsInvitations = try request.payload().bool("auto_accept") ?? true
            try storage.save(user)
            return HTTPResponse(.object(["auto_accept": .bool(user.acceptsInvitations)]))
        case ("GET", "channel_invitation_preference", 2):
            _ = try caller(request, as: id)
            return HTTPResponse(.object(["auto_accept": .bool(try chat.activeUser(id).acceptsInvitations)]))
        case (_, "count_preference", 3): return try countPreference(request, id, path[2])
        case (_, "push_preference", 3): return try pushPreference(request, id, path[2])
        case ("GET", _, 2) where path[1].hasSuffix("_count"): return try counts(request, id, path[1])
        case (_, "block", _): return try blocks(request, id, path.count > 2 ? path[2] : nil)
        case (_, "metadata", _): return try userMetadata(request, id, path.count > 2 ? path[2] : nil)
        default: throw APIError.noEndpoint()
        }
    }

    private func userResponse(_ user: UserRow, token: String? = nil, session: IssuedSession? = nil) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        user.writeFull(&writer, isOnline: chat.hub.isOnline(user.id))
        writer.member("has_ever_logged_in", user.lastSeenAt > 0 || chat.hub.isOnline(user.id))
        // Tokens are told to the administration only.
        if let token {
            writer.member("access_token", token)
            writer.key("session_tokens")
            writer.beginArray()
            if let session {
                writer.beginObject()
                writer.member("session_token", session.key)
                writer.member("expires_at", session.expiresAt)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return HTTPResponse(writer)
    }

    private func listUsers(_ request: HTTPRequest) throws -> HTTPResponse {
        _ = try caller(request)
        let limit = try max(1, request.query.limit(default: 10, max: 100))
        let wanted = request.query.list("user_ids")
        var found =
            wanted.isEmpty
            ? try storage.users(after: request.query.text("token"), limit: limit + 1)
            : try wanted.compactMap { try storage.user($0) }
        let next = wanted.isEmpty && found.count > limit ? found[limit - 1].id : ""
        if wanted.isEmpty { found = Array(found.prefix(limit)) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("users")
        writer.beginArray()
        for user in found {
            writer.beginObject()
            user.writeFull(&writer, isOnline: chat.hub.isOnline(user.id))
            writer.endObject()
        }
        writer.endArray()
        writer.member("next", next)
        writer.endObject()
        return HTTPResponse(writer)
    }

    private func createUser(_ request: HTTPRequest) throws -> HTTPResponse {
        try administrator(request)
        let payload = try request.payload()
        let id = try payload.required("user_id")
        guard id.unicodeScalars.count <= 80 else { throw APIError(400_305, "\"user_id\" is too long.") }
        if try storage.user(id) != nil { throw APIError.exists("\"user_id\"") }
        var user = UserRow(id: id, nickname: try payload.string("nickname") ?? "", createdAt: chat.now)
        try apply(payload, to: &user)
        if let token = try accessToken(payload) { user.accessToken = token }
        let session = try chat.storage.transaction {
            try storage.save(user)
            return try issueSession(payload, user)
        }
        return userResponse(user, token: user.accessToken, session: session)
    }

    /// A session token as the administration is told of it.
    private struct IssuedSession {
        let key: String
        let expiresAt: Int64
    }

    /// The session token that the administration asks for together with a user; clients log in with it as a key.
    private func issueSession(_ payload: Payload, _ user: UserRow) throws -> IssuedSession? {
        guard try payload.bool("issue_session_token") ?? false else { return nil }
        let expiry = try payload.int("session_token_expires_at") ?? chat.now &+ chat.options.sessionLife
        guard expiry > 0 else { throw APIError.outOfRange("session_token_expires_at") }
        return IssuedSession(
            key: try storage.makeSession(user.id, expiresAt: expiry, now: chat.now), expiresAt: expiry)
    }

    /// The access token that the administration wants a user to have: a given one, a new one, or none.
    private func accessToken(_ payload: Payload) throws -> String? {
        if let given = try payload.string("access_token") { return given }
        return try payload.bool("issue_access_token").map { $0 ? storage.random.hex(20) : "" }
    }

    private func apply(_ payload: Payload, to user: inout UserRow) throws {
        if let nickname = try payload.string("nickname") { user.nickname = nickname }
        if let url = try payload.string("profile_url") { user.profileURL = url }
        if let metadata = try payload.object("metadata") { user.metadata = metadata.json.serialized() }
        if let languages = try payload.strings("preferred_languages") {
            user.languages = JSON.strings(languages).serialized()
        }
    }

    private func updateUser(_ request: HTTPRequest, _ id: String) throws -> HTTPResponse {
        let caller = try caller(request, as: nil)
        guard caller.isAdmin || caller.userID == id else { throw APIError.unauthorized("a user acts for itself") }
        guard var user = try storage.user(id) else { throw APIError.noUser() }
        let payload = try request.payload()
        try apply(payload, to: &user)
        var token: String?
        if caller.isAdmin {
            if let isActive = try payload.bool("is_active") { user.isActive = isActive }
            token = try accessToken(payload)
            if let token {
                user.accessToken = token
                user.revokedToken = ""
            }
        }
        let session = try chat.storage.transaction {
            try storage.save(user)
            return caller.isAdmin ? try issueSession(payload, user) : nil
        }
        if !user.isActive { for socket in chat.hub.sockets(of: id) { socket.end(code: 4000, reason: "deactivated") } }
        return userResponse(user, token: caller.isAdmin ? user.accessToken : nil, session: session)
    }

    private func removeUser(_ id: String) throws {
        for (channel, _) in try storage.channels(of: id) { try chat.leave(channel, [id]) }
        try storage.deleteUser(id)
        for socket in chat.hub.sockets(of: id) { socket.end(code: 4000, reason: "deleted") }
    }

    // MARK: Sessions

    /// A new session key for an access token.
    private func sessionKey(_ request: HTTPRequest, _ id: String) throws -> HTTPResponse {
        let payload = try request.payload()
        let user = try owner(request, id, payload)
        let key = try chat.newSession(user.id, expires: try payload.bool("expiring_session") ?? false)
        return HTTPResponse(
            .object(["key": .string(key), "new_key": .string(key), "ekey": .string(storage.random.hex(16))]))
    }

    private func owner(_ request: HTTPRequest, _ id: String, _ payload: Payload) throws -> UserRow {
        if let app = request.header("App-Id"), !app.isEmpty, app != chat.options.appID {
            throw APIError(400_304, "\"Application\" not found.")
        }
        if let given = request.header("Api-Token"), given == apiToken { return try chat.activeUser(id) }
        let token =
            try request.header("Access-Token").map { PercentCoding.decode($0.utf8, plusIsSpace: false) }
            ?? payload.string(["access_token", "token"]) ?? ""
        guard try storage.user(id) != nil else { throw APIError(400_301, "\"User\" not found.") }
        return try chat.logIn(id, token: token, nickname: "")
    }

    private func login(_ request: HTTPRequest, _ id: String) throws -> HTTPResponse {
        let payload = try request.payload()
        let user = try owner(request, id, payload)
        let key = try chat.newSession(user.id, expires: try payload.bool("expiring_session") ?? false)
        return HTTPResponse(try chat.loginDocument(user, sessionKey: key, query: request.query))
    }

    // MARK: A user's channels

    private func markAllRead(_ request: HTTPRequest, _ id: String) throws -> HTTPResponse {
        let caller = try caller(request, as: id)
        let wanted = try request.payload().strings("channel_urls")
        for (channel, membership) in try storage.channels(of: caller.userID) where membership.state == .joined {
            if let wanted, !wanted.contains(channel.url) { continue }
            try chat.markRead(caller, channel.id)
        }
        return HTTPResponse(.object(["ts": .int(chat.now)]))
    }

    private func countPreference(_ request: HTTPRequest, _ id: String, _ url: String) throws -> HTTPResponse {
        let caller = try caller(request, as: id)
        let channel = try chat.channel(url)
        guard var member = try storage.membership(channel.id, caller.userID), member.state != .gone else {
            throw APIError.notMember()
        }
        if request.method == "PUT" {
            let value = try request.payload().required("count_preference")
            guard ["all", "unread_message_count_only", "unread_mention_count_only", "off"].contains(value) else {
                throw APIError.invalid("count_preference", "there is no such preference")
            }
            member.countPreference = value
            try storage.save(member, at: chat.now)
        }
        return HTTPResponse(.object(["count_preference": .string(member.countPreference)]))
    }

    private func pushPreference(_ request: HTTPRequest, _ id: String, _ url: String) throws -> HTTPResponse {
        let caller = try caller(request, as: id)
        let channel = try chat.channel(url)
        guard var member = try storage.membership(channel.id, caller.userID), member.state != .gone else {
            throw APIError.notMember()
        }
        if request.method == "PUT" {
            let payload = try request.payload()
            let value =
                try payload.string("push_trigger_option") ?? (payload.bool("enable") == false ? "off" : "default")
            guard ["default", "all", "mention_only", "off"].contains(value) else {
                throw APIError.invalid("push_trigger_option", "there is no such option")
            }
            member.pushTrigger = value
            try storage.save(member, at: chat.now)
        }
        return HTTPResponse(
            .object([
                "push_trigger_option": .string(member.pushTrigger), "enable": .bool(member.pushTrigger != "off"),
            ]))
    }

    private func counts(_ request: HTTPRequest, _ id: String, _ which: String) throws -> HTTPResponse {
        let caller = try caller(request, as: id)
        let query = request.query
        let types = query.choice("custom_types", "custom_type")
        let mode = query.text("super_mode")
        let mine = try storage.channels(of: caller.userID).filter { channel, _ in
            (types?.contains(channel.customType) ?? true)
                && (mode == "super" ? channel.isSuper : mode == "nonsuper" ? !channel.isSuper : true)
        }
        let joined = mine.filter { $0.membership.state == .joined }
        func unread(_ entries: [(channel: ChannelRow, membership: MembershipRow)]) -> Int64 {
            entries.reduce(0) { $0 + $1.membership.unread(in: $1.channel) }
        }
        switch which {
        case "unread_message_count":
            let counts = try chat.unreadCounts(caller.userID)
            return HTTPResponse(
                .object([
                    "unread_count": .int(unread(joined)), "unread_feed_count": 0,
                    "custom_types": counts["custom_types"] ?? .object(), "ts": .int(chat.now),
                ]))
        case "unread_channel_count":
            return HTTPResponse(
                .object(["unread_count": .int(Int64(joined.filter { $0.membership.unread(in: $0.channel) > 0 }.count))])
            )
        case "group_channel_count":
            let state = query.text("state", "member_state_filter")
            let count =
                switch state {
                case "invited", "invited_only": mine.filter { $0.membership.state == .invited }.count
                case "joined", "joined_only": joined.count
                default: mine.count
                }
            return HTTPResponse(.object(["group_channel_count": .int(Int64(count))]))
        case "unread_item_count":
            let result = JSON.object()
            func part(_ prefix: String, _ entries: [(channel: ChannelRow, membership: MembershipRow)]) {
                let joined = entries.filter { $0.membership.state == .joined }
                result.set("\(prefix)_unread_message_count", .int(unread(joined)))
                result.set(
                    "\(prefix)_unread_mention_count", .int(joined.reduce(0) { $0 + $1.membership.unreadMentions }))
                result.set(
                    "\(prefix)_invitation_count", .int(Int64(entries.filter { $0.membership.state == .invited }.count)))
            }
            part("group_channel", mine)
            part("super_group_channel", mine.filter { $0.channel.isSuper })
            part("non_super_group_channel", mine.filter { !$0.channel.isSuper })
            let keys = query.choice("item_keys")
            for (key, _) in result.members ?? [] where keys.map({ !$0.contains(key) }) ?? false { result.set(key, nil) }
            return HTTPResponse(result)
        default: throw APIError.noEndpoint()
        }
    }

    // MARK: Blocks and metadata of users

    private func blocks(_ request: HTTPRequest, _ id: String, _ target: String?) throws -> HTTPResponse {
        _ = try caller(request, as: id)
        switch request.method {
        case "POST":
            let ids = try request.payload().strings("user_ids") ?? [request.payload().required("target_id")]
            var last: UserRow?
            for target in ids { last = try chat.block(id, target, blocks: true) }
            guard let last else { throw APIError.missing("target_id") }
            return userResponse(last)
        case "DELETE":
            guard let target else { throw APIError.missing("target_id") }
            _ = try chat.block(id, target, blocks: false)
            return .empty
        case "GET":
            let users = try storage.blocks(of: id).blocking.sorted().compactMap { try storage.user($0)?.json }
            return HTTPResponse(.object(["users": .array(users), "next": ""]))
        default: throw APIError.noEndpoint()
        }
    }

    private func userMetadata(_ request: HTTPRequest, _ id: String, _ key: String?) throws -> HTTPResponse {
        let caller = try caller(request)
        guard var user = try storage.user(id) else { throw APIError.noUser() }
        let metadata = (try? JSON.parse(user.metadata)) ?? .object()
        if request.method != "GET" {
            guard caller.isAdmin || caller.userID == id else { throw APIError.unauthorized("a user acts for itself") }
            if request.method == "DELETE" {
                for (known, _) in metadata.members ?? [] where key == nil || known == key { metadata.set(known, nil) }
            } else {
                for (name, value) in try request.payload().object("metadata")?.json.members ?? [] {
                    if request.method == "POST", metadata[name] != nil {
                        throw APIError.exists("The metadata key \"\(name)\"")
                    }
                    metadata.set(name, .string(value.string ?? value.text))
                }
            }
            user.metadata = metadata.serialized()
            try storage.save(user)
        }
        guard let key else { return HTTPResponse(.object(["metadata": metadata])) }
        return HTTPResponse(.object([key: metadata[key] ?? .null]))
    }
}
