import SyncBytes
import SyncJSON
import SyncModel

/// Encodes requests for the Sendbird Platform: REST v3 and socket commands.
struct RequestEncoder {
    /// A request as it goes over the wire.
    enum Encoded {
        case http(
            method: String, url: String, headers: [TransportHeader], body: [UInt8]?, file: TransportFile? = nil)
        /// A socket frame. An answer, if there is one, carries the request id.
        case frame([UInt8], awaiting: RequestID?)
        /// It cannot be asked.
        case refused(ServiceFailure)
        /// It is known without asking.
        case known(ServiceReply)
    }

    let appID: String
    let userID: UserID
    let apiHost: String
    let wsHost: String
    let libraryVersion: String
    /// The host's; empty when it tells none.
    let appVersion: String

    /// Hosts are given with their scheme; `nil` means the service's own for the app.
    init(
        appID: String, userID: UserID, apiHost: String?, wsHost: String?, libraryVersion: String,
        appVersion: String = ""
    ) {
        self.appID = appID
        self.userID = userID
        self.apiHost = RequestEncoder.trimmed(apiHost ?? "https://api-\(appID).sendbird.com")
        self.wsHost = RequestEncoder.trimmed(wsHost ?? "wss://ws-\(appID).sendbird.com")
        self.libraryVersion = libraryVersion
        self.appVersion = appVersion
    }

    private static func trimmed(_ host: String) -> String { host.hasSuffix("/") ? String(host.dropLast()) : host }

    // MARK: Session

    /// Where the socket opens, with the credentials: the access token at first, the session key afterwards.
    /// `retentionTime`: see `ChatService`.
    func login(_ credentials: Credentials, retentionTime: Int64 = 0) -> (url: String, headers: [TransportHeader]) {
        var query = Query()
        query.add("p", "Linux")
        query.add("pv", libraryVersion)
        query.add("o", "Linux")
        query.add("sv", libraryVersion)
        query.add("ai", appID)
        query.add("av", appVersion)
        query.add("user_id", userID.text)
        query.add("SB-User-Agent", "libsyncmanager/" + libraryVersion)
        query.add("include_extra_data", "premium_feature_list,file_upload_size_limit,application_attributes,emoji_hash")
        query.add("include_poll_details", "1")
        query.add("config_ts", String(retentionTime))
        query.add("expiring_session", "0")
        query.add("use_local_cache", "1")
        let credential = credentials.sessionKey.isEmpty
            ? TransportHeader("SENDBIRD-WS-TOKEN", credentials.accessToken)
            : TransportHeader("SENDBIRD-WS-AUTH", credentials.sessionKey)
        return (wsHost + "/?" + query.text, [credential])
    }

    /// Asks for a new session key.
    func renewal(_ credentials: Credentials, timeout: Int64) -> TransportRequest {
        TransportRequest(
            method: "POST", url: apiHost + "/v3/users/\(PercentEncoding.escape(userID.text))/session_key",
            headers: [
                TransportHeader("App-Id", appID), TransportHeader("Access-Token", credentials.accessToken),
                TransportHeader("Content-Type", "application/json"),
            ],
            body: JSON.object(["expiring_session": false]).serialized(), timeout: timeout)
    }

    /// A ping frame. `time` is this machine's, milliseconds since the epoch.
    func ping(time: Int64) -> [UInt8] { frame("PING", .object(["id": .int(time), "active": true])) }

    // MARK: Requests

