import ServerBase
import ServerChat
import ServerHTTP
import ServerRealtime
import SyncBytes
import SyncJSON
import SyncTree

/// The control endpoint, by which tests cause faults and look into the server. Off unless asked for; see docs/server.md
/// for what each address takes and gives.
public final class ControlEndpoint {
    /// The faults for requests, and for commands and logins of sockets.
    public let faults = FaultPlan()
    /// What came in; whoever serves requests and sockets writes it down here.
    public let traffic = TrafficLog()
    private let chat: Chat
    private let storage: Storage
    private let database: DatabaseService

    public init(_ chat: Chat, _ storage: Storage, _ database: DatabaseService) {
        self.chat = chat
        self.storage = storage
        self.database = database
    }

    /// Answers a request whose path begins with control/.
    public func answer(_ request: HTTPRequest) -> HTTPResponse {
        do {
            return HTTPResponse(try route(request))
        } catch let error as Refusal {
            return HTTPResponse(error)
        } catch {
            return HTTPResponse(Refusal(500_901, "\(error)", status: 500))
        }
    }

    private func route(_ request: HTTPRequest) throws -> JSON {
        let payload = try request.payload()
        let path = request.target.segments.dropFirst().joined(separator: "/")
        switch (request.method, path) {
        case ("POST", "drop_sockets"): return try dropSockets(payload)
        case ("POST", "drop_streams"): return try dropStreams(payload)
        case ("POST", "silence_streams"): return try turn(&database.isSilent, payload)
        case ("POST", "refuse_connections"): return try turn(&faults.refusesConnections, payload)
        case ("POST", "delay"): return try delay(payload)
        case ("POST", "fault"): return try fault(payload)
        case ("POST", "busy"): return try busy(payload)
        case ("POST", "clear_faults"):
            faults.clear()
            chat.acksToLose = 0
            chat.refusesRepeats = false
            database.isSilent = false
            return .object()
        case ("POST", "expire_session_keys"): return try expireSessions(payload)
        case ("POST", "revoke_tokens"): return try revokeTokens(payload)
        case ("POST", "advance_clock"):
            chat.clock.advance(by: try payload.int("ms") ?? 0)
            chat.due.run()
            return .object(["ts": .int(chat.now)])
        case ("POST", "lose_next_ack"):
            chat.acksToLose = Int(clamping: try payload.int("count") ?? 1)
            return .object(["count": .int(Int64(chat.acksToLose))])
        case ("POST", "refuse_repeats"): return try turn(&chat.refusesRepeats, payload)
        case ("GET", "settings"): return chat.settings.json
        case ("POST", "settings"):
            try chat.application.changeSettings(payload)
            return chat.settings.json
        case ("POST", "send_frame"): return try sendFrame(payload)
        case ("POST", "post_messages"): return try postMessages(payload)
        case ("POST", "move_message"): return try moveMessage(payload)
        case ("GET", "received"): return traffic.document
        case ("DELETE", "received"), ("POST", "clear_received"):
            traffic.clear()
            return .object()
        case ("GET", "channel_messages"): return try channelMessages(request)
        case ("GET", "state"): return try state()
        default: throw Refusal.noEndpoint()
        }
    }

    /// Turns something on, or off if the payload says so.
    private func turn(_ isOn: inout Bool, _ payload: Fields) throws -> JSON {
        isOn = try payload.bool("on") ?? true
        return .object(["on": .bool(isOn)])
    }

    private func sockets(_ payload: Fields) throws -> [ChatSocket] {
        guard let user = try payload.string("user_id"), !user.isEmpty else { return chat.hub.all }
        return chat.hub.sockets(of: user)
    }

    private func dropSockets(_ payload: Fields) throws -> JSON {
        let sockets = try sockets(payload)
        let code = try payload.int("code")
        for socket in sockets {
            if let code {
                socket.end(code: UInt16(clamping: code), reason: try payload.string("reason") ?? "")
            } else {
                socket.close()
            }
        }
        return .object(["dropped": .int(Int64(sockets.count))])
    }

    private func dropStreams(_ payload: Fields) throws -> JSON {
        let path: TreePath?
        do { path = try payload.string("path").map { text throws(TreeError) in try TreePath(text) } } catch {
            throw Refusal.invalid("path", "\(error)")
        }
        let count = database.dropStreams(name: try payload.string("ns"), path: path)
        return .object(["dropped": .int(Int64(count))])
    }

