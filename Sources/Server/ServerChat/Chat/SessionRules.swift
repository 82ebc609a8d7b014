import ServerBase
import SyncBytes
import SyncJSON

/// Logins and session keys.
public struct SessionRules: ChatRules {
    let chat: Chat

    /// Finds the user of an access token. A user that does not exist yet is made when it comes without a token, as
    /// services of this kind do for applications that have not turned it off.
    public func logIn(_ userID: String, token: String, nickname: String) throws -> UserRow {
        guard !userID.isEmpty else { throw Refusal.missing("user_id") }
        guard userID.unicodeScalars.count <= 80 else { throw Refusal(400_305, "\"user_id\" is too long.") }
        guard var user = try storage.users.user(userID) else {
            guard token.isEmpty else { throw Refusal(400_301, "\"User\" not found.") }
            var user = UserRow(id: userID, nickname: nickname, createdAt: now)
            user.acceptsInvitations = try chat.application.invitesAtOnce()
            try storage.users.save(user)
            return user
        }
        guard user.isActive else { throw Refusal(400_300, "The user is deactivated.") }
        if !user.revokedToken.isEmpty, token.isByteEqual(to: user.revokedToken) { throw Refusal.tokenRevoked() }
        guard user.accessToken.isEmpty || token.isByteEqual(to: user.accessToken) else { throw Refusal.wrongToken() }
        if !nickname.isEmpty, !user.nickname.isByteEqual(to: nickname) {
            user.nickname = nickname
            try storage.users.save(user)
        }
        return user
    }

    /// The user of a session key.
    public func user(ofSession key: String) throws -> UserRow {
        guard let session = try storage.sessions.session(key) else {
            throw Refusal(400_303, "The session key is not valid.")
        }
        if session.isRevoked { throw Refusal.tokenRevoked() }
        if session.expiresAt > 0, session.expiresAt <= now { throw Refusal.sessionExpired() }
        guard let user = try storage.users.user(session.userID) else { throw Refusal(400_301, "\"User\" not found.") }
        guard user.isActive else { throw Refusal(400_300, "The user is deactivated.") }
        return user
    }

    /// A session key; one that never expires is the same for all of a user's devices, so that logins leave nothing
    /// behind.
    public func open(_ userID: String, expires: Bool) throws -> String {
        if !expires, let known = try storage.sessions.lasting(userID) { return known }
        return try storage.sessions.make(userID, expiresAt: expires ? now &+ options.sessionLife : 0, now: now)
    }

    /// A socket uses this session key from now on, and is told when the key runs out.
    public func awaitExpiry(of sessionKey: String, _ socket: ChatSocket) {
        do {
            let time = try storage.sessions.session(sessionKey)?.expiresAt ?? 0
            socket.holdsKey(expiringAt: time)
            chat.dueTimer.arrange(at: time)
        } catch {
            Log.failure("the expiry of a session key was not read", error)
        }
    }

    /// The answer to a successful login.
    ///
    /// `configTime` is when the client has last read the application's settings.
    public func loginDocument(_ user: UserRow, sessionKey: String, configTime: Int64) throws -> JSON {
        try storage.activity.note(user.id, at: now)
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        user.writeFull(&writer, isOnline: true)
        // The names that older clients read.
        writer.member("guest_id", user.id)
        writer.member("name", user.nickname)
        writer.member("image", user.profileURL)
        writer.member("key", sessionKey)
        writer.member("ekey", try storage.documents.fileKey(at: now))
        writer.member("login_ts", now)
        // When the key runs out; -1 is never.
        let expiry = try storage.sessions.session(sessionKey)?.expiresAt ?? 0
        writer.member("expires_at", expiry > 0 ? expiry : -1)
        writeConnection(&writer)
        writer.member("max_unread_count_on_super_group", 100)
        writer.member("max_unread_cnt_on_super_group", 100)
        try writeFeatures(&writer, configTime: configTime)
        writer.member("unread_cnt", raw: try chat.unread.counts(of: user.id).serialized())
        writer.endObject()
        return (try? JSON.parse(writer.bytes)) ?? .object()
    }

    /// When a client connects again, and how it looks whether the connection is still there.
    private func writeConnection(_ writer: inout JSONWriter) {
        writer.key("reconnect")
        writer.beginObject()
        writer.key("interval")
        writer.raw(Array("2.0".utf8))
        writer.key("max_interval")
        writer.raw(Array("20.0".utf8))
        writer.member("mul", 2)
        writer.member("retry_cnt", -1)
        writer.endObject()
        writer.member("ping_interval", options.pingInterval)
        writer.member("pong_timeout", options.pongTimeout)
    }

    /// What the server has, and how the application is set.
    private func writeFeatures(_ writer: inout JSONWriter, configTime: Int64) throws {
        writer.key("premium_feature_list")
        writer.raw(Array("[\"message_threading\",\"poll\",\"supergroup\"]".utf8))
        writer.member("file_upload_size_limit", options.fileLimit)
        writer.key("application_attributes")
        writer.raw(
            Array(
                "[\"reactions\",\"allow_group_channel_create_from_sdk\",\"allow_group_channel_invite_from_sdk\"]".utf8))
        writer.member("emoji_hash", try chat.emoji.hash())
        writer.member("use_reaction", true)
        writer.member("disable_supergroup_mack", settings.disablesSuperAcknowledgements)
        writer.member("unread_cnt_threading_policy", settings.unreadThreading.rawValue)
        writer.member("last_msg_threading_policy", settings.lastMessageThreading.rawValue)
        writer.member("multiple_file_send_max_size", 30)
        writer.member("allow_sdk_log_ingestion", false)
        writer.key("log_publish_config")
        writer.raw(Array("{\"default\":{\"enabled\":false},\"realtime\":{\"enabled\":false}}".utf8))
        writer.key("notifications")
        writer.raw(
            Array(
                "{\"enabled\":false,\"feed_channels\":{},\"settings_updated_at\":0,\"template_list_token\":\"\"}".utf8))
        writer.key("uikit_config")
        writer.raw(Array("{\"enabled\":false}".utf8))
        writer.member("device_token_last_deleted_at", 0)
        writer.member("config_sync_needed", settings.changedAt > configTime)
        writer.member("config_ts", settings.changedAt)
        writer.member("request_dedup_interval_ms", 50)
        writer.key("services")
        writer.raw(Array("[\"chat\"]".utf8))
        writer.member("concurrent_call_limit", 10)
    }

    /// A session key that lasts as long as the administration wants it to.
    public func make(_ userID: String, until expiry: Int64) throws -> String {
        try storage.sessions.make(userID, expiresAt: expiry, now: now)
    }

    /// A session key for a client that has none or an old one, and the key that opens files.
    public func renew(_ userID: String, expires: Bool) throws -> (key: String, fileKey: String) {
        let key = try open(userID, expires: expires)
        try storage.activity.note(userID, at: now)
        return (key, try storage.documents.fileKey(at: now))
    }
}

extension Chat {
    public var sessions: SessionRules { SessionRules(chat: self) }
}