    /// A request as the service expects it. A message goes over the socket: its order among others of this user is
    /// certain there, and its acknowledgement comes behind all earlier events of the socket.
    ///
    /// `requestID` is for socket commands that have none of their own and are answered.
    func encode(_ request: ServiceRequest, _ credentials: Credentials, requestID: RequestID) -> Encoded {
        let sessionKey = credentials.sessionKey
        func get(_ path: String, _ query: Query) -> Encoded { http("GET", path, query, nil, sessionKey) }

        switch request {
        case .listChannels(let query, let token, let limit):
            return get(
                "/users/\(PercentEncoding.escape(userID.text))/my_group_channels", channelQuery(query, token, limit))
        case .channelChanges(let since):
            var query = Query()
            query.add(since)
            query.addChannelParts()
            query.add("show_empty", "true")
            query.add("show_frozen", "true")
            query.add("include_chat_notification", "true")
            return get("/users/\(PercentEncoding.escape(userID.text))/my_group_channels/changelogs", query)
        case .getChannel(let url):
            var query = Query()
            query.addChannelParts()
            return get("/group_channels/\(PercentEncoding.escape(url.text))", query)
        case .messagesAround(let url, let time, let limit, let parentID):
            return get(
                messages(of: url), page(time, before: limit, after: time == Int64.max ? 0 : limit, parentID))
        case .messages(let url, let edge, let direction, let limit, let parentID, _):
            let isPrevious = direction == .previous
            return get(
                messages(of: url),
                page(edge.position.order, before: isPrevious ? limit : 0, after: isPrevious ? 0 : limit, parentID))
        case .ownMessages(let url, let edge, let limit):
            var query = page(edge.position.order, before: limit, after: 0, "")
            query.add("sender_ids", list: [userID.text])
            return get(messages(of: url), query)
        case .getMessage(let url, let id):
            var query = Query()
            query.addMessageContent()
            return get(messages(of: url) + "/" + PercentEncoding.escape(id.text), query)
        case .messageChanges(let url, let since):
            var query = Query()
            query.add(since)
            query.addMessageParts()
            return get(messages(of: url) + "/changelogs", query)
        case .pollChanges(let url, let since):
            var query = Query()
            query.add(since)
            query.add("limit", "100")
            return get("/group_channels/\(PercentEncoding.escape(url.text))/polls/changelogs", query)
        case .messageGap(let url, let start, let end, let held, let filter):
            var query = Query()
            // The service compares how many messages lie in a range, both ends included, with how many are held there,
            // and sends the range when they differ. Nothing is missing before: that range is the oldest message alone.
            query.add("prev_start_ts", String(start.position.order))
            query.add("prev_end_ts", String(start.position.order))
            query.add("prev_cache_count", "1")
            query.add("next_start_ts", String(end.position.order))
            query.add("next_end_ts", String(Int64.max))
            query.add("next_cache_count", String(held))
            if let filter { query.add(filter) }
            query.addMessageParts(replies: filter?.replyType ?? .all)
            return get("/group_channels/\(PercentEncoding.escape(url.text))/messages_gap", query)
        case .retention(let since):
            var query = Query()
            switch since {
            case .token(let token): query.add("token", token)
            case .time(let time): query.add("ts", String(time))
            }
            query.add("limit", "100")
            return get("/sdk/applications/settings", query)
        case .unreadCounts: return get("/users/\(PercentEncoding.escape(userID.text))/unread_message_count", Query())
        case .sendMessage(let url, let requestID, let body):
            let document = object(body)
            let isFile = OwnFiles.isFile(document)
            if isFile { OwnFiles.flatten(document) }
            if let arrays = document["sorted_metaarray"] {
                document.set("metaarray", arrays)
                document.set("sorted_metaarray", nil)
            }
            if let payload = document["extended_message_payload"] {
                document.set("extended_message", payload)
                document.set("extended_message_payload", nil)
            }
            // Said only where it is not so.
            if document["push_option"]?.string == "default" { document.set("push_option", nil) }
            document.set("req_id", .string(requestID.text))
            document.set("channel_url", .string(url.text))
            return .frame(frame(isFile ? "FILE" : "MESG", document), awaiting: requestID)
        case .uploadFile(let url, let requestID, let file): return upload(file, url, requestID, sessionKey)
        case .edge: return .refused(.unsupported)
        case .markDelivered(let url, let id):
            let document = JSON.object(["channel_url": .string(url.text)])
            document.set("msg_id", id.json)
            return .frame(frame("MACK", document), awaiting: nil)
        case .action(let call) where call.action == .file(.downloadFile) || call.action == .file(.fileURL):
            return file(call, FileAccess(apiHost: apiHost, key: credentials.fileKey))
        case .action(let call):
            switch call.action.codec.encode(call, userID) {
            case .http(let method, let path, let query, let body):
                return http(method, path, query, body?.serialized(), sessionKey)
            case .unsupported: return .refused(.unsupported)
            case .frame(let command, let document, let isAnswered):
                guard isAnswered else { return .frame(frame(command, document), awaiting: nil) }
                document.set("req_id", .string(requestID.text))
                return .frame(frame(command, document), awaiting: requestID)
            }
        }
    }