    private func delay(_ payload: Fields) throws -> JSON {
        let prefix = try payload.string("path_prefix") ?? ""
        let milliseconds = try payload.int("ms") ?? 0
        faults.delays.removeAll { $0.pathPrefix.isByteEqual(to: prefix) }
        if milliseconds > 0 { faults.delays.append(FaultPlan.Delay(pathPrefix: prefix, milliseconds: milliseconds)) }
        return .object(["delays": .int(Int64(faults.delays.count))])
    }

    private func fault(_ payload: Fields) throws -> JSON {
        guard let kind = FaultPlan.Kind(rawValue: try payload.required("kind")) else {
            throw Refusal.invalid(
                "kind", "429, 5xx, garbage, half_body, close, refuse, redirect or ignore is expected")
        }
        let command = try payload.string("command") ?? ""
        guard command.isEmpty ? kind != .ignore : kind == .ignore || kind == .refuse else {
            throw Refusal.invalid("kind", "refuse or ignore goes with a command, all but ignore with a request")
        }
        let status = Int(clamping: try payload.int("status") ?? (kind == .refuse ? 400 : 500))
        guard (kind == .refuse ? 400...599 : 500...599).contains(status) else { throw Refusal.outOfRange("status") }
        faults.add(
            FaultPlan.Fault(
                pathContains: try payload.string("path_contains") ?? "", command: command,
                userID: try payload.string("user_id") ?? "", kind: kind, status: status,
                code: Int(clamping: try payload.int("code") ?? 400_920),
                message: try payload.string("message") ?? "Refused by the control endpoint.",
                executes: try payload.bool("executes") ?? false, retryAfter: try payload.int("retry_after") ?? 1,
                location: try payload.string("location") ?? "",
                remaining: max(1, Int(clamping: try payload.int("count") ?? 1))))
        return .object(["faults": .int(Int64(faults.faults.count))])
    }

    /// Says that the service is overloaded: to the next logins, or to the sockets that are open.
    private func busy(_ payload: Fields) throws -> JSON {
        guard let seconds = try payload.int("retry_after"), seconds >= 0 else { throw Refusal.missing("retry_after") }
        let body = JSON.object([
            "retry_after": .int(seconds), "reason_code": .int(try payload.int("reason_code") ?? 0),
            "message": .string(try payload.string("message") ?? "The server is overloaded."),
        ])
        let frame = Frames.frame("BUSY", body)
        guard try payload.bool("open_sockets") != true else {
            let sockets = try sockets(payload)
            for socket in sockets { socket.send(frame) }
            return .object(["sent": .int(Int64(sockets.count))])
        }
        let count = max(0, Int(clamping: try payload.int("count") ?? 1))
        faults.putOffLogins(
            FaultPlan.Busy(userID: try payload.string("user_id") ?? "", frame: frame, remaining: count))
        return .object(["count": .int(Int64(count))])
    }

    /// Lets session keys run out; the users' sockets are told unless asked not to.
    private func expireSessions(_ payload: Fields) throws -> JSON {
        try storage.sessions.expire(of: try payload.string("user_id"), at: chat.now)
        if try payload.bool("notify") ?? true {
            let frame = Frames.frame("EXPR", .object(["expires_in": 0]))
            for socket in try sockets(payload) { socket.send(frame) }
        }
        // These clients were told above, or are not to be told.
        for socket in try sockets(payload) { socket.holdsKey(expiringAt: 0) }
        return .object()
    }

    /// Makes access tokens worthless and gives the users new ones, which are told here.
    private func revokeTokens(_ payload: Fields) throws -> JSON {
        let named = try payload.string("user_id")
        let users = try named.map { [try chat.activeUser($0)] } ?? storage.users.all()
        let result = JSON.array()
        try storage.transaction {
            for var user in users where named != nil || !user.accessToken.isEmpty {
                user.revokedToken = user.accessToken
                user.accessToken = chat.users.newAccessToken()
                try storage.users.save(user)
                try storage.sessions.revoke(of: user.id)
                result.append(.object(["user_id": .string(user.id), "access_token": .string(user.accessToken)]))
            }
        }
        if try payload.bool("notify") ?? true {
            let frame = Frames.frame("EXPR", .object(["expires_in": -1, "reason": 400_310]))
            for socket in try sockets(payload) where !socket.userID.isEmpty {
                socket.send(frame)
                socket.end(code: 4000, reason: "token revoked")
            }
        }
        return .object(["users": result])
    }

