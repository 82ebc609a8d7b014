import SyncJSON
import SyncModel
import SyncServer
import SyncSimulation
import SyncTree

/// The real server within the process, and the other users who act on it. What the device's user sees of it is what its
/// REST answers say: they are the oracle.
final class SimulatedService: NetworkedServer {
    /// A message as the simulation knows it: what the server told a member's socket when it was sent.
    struct Message {
        let id: Int64
        let sender: String
        let text: String
        let channelURL: String
        /// Another one when the channel was deleted and made again under its URL.
        let channelID: Int64
        var createdAt: Int64
        let parentID: Int64
        let isReplyToChannel: Bool
    }

    static let me = "mei"
    static let others = ["bo", "kit"]
    /// In no channel at first.
    static let guest = "ann"
    static let apiHost = "http://service"
    static let wsHost = "ws://service"
    static let databaseHost = "http://db"
    /// MiB.
    static let fileLimit: Int64 = 1
    static let start: Int64 = 1_700_000_000_000

    let server: InProcessServer
    private(set) var token = "token-1"
    /// Every message that was ever sent, by id; deleted ones too.
    private(set) var messages: [Int64: Message] = [:]
    /// Ids by the text, of this user's messages.
    private(set) var ownIDs: [String: [Int64]] = [:]
    /// Raised by everything that may change what the server would answer.
    private(set) var version = 0
    /// How far its clock was advanced, in milliseconds: who logged in before does not know of it.
    private(set) var jumped: Int64 = 0
    /// Since when this user sees the messages of a channel.
    private var offsets: [String: Int64] = [:]
    private var witness: InProcessSocket?
    private var kit: InProcessSocket?
    private let admin: [(String, String)]
    /// Set while a history is written.
    var note: ((String) -> Void)?
    private var ids: [String: (version: Int, ids: [(id: Int64, createdAt: Int64)])] = [:]

    init(seed: UInt64, hugeGap: Int, time: Int64) throws {
        var options = ServerOptions()
        options.isControlled = true
        options.hugeGap = hugeGap
        options.fileLimit = Self.fileLimit
        options.users = [.init(id: Self.me, token: token)] + (Self.others + [Self.guest]).map { .init(id: $0) }
        server = try InProcessServer(options, time: Self.start + time, seed: seed)
        admin = [("Api-Token", server.apiToken)]
        database("PUT", "/.settings/rules.json", #"{"rules":{".read":true,".write":true}}"#)
        // Far enough from 0, below which no first count goes.
        database("PUT", "/tally.json", "1000")
        witness = open("bo")
        kit = open("kit")
    }

    private func open(_ user: String) -> InProcessSocket? {
        guard case .opened(let socket) = server.openSocket("/?ai=syncmanager&user_id=\(user)") else { return nil }
        return socket
    }

    // MARK: Time

    func move(to time: Int64) {
        server.advance(to: Self.start + time)
        watch()
    }

    /// Between the times of the simulation and those the chat tells.
    var nextDeadline: Int64? { server.nextDeadline.map { $0 - Self.start } }

    // MARK: What the network brings

    func answer(
        _ method: String, _ target: String, _ headers: [TransportHeader], _ body: [UInt8], _ fate: Parcel.Fate
    ) -> InProcessServer.Reply {
        let reply = server.answer(method, target, headers, body, fate)
        if method != "GET" { version += 1 }
        if method == "PUT", reply.response.status == 200 {
            noteOffset(target, try? JSON.parse(reply.response.body))
        }
        watch()
        return reply
    }

    func openSocket(_ target: String, _ headers: [TransportHeader]) -> InProcessServer.Opening {
        version += 1
        return server.openSocket(target, headers: headers.map { ($0.name, $0.value) })
    }

    func answerDatabase(_ request: TransportRequest, _ target: String) -> HTTPResponse {
        server.answerDatabase(
            request.method, target, headers: request.headers.map { ($0.name, $0.value) }, body: request.body ?? []
        ).response
    }

    func openStream(_ target: String) -> InProcessServer.Listening { server.openStream(target) }

    func receive(_ text: [UInt8], on socket: InProcessSocket?) {
        version += 1
        socket?.receive(text)
        watch()
    }

    /// Another member's socket is told of every message: that is how the simulation knows them.
    private func watch() {
        if let kit {
            _ = kit.takeFrames()
            if kit.takePings() > 0 { kit.pong() }
        }
        guard let witness else { return }
        if witness.takePings() > 0 { witness.pong() }
        for frame in witness.takeFrames()
        where frame.starts(with: "MESG".utf8) || frame.starts(with: "FILE".utf8) {
            guard let body = try? JSON.parse(Array(frame.dropFirst(4))), let id = body["message_id"]?.int else {
                continue
            }
            learn(id, body)
        }
    }

    private func learn(_ id: Int64, _ body: JSON) {
        guard messages[id] == nil else { return }
        let message = Message(
            id: id, sender: body["user"]?["user_id"]?.string ?? "", text: body["message"]?.string ?? "",
            channelURL: body["channel_url"]?.string ?? "", channelID: body["channel_id"]?.int ?? 0,
            createdAt: body["created_at"]?.int ?? 0,
            parentID: body["parent_message_id"]?.int ?? 0,
            isReplyToChannel: body["is_reply_to_channel"]?.bool ?? false)
        messages[id] = message
        if message.sender == Self.me { ownIDs[message.text, default: []].append(id) }
    }

    // MARK: Acts of others

    /// A request of the administration, for any user.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: JSON? = nil) -> JSON? {
        let reply = server.answer(method, "/v3" + path, headers: admin, body: body?.serialized() ?? [])
        if method != "GET" {
            version += 1
            watch()
        }
        let json = try? JSON.parse(reply.response.body)
        guard reply.response.status == 200 else {
            note?("  refused: \(method) \(path) \(json?.text ?? "")")
            return nil
        }
        if method == "PUT" { noteOffset(path, json) }
        return json
    }

