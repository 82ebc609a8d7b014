import SyncJSON
import SyncModel

/// The Sendbird Platform's wire protocol: REST v3 and its socket commands, as bytes in and bytes out. No I/O, no clock.
public struct SendbirdService {
    /// A request as it goes over the wire.
    public enum Encoded: Equatable, Sendable {
        case http(method: String, url: String, headers: [Header], body: [UInt8]?)
        /// A socket frame. An answer, if there is one, carries the request id.
        case frame([UInt8], awaiting: String?)
    }

    public struct Header: Equatable, Sendable {
        public var name: String
        public var value: String

        /// Control characters are left out of the value: a token or key with a line break in it must not become a
        /// header of its own.
        public init(_ name: String, _ value: String) {
            self.name = name
            let printable = value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
            self.value = String(String.UnicodeScalarView(printable))
        }
    }

    public let appID: String
    public let userID: String
    public let apiHost: String
    public let wsHost: String
    public let libraryVersion: String
    public var accessToken: String
    /// Given at login, and by renewal.
    public private(set) var sessionKey = ""
    /// Whether the socket that `login` was asked for last has been let in.
    var isLoggedIn = false

    /// Hosts are given with their scheme; `nil` means the service's own for the app.
    public init(
        appID: String, userID: String, apiHost: String?, wsHost: String?, accessToken: String, libraryVersion: String
    ) {
        self.appID = appID
        self.userID = userID
        self.apiHost = SendbirdService.trimmed(apiHost ?? "https://api-\(appID).sendbird.com")
        self.wsHost = SendbirdService.trimmed(wsHost ?? "wss://ws-\(appID).sendbird.com")
        self.accessToken = accessToken
        self.libraryVersion = libraryVersion
    }

    private static func trimmed(_ host: String) -> String { host.hasSuffix("/") ? String(host.dropLast()) : host }

    // MARK: Login

    /// Where the socket opens, with the credentials: the access token at first, the session key afterwards.
    public mutating func login(token: String) -> (url: String, headers: [Header]) {
        isLoggedIn = false
        var query = Query()
        query.add("p", "Linux")
        query.add("pv", libraryVersion)
        query.add("o", "Linux")
        query.add("sv", libraryVersion)
        query.add("ai", appID)
        query.add("user_id", userID)
        query.add("SB-User-Agent", "libsyncmanager/" + libraryVersion)
        query.add("include_extra_data", "premium_feature_list,file_upload_size_limit,application_attributes,emoji_hash")
        query.add("include_poll_details", "1")
        query.add("expiring_session", "0")
        query.add("use_local_cache", "1")
        let credential = sessionKey.isEmpty || token != accessToken
            ? Header("SENDBIRD-WS-TOKEN", token) : Header("SENDBIRD-WS-AUTH", sessionKey)
        return (wsHost + "/?" + query.text, [credential])
    }

    public mutating func setToken(_ token: String) {
        if token != accessToken { sessionKey = "" }
        accessToken = token
    }

    /// A login was refused for its session key: the next one uses the access token.
    public mutating func forgetSessionKey() { sessionKey = "" }

    /// Takes a key the service gave, if it gave one.
    mutating func adopt(sessionKey key: String) { if !key.isEmpty { sessionKey = key } }

    // MARK: Requests

    /// A request in the service's words. A message goes over the socket: its order among others of this user is certain
    /// there, and its answer comes behind all that the socket told before.
    public func encode(_ request: ServiceRequest) -> Encoded {
        switch request {
        case .listChannels(let query, let token, let limit):
            return get("/users/\(Query.escape(userID))/my_group_channels", channelQuery(query, token, limit))
        case .channelChanges(let since):
            var query = Query()
            query.add(since)
            query.addChannelParts()
            query.add("show_empty", "true")
            query.add("show_frozen", "true")
            query.add("include_chat_notification", "true")
            return get("/users/\(Query.escape(userID))/my_group_channels/changelogs", query)
        case .getChannel(let url):
            var query = Query()
            query.addChannelParts()
            return get("/group_channels/\(Query.escape(url))", query)
        case .listMessages(let url, let time, let before, let after):
            var query = Query()
            query.add("message_ts", String(time))
            query.add("prev_limit", String(before))
            query.add("next_limit", String(after))
            query.add("include", "true")
            query.add("reverse", "false")
            query.addMessageParts()
            return get("/group_channels/\(Query.escape(url))/messages", query)
        case .messageChanges(let url, let since):
            var query = Query()
            query.add(since)
            query.addMessageParts()
            return get("/group_channels/\(Query.escape(url))/messages/changelogs", query)
        case .messageGap(let url, let from, let after, let held):
            var query = Query()
            // The service compares how many messages lie in a range, both ends included, with how many are held there,
            // and sends the range when they differ. Nothing is missing before: that range is the oldest message alone.
            query.add("prev_start_ts", String(from))
            query.add("prev_end_ts", String(from))
            query.add("prev_cache_count", "1")
            query.add("next_start_ts", String(after))
            query.add("next_end_ts", String(Int64.max))
            query.add("next_cache_count", String(held))
            query.addMessageParts()
            return get("/group_channels/\(Query.escape(url))/messages_gap", query)
        case .sendMessage(let url, let requestID, let body):
            let document = object(body)
            document.set("req_id", .string(requestID))
            document.set("channel_url", .string(url))
            return frame("MESG", document, awaiting: requestID)
        case .updateMessage(let url, let id, let body):
            let document = object(body)
            document.set("message_type", "MESG")
            document.set("user_id", .string(userID))
            return http("PUT", "/group_channels/\(Query.escape(url))/messages/\(id)", Query(), document.serialized())
        case .deleteMessage(let url, let id):
            return http("DELETE", "/group_channels/\(Query.escape(url))/messages/\(id)", Query(), nil)
        case .markAsRead(let url):
            return frame("READ", .object(["channel_url": .string(url)]), awaiting: nil)
        case .renewSession:
            let body = JSON.object(["expiring_session": false]).serialized()
            return .http(
                method: "POST", url: apiHost + "/v3/users/\(Query.escape(userID))/session_key",
                headers: [
                    Header("App-Id", appID), Header("Access-Token", accessToken),
                    Header("Content-Type", "application/json"),
                ],
                body: body)
        case .ping(let time):
            return frame("PING", .object(["id": .int(time), "active": true]), awaiting: nil)
        }
    }