    private func upload(
        _ file: OutgoingFile, _ url: ChannelURL, _ requestID: RequestID, _ sessionKey: String
    ) -> Encoded {
        var fields = [TransportForm.Field("channel_url", url.text), TransportForm.Field("request_id", requestID.text)]
        for (index, size) in file.thumbnails.enumerated() {
            fields.append(TransportForm.Field("thumbnail\(index + 1)", "\(size.width),\(size.height)"))
        }
        if file.requiresAuth { fields.append(TransportForm.Field("require_auth", "true")) }
        let request = http("POST", "/storage/file", Query(), nil, sessionKey)
        guard case .http(let method, let url, let headers, _, _) = request else { return request }
        let form = TransportForm(
            fields: fields, part: "file", fileName: file.name, type: file.type, path: file.path, stamp: file.stamp)
        return .http(method: method, url: url, headers: headers, body: nil, file: .sent(form))
    }

    /// A file of the service for the host: its address with the key, or all of it.
    private func file(_ call: ActionCall, _ access: FileAccess) -> Encoded {
        let url = call.text("url") ?? ""
        if let refusal = access.refusal(of: url) { return .refused(refusal) }
        let authorized = access.authorized(url)
        guard call.action == .file(.downloadFile) else {
            return .known(.action(ActionReply(result: JSON.object(["url": .string(authorized)]).serialized())))
        }
        let target = TransportTarget(
            path: call.text("path") ?? "", source: url, limit: call.integer("max_bytes") ?? Int64.max,
            replaces: call.flag("overwrite") ?? false)
        return .http(method: "GET", url: authorized, headers: [], body: nil, file: .received(target))
    }

    private func messages(of url: ChannelURL) -> String {
        "/group_channels/\(PercentEncoding.escape(url.text))/messages"
    }

    private func page(_ time: Int64, before: Int, after: Int, _ parentID: MessageID) -> Query {
        var query = Query()
        query.add("parent_message_id", parentID.text)
        query.add("message_ts", String(time))
        query.add("prev_limit", String(before))
        query.add("next_limit", String(after))
        query.add("include", "true")
        query.add("reverse", "false")
        query.addMessageParts()
        return query
    }

    /// The engine's bodies are objects; anything else is as good as an empty one.
    private func object(_ body: [UInt8]) -> JSON {
        (try? JSON.parse(body)).flatMap { $0.kind == .object ? $0 : nil } ?? .object()
    }

    private func frame(_ command: String, _ payload: JSON) -> [UInt8] {
        Array(command.utf8) + payload.serialized() + [0x0A]
    }

    private func http(
        _ method: String, _ path: String, _ query: Query, _ body: [UInt8]?, _ sessionKey: String
    ) -> Encoded {
        var headers = [
            TransportHeader("Accept", "application/json"), TransportHeader("App-Id", appID),
            TransportHeader("SB-User-Agent", "libsyncmanager/" + libraryVersion),
        ]
        if !sessionKey.isEmpty { headers.append(TransportHeader("Session-Key", sessionKey)) }
        if body != nil { headers.append(TransportHeader("Content-Type", "application/json")) }
        let tail = query.text.isEmpty ? "" : "?" + query.text
        // What changes something must not become a change of what stands above it: the channel instead of a member.
        guard method == "GET" || !PercentEncoding.hasDots(path: path) else { return .refused(.dots) }
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
        result.add("channel_urls", list: query.channelURLs.map(\.text))
        result.add("name_contains", query.nameContains)
        result.add("members_nickname_contains", query.nicknameContains)
        result.add("members_nickname_startswith", query.nicknameStartsWith)
        result.add("members_nickname", query.nicknameExact)
        result.add("members_exactly_in", list: query.userIDsExact.map(\.text))
        if !query.userIDsInclude.isEmpty {
            result.add("members_include_in", list: query.userIDsInclude.map(\.text))
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