    /// A history was reset, by the device itself or by another: what is older is not there for this user, whether the
    /// device knows it yet or not.
    private func noteOffset(_ path: String, _ answer: JSON?) {
        let parts = path.split(separator: "/").drop { $0 != "group_channels" }
        guard let url = parts.dropFirst().first, let offset = answer?["ts_message_offset"]?.int, offset > 0 else {
            return
        }
        offsets[String(url)] = offset
    }

    @discardableResult
    func control(_ name: String, _ body: JSON = .object()) -> JSON? {
        let reply = server.answer("POST", "/control/" + name, headers: [], body: body.serialized())
        if name == "advance_clock" { jumped += body["ms"]?.int ?? 0 }
        version += 1
        watch()
        return reply.response.status == 200 ? try? JSON.parse(reply.response.body) : nil
    }

    func path(_ url: String) -> String { "/group_channels/" + url }

    func addChannel(_ url: String, name: String, operatorID: String) {
        offsets[url] = nil
        ask(
            "POST", "/group_channels",
            .object([
                "channel_url": .string(url), "name": .string(name), "user_ids": .strings([Self.me] + Self.others),
                "operator_ids": .strings([operatorID]),
            ]))
    }

    /// By REST. Gives the message object.
    @discardableResult
    func post(_ url: String, _ sender: String, _ text: String, _ more: KeyValuePairs<String, JSON> = [:]) -> JSON? {
        let body = JSON.object(["user_id": .string(sender), "message": .string(text), "message_type": "MESG"])
        for (key, value) in more { body.set(key, value) }
        return ask("POST", path(url) + "/messages", body)
    }

    /// By bo's own socket.
    func say(_ url: String, _ text: String) {
        let body = JSON.object(["channel_url": .string(url), "message": .string(text)])
        version += 1
        witness?.receive(Array("MESG".utf8) + body.serialized())
        watch()
    }

    func burst(_ url: String, _ sender: String, _ count: Int64) {
        let body = JSON.object([
            "channel_url": .string(url), "user_id": .string(sender), "count": .int(count), "text": "burst",
        ])
        control("post_messages", body)
    }

    func move(_ id: Int64, in url: String, to time: Int64) {
        let body = JSON.object(["channel_url": .string(url), "message_id": .int(id), "created_at": .int(time)])
        if control("move_message", body) != nil { messages[id]?.createdAt = time }
    }

    func revokeToken(notify: Bool) {
        let answer = control("revoke_tokens", .object(["user_id": .string(Self.me), "notify": .bool(notify)]))
        token = answer?["users"]?[0]?["access_token"]?.string ?? token
    }

    // MARK: The oracle

