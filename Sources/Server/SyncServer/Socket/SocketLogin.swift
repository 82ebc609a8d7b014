import ServerBase
import ServerChat
import ServerHTTP
import ServerTools
import SyncBytes
import SyncJSON
import SyncWebSocket

/// Opens a socket: checks what the handshake needs, and finds out who logs in.
///
/// A refused login still gets its socket, with one LOGI that says why: that is how clients learn it.
struct SocketLogin {
    let chat: Chat
    /// The faults that tests have asked for, for logins.
    let faults: FaultPlan?

    /// What the answer to a handshake needs; `nil` when the request is no handshake, or one that cannot be accepted.
    static func accept(_ request: HTTPRequest) -> (key: String, protocols: [(String, String)])? {
        func holds(_ header: String, _ word: String) -> Bool {
            (request.header(header) ?? "").lowercased().split(separator: ",").contains { part in
                String(part.drop { $0 == " " || $0 == "\t" }).beginsWithBytes(of: word)
            }
        }
        guard request.method == "GET", holds("Upgrade", "websocket"), holds("Connection", "upgrade"),
            request.header("Sec-WebSocket-Version") == "13", let key = request.header("Sec-WebSocket-Key"),
            WebSocketHandshake.isValidKey(key)
        else { return nil }
        let answer =
            request.header("Sec-WebSocket-Protocol").map { [("Sec-WebSocket-Protocol", firstProtocol($0))] } ?? []
        return (WebSocketHandshake.acceptValue(forKey: key), answer)
    }

    private static func firstProtocol(_ header: String) -> String {
        String(header.prefix { $0 != "," && $0 != " " })
    }

    /// The request with the headers that a login reads, independent of its connection.
    static func keep(_ request: HTTPRequest) -> HTTPRequest {
        var headers: TextMap<String> = [:]
        for name in ["SENDBIRD-WS-TOKEN", "SENDBIRD-WS-AUTH", "Sec-WebSocket-Protocol"] {
            headers[name] = request.header(name)
        }
        let kept = headers
        return HTTPRequest(method: request.method, target: request.target, body: []) { kept[$0] }
    }

    /// Opens the socket of a request.
    func open(_ request: HTTPRequest, _ link: any SocketLink) {
        let document: JSON
        var user: UserRow?
        var sessionKey = ""
        do {
            let found = try authenticate(request)
            if let frames = try putOff(found.user) {
                // A socket of no user can do nothing; the client has to close it.
                let socket = chat.hub.adopt(link, userID: "")
                for frame in frames { socket.send(frame) }
                return socket.open()
            }
            user = found.user
            sessionKey = found.key
            let configTime = try request.query.int("config_ts") ?? 0
            document = try chat.sessions.loginDocument(found.user, sessionKey: found.key, configTime: configTime)
        } catch {
            let refusal = error as? Refusal ?? Refusal(500_901, "Internal error.", status: 500)
            if !(error is Refusal) { Log.failure("a login failed", error) }
            document = .object([
                "error": true, "code": .int(Int64(refusal.code)), "message": .string(refusal.message),
            ])
        }
        let socket = chat.hub.adopt(link, userID: user?.id ?? "")
        // The greeting goes first: what came with the handshake is answered after it.
        socket.send(Frames.frame("LOGI", document))
        if user != nil {
            chat.hub.loggedIn(socket)
            chat.sessions.awaitExpiry(of: sessionKey, socket)
        }
        socket.open()
        if user == nil { socket.end(code: 4000, reason: document["message"]?.string ?? "") }
    }

    /// The frames that a login of this user gets instead of its greeting, as a test asks for; `nil`: none are asked
    /// for.
    private func putOff(_ user: UserRow) throws -> [[UInt8]]? {
        if let busy = faults?.takeBusy(user.id) { return [busy] }
        guard let fault = faults?.take(command: "LOGI", of: user.id) else { return nil }
        if fault.isIgnored { return [] }
        throw fault.error
    }

    private func authenticate(_ request: HTTPRequest) throws -> (user: UserRow, key: String) {
        let query = request.query
        guard chat.options.isApplication(query.text("ai")) else {
            throw Refusal(400_304, "\"Application\" not found.")
        }
        var token = decoded(request.header("SENDBIRD-WS-TOKEN")) ?? ""
        var key = decoded(request.header("SENDBIRD-WS-AUTH")) ?? ""
        // Browsers cannot set headers, so their clients put these values into the subprotocol.
        if let text = decoded(request.header("Sec-WebSocket-Protocol")), let json = try? JSON.parse(text) {
            if key.isEmpty { key = json["auth"]?.string ?? "" }
            if token.isEmpty { token = json["token"]?.string ?? "" }
        }
        if token.isEmpty { token = query.text("access_token") }
        if key.isEmpty { key = query.text("key", "session_key") }
        let userID = query.text("user_id")
        let expires = query.bool("expiring_session")
        if !key.isEmpty {
            let user = try chat.sessions.user(ofSession: key)
            guard userID.isEmpty || userID.isByteEqual(to: user.id) else {
                throw Refusal(400_303, "The session key is another user's.")
            }
            return (user, key)
        }
        let user = try chat.sessions.logIn(userID, token: token, nickname: query.text("nickname"))
        return (user, try chat.sessions.open(user.id, expires: expires))
    }

    /// Header values may come percent-encoded.
    private func decoded(_ header: String?) -> String? {
        guard let header, !header.isEmpty else { return nil }
        return PercentEncoding.decode(header.utf8, plusIsSpace: false)
    }
}
