import ServerBase
import ServerChat
import ServerHTTP
import ServerTools
import SyncJSON

/// Executes what clients send over their sockets.
///
/// A frame holds one or more commands, one to a line: four letters and a JSON object. The request id of a command is
/// echoed as it came, whatever its type, also empty or null; only a command without one is not acknowledged. What fails
/// is answered with EROR.
final class CommandHandler {
    private let chat: Chat
    /// The faults that tests have asked for, for commands.
    private let faults: FaultPlan?

    private let limiter: RateLimiter?

    init(_ chat: Chat, _ faults: FaultPlan?, _ limiter: RateLimiter?) {
        self.chat = chat
        self.limiter = limiter
        self.faults = faults
    }

    func receive(_ text: [UInt8], _ socket: ChatSocket) {
        for line in text.split(separator: 0x0A) where line.count >= 4 {
            let command = String(decoding: line.prefix(4), as: UTF8.self)
            var requestID: JSON?
            do {
                let payload = try Fields(body: Array(line.dropFirst(4)))
                requestID = payload.json["req_id"]
                if let fault = faults?.take(command: command, of: socket.userID) {
                    if fault.isIgnored { continue }
                    throw fault.error
                }
                try execute(command, payload, requestID, socket)
            } catch let error as Refusal {
                socket.send(Frames.error(error, requestID: requestID))
            } catch {
                Log.failure("\(command) failed", error)
                socket.send(Frames.error(Refusal(500_901, "Internal error."), requestID: requestID))
            }
        }
    }

    private func execute(_ command: String, _ payload: Fields, _ requestID: JSON?, _ socket: ChatSocket) throws {
        if command == "PING" {
            let now = chat.now
            return socket.send(Frames.frame("PONG", .object(["ts": .int(now), "sts": .int(now)])))
        }
        guard !socket.userID.isEmpty else { throw Refusal(900_010, "Log in first.") }
        let caller = Caller(userID: socket.userID, socket: socket)
        switch command {
        case "MESG": try send(.text, payload, requestID, caller)
        case "FILE": try send(.file, payload, requestID, caller)
        case "MEDI", "FEDI":
            let sent = try chat.edits.edit(try messageID(payload), payload, caller, try channel(payload))
            acknowledge(sent.frame, requestID, socket)
        case "READ":
            let channel = try channel(payload)
            let frame = try chat.reading.markRead(caller, channel.id)
            acknowledge(chat.unread.adding(to: frame, of: socket.userID), requestID, socket)
        case "TPST": try chat.reading.typing(caller, try channel(payload), starts: true)
        case "TPEN": try chat.reading.typing(caller, try channel(payload), starts: false)
        case "MACK":
            // No answer is expected, and clients take an error without a request id for one of the connection.
            guard let channel = try chat.contents.find(try payload.required("channel_url")) else { return }
            try chat.reading.markDelivered(caller, channel, message: try messageID(payload))
        case "VOTE":
            guard let poll = try payload.int("poll_id") else { throw Refusal.missing("poll_id") }
            let told = try chat.polls.vote(poll, try payload.numbers("option_ids"), caller)
            acknowledge(Frames.frame("VOTE", told.frame), requestID, socket)
        case "LOGI": try renew(payload, requestID, socket)
        default: throw Refusal(400_930, "There is no command \(command) here.")
        }
    }

    private func channel(_ payload: Fields) throws -> ChannelRow {
        let url = try payload.required("channel_url")
        guard let channel = try chat.contents.find(url) else { throw Refusal(900_500, "Channel not found.") }
        return channel
    }

    private func messageID(_ payload: Fields) throws -> Int64 {
        guard let id = try payload.int("msg_id") ?? payload.int("message_id") else { throw Refusal.missing("msg_id") }
        return id
    }

    /// The sender's own socket gets the frame with its request id; without one it gets the same frame as all.
    private func acknowledge(_ frame: [UInt8], _ requestID: JSON?, _ socket: ChatSocket) {
        socket.send(requestID.map { Frames.acknowledgement(frame, requestID: $0) } ?? frame)
    }

    private func send(_ kind: MessageRow.Kind, _ payload: Fields, _ requestID: JSON?, _ caller: Caller) throws {
        guard let socket = caller.socket else { return }
        if limiter?.take(caller.userID, at: chat.now) != nil {
            throw Refusal(900_200, "Too many messages.", status: 429)
        }
        let input = try MessageInput(payload, kind: kind, limit: chat.options.maximumMessageLength)
        let sent = try chat.sending.send(input, caller, try channel(payload))
        if chat.acksToLose > 0 {
            chat.acksToLose -= 1
            return
        }
        acknowledge(chat.unread.adding(to: sent.frame, of: socket.userID), requestID, socket)
    }

    /// Renews a session over the socket: gives a new key for the access token.
    private func renew(_ payload: Fields, _ requestID: JSON?, _ socket: ChatSocket) throws {
        let token = try payload.string("token") ?? ""
        let user = try chat.sessions.logIn(socket.userID, token: token, nickname: "")
        let key = try chat.sessions.open(user.id, expires: try payload.bool("expiring_session") ?? false)
        let fileKey = try chat.files.key()
        let body = JSON.object(["new_key": .string(key), "key": .string(key), "ekey": .string(fileKey)])
        if let requestID { body.set("req_id", requestID) }
        socket.send(Frames.frame("LOGI", body))
        chat.sessions.awaitExpiry(of: key, socket)
    }
}
