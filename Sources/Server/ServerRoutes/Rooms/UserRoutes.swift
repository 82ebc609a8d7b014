import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests about users, their sessions, blocks and metadata.
struct UserRoutes: Routes {
    let context: RouteContext

    func viewUser(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        let user = try chat.users.user(request["user"])
        return userResponse(user, unread: try unreadParts(request, user))
    }

    func deleteUser(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        try chat.accounts.remove(try chat.users.user(request["user"]).id)
        return .empty
    }

    func makeToken(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let user = try chat.activeUser(request["user"])
        let expiry = try request.payload().int("expires_at") ?? chat.now &+ chat.options.sessionLife
        let key = try chat.sessions.make(user.id, until: expiry)
        return HTTPResponse(.object(["token": .string(key), "expires_at": .int(expiry)]))
    }

    /// Whether the user is in at once when it is invited.
    func invitationPreference(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request, as: request["user"])
        return HTTPResponse(.object(["auto_accept": .bool(try chat.activeUser(request["user"]).acceptsInvitations)]))
    }

    func changeInvitationPreference(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request, as: request["user"])
        _ = try chat.activeUser(request["user"])
        let accepts = try request.payload().bool("auto_accept") ?? true
        try chat.preferences.setInvitationPreference(request["user"], acceptsAtOnce: accepts)
        return HTTPResponse(.object(["auto_accept": .bool(accepts)]))
    }

    /// users/:user/:word that is no other route: whoever asks for a count is refused as the user first.
    func noPartOfUser(_ request: RoutedRequest) throws -> HTTPResponse {
        if request["word"].hasSuffix("_count") { _ = try caller(request, as: request["user"]) }
        throw Refusal.noEndpoint()
    }

    func userResponse(
        _ user: UserRow, token: String? = nil, session: IssuedSession? = nil, isCreated: Bool = false,
        unread: (messages: Int64, channels: Int64)? = nil
    ) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writeParts(user, &writer)
        writer.member("is_created", isCreated)
        if let unread {
            writer.member("unread_message_count", unread.messages)
            writer.member("unread_channel_count", unread.channels)
        }
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

    /// Writes the members of a user resource into an object that is open.
    func writeParts(_ user: UserRow, _ writer: inout JSONWriter, as friend: FriendTable.Friend? = nil) {
        let isOnline = chat.hub.isOnline(user.id)
        user.writeFull(&writer, isOnline: isOnline, as: friend)
        writer.member("has_ever_logged_in", user.lastSeenAt > 0 || isOnline)
        writer.member("discovery_keys", raw: (user.detail("discovery_keys") ?? .array()).serialized())
        writer.member("is_hide_me_from_friends", user.detail("is_hide_me_from_friends")?.bool ?? false)
        writer.member("is_shadow_blocked", false)
        writer.member("phone_number", "")
        writer.member("locale", user.detail("locale")?.string ?? "")
    }

    /// A page of users, in the shape that lists of users have.
    func userList(_ page: Page<UserRow>) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("users")
        writer.beginArray()
        for user in page.items {
            writer.beginObject()
            writeParts(user, &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.member("next", page.next)
        writer.endObject()
        return HTTPResponse(writer)
    }

    private func unreadParts(_ request: RoutedRequest, _ user: UserRow) throws -> (messages: Int64, channels: Int64)? {
        guard request.query.bool("include_unread_count") else { return nil }
        let channels = UserChannelRoutes(context: context)
        let counts = try channels.joinedChannels(of: user.id, OwnChannelsQuery(request.query))
            .map { $0.membership.unread(in: $0.channel) }
        return (counts.reduce(0, +), Int64(counts.filter { $0 > 0 }.count))
    }

    func listUsers(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        let query = request.query
        return userList(try Page(of: try chat.users.list(UserListQuery(query)), query))
    }

    func createUser(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let payload = try request.payload()
        let id = try payload.required("user_id")
        try chat.accounts.checkNewID(id, "user_id")
        var user = UserRow(id: id, nickname: try payload.string("nickname") ?? "", createdAt: chat.now)
        user.acceptsInvitations = try chat.application.invitesAtOnce()
        try apply(payload, to: &user)
        if let url = try FileRoutes(context: context).storeProfile(request) { user.profileURL = url }
        if let token = try accessToken(payload) { user.accessToken = token }
        let session = try store(user, sessionUntil: try sessionExpiry(payload))
        try chat.friends.announceKeys(of: user)
        return userResponse(user, token: user.accessToken, session: session, isCreated: true)
    }

    /// A session token in the form in which the administration gets it.
    struct IssuedSession {
        let key: String
        let expiresAt: Int64
    }

    /// How long the session token lasts that the administration asks for together with a user; clients log in with it
    /// as a key. `nil` when it asks for none.
    private func sessionExpiry(_ payload: Fields) throws -> Int64? {
        guard try payload.bool("issue_session_token") ?? false else { return nil }
        let expiry = try payload.int("session_token_expires_at") ?? chat.now &+ chat.options.sessionLife
        guard expiry > 0 else { throw Refusal.outOfRange("session_token_expires_at") }
        return expiry
    }

    private func store(_ user: UserRow, sessionUntil expiry: Int64?) throws -> IssuedSession? {
        let key = try chat.accounts.store(user, sessionUntil: expiry)
        guard let key, let expiry else { return nil }
        return IssuedSession(key: key, expiresAt: expiry)
    }

    /// The access token that the administration wants a user to have: a given one, a new one, or none.
    private func accessToken(_ payload: Fields) throws -> String? {
        if let given = try payload.string("access_token") { return given }
        return try payload.bool("issue_access_token").map { $0 ? chat.users.newAccessToken() : "" }
    }

    private func apply(_ payload: Fields, to user: inout UserRow) throws {
        if let nickname = try payload.string("nickname") { user.nickname = nickname }
        if let url = try payload.string("profile_url") { user.profileURL = url }
        if let metadata = try payload.object("metadata") { user.metadata = metadata.json.serialized() }
        if let keys = try payload.strings("discovery_keys") { user.setDetail("discovery_keys", .strings(keys)) }
        if let hides = try payload.bool("is_hide_me_from_friends") {
            user.setDetail("is_hide_me_from_friends", .bool(hides))
        }
        if let locale = try payload.string("locale") { user.setDetail("locale", .string(locale)) }
        if let languages = try payload.strings("preferred_languages") {
            user.languages = JSON.strings(languages).serialized()
        }
    }

    func updateUser(_ request: RoutedRequest) throws -> HTTPResponse {
        let id = request["user"]
        let caller = try caller(request, as: nil)
        guard caller.isAdmin || caller.userID.isByteEqual(to: id) else {
            throw Refusal.unauthorized("a user acts for itself")
        }
        var user = try chat.users.user(id)
        let payload = try request.payload()
        try apply(payload, to: &user)
        if let url = try FileRoutes(context: context).storeProfile(request) { user.profileURL = url }
        var token: String?
        var leaves = false
        if caller.isAdmin {
            if let isActive = try payload.bool("is_active") {
                leaves = try user.isActive && !isActive && payload.bool("leave_all_when_deactivated") ?? true
                user.isActive = isActive
            }
            if let seen = try payload.int("last_seen_at") { user.lastSeenAt = max(0, seen) }
            token = try accessToken(payload)
            if let token {
                user.accessToken = token
                user.revokedToken = ""
            }
        }
        let session = try store(user, sessionUntil: caller.isAdmin ? try sessionExpiry(payload) : nil)
        if payload.has("discovery_keys") { try chat.friends.announceKeys(of: user) }
        if leaves { try chat.accounts.leaveAll(id) }
        if !user.isActive { chat.accounts.endSockets(of: id, "deactivated") }
        return userResponse(user, token: caller.isAdmin ? user.accessToken : nil, session: session)
    }

    // MARK: Sessions

    /// A new session key for an access token.
    func sessionKey(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try request.payload()
        let user = try owner(request, payload)
        let made = try chat.sessions.renew(user.id, expires: try payload.bool("expiring_session") ?? false)
        return HTTPResponse(
            .object(["key": .string(made.key), "new_key": .string(made.key), "ekey": .string(made.fileKey)]))
    }

    private func owner(_ request: RoutedRequest, _ payload: Fields) throws -> UserRow {
        let id = request["user"]
        if let app = request.header("App-Id"), !chat.options.isApplication(app) {
            throw Refusal(400_304, "\"Application\" not found.")
        }
        if let given = request.header("Api-Token"), given.isByteEqual(to: options.apiToken) {
            return try chat.activeUser(id)
        }
        let token =
            try request.header("Access-Token").map { PercentEncoding.decode($0.utf8, plusIsSpace: false) }
            ?? payload.string(["access_token", "token"]) ?? ""
        guard try chat.users.find(id) != nil else { throw Refusal(400_301, "\"User\" not found.") }
        return try chat.sessions.logIn(id, token: token, nickname: "")
    }

    func login(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try request.payload()
        let user = try owner(request, payload)
        let key = try chat.sessions.open(user.id, expires: try payload.bool("expiring_session") ?? false)
        let configTime = try request.query.int("config_ts") ?? 0
        return HTTPResponse(try chat.sessions.loginDocument(user, sessionKey: key, configTime: configTime))
    }

    // MARK: Blocks and metadata of users

    func block(_ request: RoutedRequest) throws -> HTTPResponse {
        let id = request["user"]
        _ = try caller(request, as: id)
        let ids = try request.payload().strings("user_ids") ?? [request.payload().required("target_id")]
        let blocked = try ids.map { try chat.blocks.block(id, $0, blocks: true) }
        guard let first = blocked.first else { throw Refusal.missing("target_id") }
        // The answer has the one user that was asked for as an object, and all as a list.
        let document = try JSON.parse(userResponse(first).body)
        let list = try JSON.parse(userList(Page(all: blocked)).body)
        document.set("users", list["users"])
        document.set("next", "")
        return HTTPResponse(document)
    }

    func unblock(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request, as: request["user"])
        guard let target = request.value("target") else { throw Refusal.missing("target_id") }
        _ = try chat.blocks.block(request["user"], target, blocks: false)
        return .empty
    }

    func listBlocks(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request, as: request["user"])
        let query = request.query
        let found = try chat.users.blocks(
            of: request["user"], blockingIt: query.text("list") == "blocking_me", among: query.choice("user_ids"),
            MetadataCondition(query))
        return userList(try Page(of: found, query))
    }

    /// Any other request that only the user itself or the administration could make.
    func noActionOfUser(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request, as: request["user"])
        throw Refusal.noEndpoint()
    }

    /// A user with its metadata, and the key that the path names.
    private func metadata(_ request: RoutedRequest, changes: Bool) throws -> (user: UserRow, JSON, key: String?) {
        let id = request["user"]
        let caller = try caller(request)
        let user = try chat.users.user(id)
        if changes, !caller.isAdmin, !caller.userID.isByteEqual(to: id) {
            throw Refusal.unauthorized("a user acts for itself")
        }
        return (user, (try? JSON.parse(user.metadata)) ?? .object(), request.value("key"))
    }

    private func metadataResponse(_ metadata: JSON, _ key: String?) -> HTTPResponse {
        guard let key else { return HTTPResponse(.object(["metadata": metadata])) }
        return HTTPResponse(.object([key: metadata[key] ?? .null]))
    }

    func userMetadata(_ request: RoutedRequest) throws -> HTTPResponse {
        let (_, metadata, key) = try metadata(request, changes: false)
        // Some of them may be named in the query as well as one in the path.
        if let wanted = key.map({ [$0] }) ?? request.query.choice("keys", "key") {
            for (known, _) in metadata.members ?? [] where !wanted.contains(known) { metadata.set(known, nil) }
        }
        return metadataResponse(metadata, key)
    }

    func removeUserMetadata(_ request: RoutedRequest) throws -> HTTPResponse {
        let (user, metadata, key) = try metadata(request, changes: true)
        let wanted = key.map { [$0] } ?? request.query.choice("keys", "key")
        for (known, _) in metadata.members ?? [] where wanted?.contains(known) ?? true { metadata.set(known, nil) }
        try chat.accounts.setMetadata(metadata, of: user)
        return metadataResponse(metadata, key)
    }

    func setUserMetadata(_ request: RoutedRequest) throws -> HTTPResponse {
        let (user, metadata, key) = try metadata(request, changes: true)
        let payload = try request.payload()
        let isNew = request.method == "POST"
        let upserts = try isNew || payload.bool("upsert") ?? (key != nil)
        let single = try key.map { [(key: $0, value: JSON.string(try payload.required("value")))] }
        guard let given = try single ?? payload.object("metadata")?.json.members.map({ $0.map { $0 } }) else {
            throw Refusal.missing("metadata")
        }
        for (name, value) in given {
            let isKnown = metadata[name] != nil
            if isNew, isKnown { throw Refusal.exists("The metadata key \"\(name)\"") }
            if isKnown || upserts { metadata.set(name, .string(value.string ?? value.text)) }
        }
        try chat.accounts.setMetadata(metadata, of: user)
        return metadataResponse(metadata, key)
    }
}