    /// The engine's bodies are objects; anything else is as good as an empty one.
    private func object(_ body: [UInt8]) -> JSON {
        (try? JSON.parse(body)).flatMap { $0.kind == .object ? $0 : nil } ?? .object()
    }

    private func frame(_ command: String, _ payload: JSON, awaiting: String?) -> Encoded {
        .frame(Array(command.utf8) + payload.serialized() + [0x0A], awaiting: awaiting)
    }

    private func get(_ path: String, _ query: Query) -> Encoded { http("GET", path, query, nil) }

    private func http(_ method: String, _ path: String, _ query: Query, _ body: [UInt8]?) -> Encoded {
        var headers = [
            Header("Accept", "application/json"), Header("App-Id", appID),
            Header("SB-User-Agent", "libsyncmanager/" + libraryVersion),
        ]
        if !sessionKey.isEmpty { headers.append(Header("Session-Key", sessionKey)) }
        if body != nil { headers.append(Header("Content-Type", "application/json")) }
        let tail = query.text.isEmpty ? "" : "?" + query.text
        return .http(method: method, url: apiHost + "/v3" + path + tail, headers: headers, body: body)
    }

    private func channelQuery(_ query: ChannelQuery, _ token: String, _ limit: Int) -> Query {
        var result = Query()
        if !token.isEmpty { result.add("token", token) }
        result.add("limit", String(limit))
        result.add("order", query.order.rawValue)
        result.addChannelParts()
        result.add("show_empty", query.includeEmpty ? "true" : "false")
        result.add("show_frozen", query.includeFrozen ? "true" : "false")
        result.add("include_chat_notification", query.includeChatNotification ? "true" : "false")
        result.add("distinct_mode", "all")
        result.add("super_mode", query.superChannels.rawValue)
        result.add("public_mode", query.publicChannels.rawValue)
        result.add("hidden_mode", query.hiddenChannels.rawValue)
        result.add("unread_filter", query.unreadChannels.rawValue)
        result.add("member_state_filter", query.memberState.rawValue)
        result.add("custom_types", list: query.customTypes)
        result.add("custom_type_startswith", query.customTypeStartsWith)
        result.add("channel_urls", list: query.channelURLs)
        result.add("name_contains", query.nameContains)
        result.add("members_nickname_contains", query.nicknameContains)
        result.add("members_nickname_startswith", query.nicknameStartsWith)
        result.add("members_nickname", query.nicknameExact)
        result.add("members_exactly_in", list: query.userIDsExact)
        if !query.userIDsInclude.isEmpty {
            result.add("members_include_in", list: query.userIDsInclude)
            result.add("query_type", query.userIDsCombination.rawValue)
        }
        if !query.searchQuery.isEmpty {
            let fields = query.searchFields.isEmpty ? ChannelQuery.SearchField.allCases : query.searchFields
            result.add("search_query", query.searchQuery)
            result.add("search_fields", list: fields.map(\.rawValue))
        }
        result.add("metadata_key", query.metadataKey)
        result.add("metadata_values", list: query.metadataValues)
        result.add("metadata_value_startswith", query.metadataValueStartsWith)
        result.add("metadata_order_key", query.metadataOrderKey)
        // Channels are created in whole seconds there. "Before 1.5 s" means before 2 s, "after 1.5 s" means after 1 s.
        if query.createdBefore > 0 {
            result.add("created_before", String(query.createdBefore / 1000 + (query.createdBefore % 1000 > 0 ? 1 : 0)))
        }
        if query.createdAfter > 0 { result.add("created_after", String(query.createdAfter / 1000)) }
        return result
    }
}