    /// All messages of a channel in the server's order, whoever may see them; empty when there is no such channel.
    func messageIDs(_ url: String) -> [(id: Int64, createdAt: Int64)] {
        if let known = ids[url], known.version == version { return known.ids }
        let reply = server.answer("GET", "/control/channel_messages?channel_url=" + url, headers: [])
        var found: [(id: Int64, createdAt: Int64)] = []
        if reply.response.status == 200, let json = try? JSON.parse(reply.response.body),
            let numbers = json["message_ids"]?.array, let times = json["created_at"]?.array
        {
            found = zip(numbers, times).compactMap { id, time in
                if let id = id.int, let time = time.int { (id, time) } else { nil }
            }
        }
        ids[url] = (version, found)
        return found
    }

    /// Since when this user sees the messages of a channel, in milliseconds since the epoch.
    func offset(_ url: String) -> Int64 { offsets[url] ?? 0 }

    /// This user is asked in again: in at once, or to accept.
    func invite(_ url: String, isIn: Bool = true) {
        ask(
            "POST", path(url) + "/invite",
            .object([
                "user_ids": .strings([Self.me]), "inviter_id": "bo",
                "invitation_status": .object([Self.me: .string(isIn ? "joined" : "invited")]),
            ]))
        offsets[url] = channel(url)?["ts_message_offset"]?.int
    }

    /// Whether a collection with this filter shows a message, if it is there.
    func isShown(_ message: Message, by filter: MessageFilter) -> Bool {
        guard filter.senderIDs.isEmpty || filter.senderIDs.contains(UserID(message.sender)) else { return false }
        guard message.createdAt >= offsets[message.channelURL] ?? 0 else { return false }
        if !filter.parentID.isEmpty { return String(message.parentID) == filter.parentID.text }
        switch filter.replyType {
        case .all: return true
        case .none: return message.parentID == 0
        case .onlyReplyToChannel: return message.parentID == 0 || message.isReplyToChannel
        }
    }

    /// The channel as this user sees it; `nil` when it is gone or not this user's.
    func channel(_ url: String) -> JSON? {
        let query = "?user_id=\(Self.me)&show_member=false&show_read_receipt=false&show_delivery_receipt=false"
        guard let json = ask("GET", path(url) + query) else { return nil }
        let state = json["member_state"]?.string
        return state == "joined" || state == "invited" ? json : nil
    }

    /// This user may not write into it now.
    func isClosedToSends(_ url: String) -> Bool {
        guard let channel = channel(url), channel["freeze"]?.bool == true else { return false }
        return channel["my_role"]?.string != "operator"
    }

    /// What this user's REST gives as the history that a filter shows, oldest first.
    func history(_ url: String, _ filter: MessageFilter) -> [JSON]? {
        var query =
            "/messages?user_id=\(Self.me)&message_ts=9223372036854775807&prev_limit=1000&next_limit=0&include=true"
            + "&include_reactions=true&include_thread_info=true&with_sorted_meta_array=true"
            + "&include_parent_message_info=true&include_reply_type=\(filter.replyType.rawValue)"
        if !filter.parentID.isEmpty { query += "&parent_message_id=" + filter.parentID.text }
        if !filter.senderIDs.isEmpty { query += "&sender_ids=" + filter.senderIDs.map(\.text).joined(separator: ",") }
        return ask("GET", path(url) + query)?["messages"]?.array
    }

    /// This user's channels of a query, in the server's order.
    func channels(_ query: ChannelQuery) -> [JSON] {
        var result: [JSON] = []
        var token = ""
        repeat {
            let text = "/users/\(Self.me)/my_group_channels?limit=100&order=\(query.order.rawValue)"
                + "&show_empty=\(query.includeEmpty)&show_frozen=\(query.includeFrozen)"
                + "&hidden_mode=\(query.hiddenChannels.rawValue)&unread_filter=\(query.unreadChannels.rawValue)"
                + "&member_state_filter=\(query.memberState.rawValue)"
                + "&distinct_mode=all&show_metadata=true&show_member=true&metadata_order_key=\(query.metadataOrderKey)"
                + (token.isEmpty ? "" : "&token=\(token)")
            guard let page = ask("GET", text) else { return result }
            result += page["channels"]?.array ?? []
            token = page["next"]?.string ?? ""
        } while !token.isEmpty
        return result
    }

    // MARK: The realtime database

    /// An act of another one there.
    @discardableResult
    func database(_ method: String, _ path: String, _ body: String = "") -> [UInt8] {
        server.answerDatabase(method, path + "?ns=w&auth=owner", body: Array(body.utf8)).response.body
    }

    func databaseValue(at path: String) -> TreeNode {
        (try? TreeReader.value(database("GET", path + ".json"), time: 0)) ?? .empty
    }

    func close() { server.close() }
}
