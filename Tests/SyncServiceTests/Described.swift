import SyncJSON
import SyncModel
import SyncService

/// Events and replies as short lines, so that tables of cases can say what comes out.
enum Described {
    static func text(_ event: ServiceEvent) -> String {
        switch event {
        case .loggedIn(let info):
            "login \(info.userID) at \(info.loginTime) ping \(info.pingInterval)/\(info.pongTimeout) "
                + "reconnect \(info.reconnectBase)*\(info.reconnectFactor)<=\(info.reconnectMax) "
                + "#\(info.reconnectLimit)"
        case .loginFailed(let failure): "login failed \(text(failure))"
        case .messageReceived(let url, let message): "received \(url) \(text(message))"
        case .messageUpdated(let url, let message): "updated \(url) \(text(message))"
        case .messageDeleted(let url, let id): "deleted \(url) \(id)"
        case .reaction(let url, let reaction):
            "reaction \(url) \(reaction.messageID) \(reaction.key) \(reaction.userID) "
                + "\(reaction.isAdded ? "added" : "taken away") \(reaction.updatedAt)"
        case .threadInfo(let url, let id, let json): "thread \(url) \(id) \(String(decoding: json, as: UTF8.self))"
        case .channel(let url, let event): "channel \(url) \(text(event))"
        case .reply(let id, let reply): "reply \(id) \(text(reply))"
        case .sessionExpired: "session expired"
        case .tokenRevoked: "token revoked"
        case .busy(let pause): "busy \(pause)"
        case .pong: "alive"
        }
    }

    static func text(_ event: ChannelEvent) -> String {
        switch event {
        case .changed(let source): "changed \(source.rawValue)"
        case .removed(let source): "removed \(source.rawValue)"
        case .patched(let source, let members):
            "patched \(source.rawValue) "
                + members.map { "\($0.key)=\(String(decoding: $0.value, as: UTF8.self))" }.joined(separator: " ")
        case .read(let user, let time): "read by \(user) at \(time)"
        case .delivered(let times):
            "delivered " + times.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
        case .typing(let id, let user, let isTyping):
            "\(id) \(isTyping ? "types" : "stops") \(String(decoding: user, as: UTF8.self))"
        case .hidden(let allow, let previous, let offset): "hidden auto=\(allow) previous=\(previous) offset=\(offset)"
        }
    }

    static func text(_ reply: ServiceReply) -> String {
        switch reply {
        case .channels(let page): "channels \(page.channels.map(\.url)) next '\(page.next)'"
        case .channelChanges(let changes):
            "changes \(changes.updated.map(\.url)) gone \(changes.deletedURLs) more \(changes.hasMore) "
                + "next '\(changes.next)'"
        case .channel(let channel): "channel \(channel.url)"
        case .messages(let page): "messages \(page.messages.map(\.id))"
        case .messageChanges(let changes):
            "changes \(changes.updated.map(\.id)) gone \(changes.deletedIDs) more \(changes.hasMore) "
                + "next '\(changes.next)'"
        case .gap(let gap): "gap huge \(gap.isHuge) \(gap.messages.map(\.id)) more \(gap.hasMore)"
        case .message(let message): "message \(text(message))"
        case .done: "done"
        case .failure(let failure): "failure \(text(failure))"
        }
    }

    static func text(_ failure: ServiceFailure) -> String { "\(failure.kind) \(failure.code)" }

    static func text(_ message: MessageRecord) -> String {
        var parts = ["\(message.kind)", "\(message.id)@\(message.position.createdAt)", "by '\(message.senderID)'"]
        if message.updatedAt != 0 { parts.append("edited \(message.updatedAt)") }
        if !message.customType.isEmpty { parts.append("type '\(message.customType)'") }
        if message.parentID != 0 { parts.append("in \(message.parentID)") }
        if message.isReplyToChannel { parts.append("to channel") }
        if message.isSilent { parts.append("silent") }
        if !message.requestID.isEmpty { parts.append("request \(message.requestID)") }
        return parts.joined(separator: " ")
    }
}

extension SendbirdService {
    /// The service of user "me" of app "APP", as a test of the codec needs it.
    static func forTest(token: String = "tok") -> SendbirdService {
        SendbirdService(
            appID: "APP", userID: "me", apiHost: "http://127.0.0.1:1", wsHost: "ws://127.0.0.1:2/", accessToken: token,
            libraryVersion: "0.1.0")
    }

    static let loginFrame = #"LOGI{"user_id":"me","key":"KEY","login_ts":1700000000123,"reconnect":{"interval":1.5,"#
        + #""max_interval":20,"mul":3,"retry_cnt":5},"ping_interval":15,"pong_timeout":5,"emoji_hash":"h","#
        + #""use_reaction":true}"#

    mutating func described(_ frame: String) -> [String] { decode(frame: Array(frame.utf8)).map(Described.text) }
}
