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
        /// The request cannot be made.
        case refused(ServiceFailure)
        /// The reply is known without a request.
        case known(ServiceReply)
    }

    let appID: String
    let userID: UserID
    let apiHost: String
    let wsHost: String
    let libraryVersion: String
    /// The version of the host's application; empty when the host tells none.
    let appVersion: String
    /// The version of this machine's system; empty when it is not known.
    let systemVersion: String
    /// Session keys run out, and the host gives a new access token when one is needed.
    let isSessionExpiring: Bool

    /// Hosts are given with their scheme; `nil` means the service's own for the app.
    init(
        appID: String, userID: UserID, apiHost: String?, wsHost: String?, libraryVersion: String,
        appVersion: String = "", systemVersion: String = "", isSessionExpiring: Bool = false
    ) {
        self.appID = appID
        self.userID = userID
        self.apiHost = RequestEncoder.trimmed(apiHost ?? "https://api-\(appID).sendbird.com")
        self.wsHost = RequestEncoder.trimmed(wsHost ?? "wss://ws-\(appID).sendbird.com")
        self.libraryVersion = libraryVersion
        self.appVersion = appVersion
        self.systemVersion = systemVersion
        self.isSessionExpiring = isSessionExpiring
    }

    private static func trimmed(_ host: String) -> String { host.hasSuffix("/") ? String(host.dropLast()) : host }

    // MARK: Session

    /// The address of the socket, with the credentials: the access token at first, the session key afterwards.
    /// `retentionTime`: see `ChatService`.
    func login(_ credentials: Credentials, retentionTime: Int64 = 0) -> (url: String, headers: [TransportHeader]) {
        var query = Query()
        query.add("p", "Linux")
        query.add("pv", libraryVersion)
        query.add("o", "Linux")
        if !systemVersion.isEmpty { query.add("ov", systemVersion) }
        query.add("sv", libraryVersion)
        query.add("ai", appID)
        query.add("av", appVersion)
        query.add("user_id", userID.text)
        query.add("SB-User-Agent", "libsyncmanager/" + libraryVersion)
        query.add("include_extra_data", "premium_feature_list,file_upload_size_limit,application_attributes,emoji_hash")
        query.add("include_poll_details", "1")
        query.add("config_ts", String(retentionTime))
        query.add("expiring_session", isSessionExpiring ? "1" : "0")
        query.add("use_local_cache", "1")
        let credential = credentials.sessionKey.isEmpty
            ? TransportHeader("SENDBIRD-WS-TOKEN", RequestEncoder.escaped(credentials.accessToken))
            : TransportHeader("SENDBIRD-WS-AUTH", RequestEncoder.escaped(credentials.sessionKey))
        return (wsHost + "/?" + query.text, [credential])
    }

    /// Escapes a header's value, since the service decodes it. Characters that occur in tokens stay as they are.
    private static func escaped(_ credential: String) -> String {
        PercentEncoding.escape(TransportHeader("", credential).value, keeping: "!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~")
    }

    /// Asks for a new session key.
    func renewal(_ credentials: Credentials, timeout: Int64) -> TransportRequest {
        TransportRequest(
            method: "POST", url: apiHost + "/v3/users/\(PercentEncoding.escape(userID.text))/session_key",
            headers: [
                TransportHeader("App-Id", appID), TransportHeader("Access-Token", credentials.accessToken),
                TransportHeader("Content-Type", "application/json"),
            ],
            body: JSON.object(["expiring_session": .bool(isSessionExpiring)]).serialized(), timeout: timeout)
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
            return get(user + "/my_group_channels", .channels(query, token: token, limit: limit))
        case .channelChanges(let since): return get(user + "/my_group_channels/changelogs", .channelChanges(since))
        case .getChannel(let url): return get(channel(url), .channel)
        case .messagesAround(let url, let time, let limit, let parentID):
            let after = time == Int64.max ? 0 : limit
            return get(messages(of: url), .messages(time, before: limit, after: after, parentID))
        case .messages(let url, let edge, let direction, let limit, let parentID, _):
            let (before, after) = direction == .previous ? (limit, 0) : (0, limit)
            return get(
                messages(of: url), .messages(edge.position.order, before: before, after: after, parentID))
        case .ownMessages(let url, let edge, let limit):
            return get(messages(of: url), .messages(edge.position.order, before: limit, after: 0, "", of: userID))
        case .getMessage(let url, let id):
            return get(messages(of: url) + "/" + PercentEncoding.escape(id.text), .message)
        case .messageChanges(let url, let since): return get(messages(of: url) + "/changelogs", .messageChanges(since))
        case .pollChanges(let url, let since): return get(channel(url) + "/polls/changelogs", .pollChanges(since))
        case .messageGap(let url, let start, let end, let held, let filter):
            return get(channel(url) + "/messages_gap", .gap(from: start, behind: end, held: held, filter))
        case .retention(let since): return get("/sdk/applications/settings", .retention(since))
        case .unreadCounts: return get(user + "/unread_message_count", Query())
        case .sendMessage(let url, let requestID, let body):
            let (isFile, document) = message(body, url, requestID)
            return .frame(frame(isFile ? "FILE" : "MESG", document), awaiting: requestID)
        case .sendMessageByRequest(let url, let requestID, let body):
            let (isFile, document) = message(body, url, requestID)
            document.set("message_type", isFile ? "FILE" : "MESG")
            document.set("user_id", .string(userID.text))
            // As over the socket: sending a message does not mark the channel as read.
            document.set("mark_as_read", false)
            return http("POST", messages(of: url), Query(), document.serialized(), sessionKey)
        case .uploadFile(let url, let requestID, let file): return upload(file, url, requestID, sessionKey)
        case .edge: return .refused(.unsupported)
        case .markDelivered(let url, let id):
            let document = JSON.object(["channel_url": .string(url.text)])
            document.set("msg_id", id.json)
            return .frame(frame("MACK", document), awaiting: nil)
        case .action(let call): return action(call, credentials, requestID)
        }
    }

    /// The fields of a message to be sent, over the socket or by a request.
    private func message(
        _ body: [UInt8], _ url: ChannelURL, _ requestID: RequestID
    ) -> (isFile: Bool, document: JSON) {
        let document = object(body)
        let isFile = OwnMessageDocument.isFile(document)
        if isFile { OwnFiles.flatten(document) }
        if let arrays = document["sorted_metaarray"] {
            document.set("metaarray", arrays)
            document.set("sorted_metaarray", nil)
        }
        if let payload = document["extended_message_payload"] {
            document.set("extended_message", payload)
            document.set("extended_message_payload", nil)
        }
        // The default is not sent.
        if document["push_option"]?.string == "default" { document.set("push_option", nil) }
        document.set("req_id", .string(requestID.text))
        document.set("channel_url", .string(url.text))
        return (isFile, document)
    }

    private func action(_ call: ActionCall, _ credentials: Credentials, _ requestID: RequestID) -> Encoded {
        if case .file(let action) = call.action {
            return file(action, call, FileAccess(apiHost: apiHost, key: credentials.fileKey))
        }
        switch call.action.codec.encode(call, userID) {
        case .http(let method, let path, let query, let body):
            return http(method, path, query, body?.serialized(), credentials.sessionKey)
        case .unsupported: return .refused(.unsupported)
        case .frame(let command, let document, let isAnswered):
            guard isAnswered else { return .frame(frame(command, document), awaiting: nil) }
            document.set("req_id", .string(requestID.text))
            return .frame(frame(command, document), awaiting: requestID)
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

    /// A request for a file of the service: its address with the key, or its content.
    private func file(_ action: FileAction, _ call: ActionCall, _ access: FileAccess) -> Encoded {
        let url = call.text("url") ?? ""
        if let refusal = access.refusal(of: url) { return .refused(refusal) }
        let authorized = access.authorized(url)
        switch action {
        case .fileURL:
            return .known(.action(ActionReply(result: JSON.object(["url": .string(authorized)]).serialized())))
        case .downloadFile:
            let target = TransportTarget(
                path: call.text("path") ?? "", source: url, limit: call.integer("max_bytes") ?? Int64.max,
                replaces: call.flag("overwrite") ?? false)
            return .http(method: "GET", url: authorized, headers: [], body: nil, file: .received(target))
        }
    }

    private var user: String { "/users/" + PercentEncoding.escape(userID.text) }

    private func channel(_ url: ChannelURL) -> String { "/group_channels/" + PercentEncoding.escape(url.text) }

    private func messages(of url: ChannelURL) -> String { channel(url) + "/messages" }

    /// The engine's bodies are objects; anything else counts as an empty one.
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
        // Dots in a path could turn a request that changes a member into one that changes the channel above it.
        guard method == "GET" || !PercentEncoding.hasDots(path: path) else { return .refused(.dots) }
        return .http(method: method, url: apiHost + "/v3" + path + tail, headers: headers, body: body)
    }
}