    /// Sends any frame to sockets, as it stands.
    private func sendFrame(_ payload: Fields) throws -> JSON {
        let text = try payload.required("text")
        let sockets = try sockets(payload)
        for socket in sockets { socket.send(Array(text.utf8)) }
        return .object(["sent": .int(Int64(sockets.count))])
    }

    /// Many messages at once, each one told as if it had been sent alone.
    private func postMessages(_ payload: Fields) throws -> JSON {
        let channel = try chat.channel(try payload.required("channel_url"))
        let user = try chat.activeUser(try payload.required("user_id"))
        let count = Int(clamping: try payload.int("count") ?? 1)
        guard (0...100_000).contains(count) else { throw Refusal.outOfRange("count") }
        let text = try payload.string("text") ?? "message"
        let dataBytes = Int(clamping: try payload.int("data_bytes") ?? 0)
        guard dataBytes >= 0, dataBytes <= (64 << 20) / max(count, 1) else {
            throw Refusal.outOfRange("data_bytes")
        }
        let data = String(repeating: "x", count: dataBytes)
        let caller = Caller(userID: user.id, isAdmin: true)
        let ids = JSON.array()
        // One transaction, so that a flood is not slowed by a commit for each message; all are told when all are
        // stored.
        let frames = try storage.transaction { () throws -> [[UInt8]] in
            try (0..<count).map { number in
                var input = MessageInput(kind: .text)
                input.text = count == 1 ? text : "\(text) \(number + 1)"
                input.data = data
                let sent = try chat.sending.send(input, caller, try chat.channel(channel.url), tells: false)
                ids.append(.int(sent.message.id))
                return sent.frame
            }
        }
        let members = try storage.audience(channel.id)
        for frame in frames.dropLast() { chat.hub.send(frame, to: members) }
        // All messages are stored by now, so unread totals are right only with the last one.
        if let last = frames.last { chat.tell(Broadcast(frame: last, users: members, carriesUnread: true)) }
        return .object(["message_ids": ids])
    }

    /// Gives a message another time of creation, as a service may do to correct its history. Told as an edit.
    private func moveMessage(_ payload: Fields) throws -> JSON {
        let channel = try chat.channel(try payload.required("channel_url"))
        guard let id = try payload.int("message_id"), let time = try payload.int("created_at") else {
            throw Refusal.missing("message_id and created_at")
        }
        guard var message = try storage.messages.message(id, in: channel.id), let json = try? JSON.parse(message.json)
        else {
            throw Refusal.noMessage()
        }
        let now = chat.now
        guard (1...now).contains(time) else { throw Refusal.outOfRange("created_at") }
        json.set("created_at", .int(time))
        json.set("updated_at", .int(now))
        try chat.change { broadcasts in
            try storage.messages.delete(message)
            message.createdAt = time
            message.json = json.serialized()
            try storage.messages.insert(message)
            try storage.changes.note(message, isDeleted: false, at: now)
            try storage.messages.recallLastMessage(channel.id, chat.settings.lastMessageThreading)
            try storage.members.recallSilent(after: message, chat.settings.lastMessageThreading)
            if channel.survival >= 0 { chat.dueTimer.expireLater() }
            try storage.channels.touch(channel.id, at: now)
            broadcasts.append(
                Broadcast(
                    frame: chat.edits.editFrame(message, .object()), users: try storage.audience(channel.id)))
        }
        return .object()
    }

    /// All messages of a channel in its order, to compare those of a client with them.
    private func channelMessages(_ request: HTTPRequest) throws -> JSON {
        let channel = try chat.channel(request.query.text("channel_url"))
        let all = try storage.messages.ids(channel.id)
        let result = JSON.object([
            "channel_url": .string(channel.url), "count": .int(Int64(all.count)),
            "message_ids": .array(all.map { .int($0.id) }), "created_at": .array(all.map { .int($0.createdAt) }),
        ])
        if request.query.bool("full") {
            result.set(
                "messages",
                .array(
                    try all.compactMap { entry in
                        try storage.messages.message(entry.id).flatMap { try? JSON.parse($0.bytes(.all)) }
                    }))
        }
        return result
    }

    private func state() throws -> JSON {
        let sockets = JSON.array(chat.hub.all.map { .string($0.userID) })
        let streams = JSON.array(
            database.listeners.map { .object(["ns": .string($0.name), "path": .string($0.path.text)]) })
        return .object([
            "ts": .int(chat.now), "sockets": sockets, "streams": streams,
            "refuses_connections": .bool(faults.refusesConnections), "faults": .int(Int64(faults.faults.count)),
            "acks_to_lose": .int(Int64(chat.acksToLose)),
        ])
    }
}
