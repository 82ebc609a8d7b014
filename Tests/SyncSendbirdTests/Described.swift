import SyncJSON
import SyncModel

@testable import SyncSendbird

/// Events and replies as short lines, so that tables of cases can say what comes out.
enum Described {
    static func text(_ event: WireEvent) -> String {
        switch event {
        case .alive: "alive"
        case .loggedIn(let answer):
            (answer.isRenewal ? "renewed" : "login") + " key '\(answer.sessionKey)' "
                + "ping \(answer.pingInterval)/\(answer.pongTimeout) " + (answer.info.map(text) ?? "without time")
        case .loginRefused(let failure): "login refused \(text(failure))"
        case .acknowledged(let id, let url, let message): "ack \(id) \(url) \(text(message))"
        case .answered(let id, let json): "answered \(id) \(String(decoding: json, as: UTF8.self))"
        case .refused(let id, let failure): "refused \(id) \(text(failure))"
        case .failed(let failure): "failed \(text(failure))"
        case .sessionExpired: "session expired"
        case .tokenRevoked: "token revoked"
        case .busy(let pause): "busy \(pause)"
        case .event(let event): text(event)
        }
    }

    static func text(_ info: SessionInfo) -> String {
        "\(info.userID) at \(info.loginTime) reconnect \(info.reconnect.base)*\(info.reconnect.factor)"
            + "<=\(info.reconnect.limit) #\(info.reconnect.attempts)"
    }

    static func text(_ event: ServiceEvent) -> String {
        switch event {
        case .connected(let info): "connected \(text(info))"
        case .disconnected(let failure, let pause):
            "disconnected \(text(failure))" + (pause.map { " come back after \($0)" } ?? "")
        case .messageReceived(let url, let message): "received \(url) \(text(message))"
        case .messageUpdated(let url, let message): "updated \(url) \(text(message))"
        case .messageDeleted(let url, let id): "deleted \(url) \(id)"
        case .messagePatched(let url, let id, .reaction(let reaction)):
            "reaction \(url) \(id) \(reaction.key) \(reaction.userID) "
                + "\(reaction.isAdded ? "added" : "taken away") \(reaction.updatedAt)"
        case .messagePatched(let url, let id, .threadInfo(let json)):
            "thread \(url) \(id) \(String(decoding: json, as: UTF8.self))"
        case .messagePatched(let url, let id, .poll(let change)): "poll \(url) \(id) \(text(change))"
        case .messageRelations(let url, let changes, let cause):
            "relations \(url) \(changes) \(cause.source.rawValue)"
        case .unreadCounts(let counts):
            "unread \(counts.all) at \(counts.time)"
                + counts.byCustomType.sorted { $0.key < $1.key }.map { " \($0.key.text)=\($0.value)" }.joined()
        case .channel(let url, let event): "channel \(url) \(text(event))"
        case .channelAnswered(let channel, let cause): "channel \(channel.url) is now \(cause.source.rawValue)"
        case .batch(let events, let point): "batch to \(point): " + events.map(text).joined(separator: "; ")
        case .hole(let url, let older, let page): "hole \(url) \(older) \(text(page))"
        case .keep(let value): "keep \(value)"
        }
    }

    static func text(_ event: ChannelEvent) -> String {
        switch event {
        case .changed(let cause): "changed \(cause.source.rawValue)"
        case .entered(let cause): "entered \(cause.source.rawValue)"
        case .removed(let cause): "removed \(cause.source.rawValue)"
        case .patched(let cause, let members): "patched \(cause.source.rawValue) " + text(members)
        case .read(let user, let time): "read by \(user) at \(time)"
        case .delivered(let times):
            "delivered " + times.sorted { $0.key < $1.key }.map { "\($0.text)=\($1)" }.joined(separator: " ")
        case .typing(let id, let user, let isTyping):
            "\(id) \(isTyping ? "types" : "stops") \(String(decoding: user, as: UTF8.self))"
        case .hidden(let allow, let offset): "hidden auto=\(allow) offset=\(offset)"
        }
    }

    static func text(_ patches: [ChannelPatch]) -> String {
        patches.map { "\($0.key)=\(String(decoding: $0.value, as: UTF8.self))" }.joined(separator: " ")
    }

    static func text(_ reply: ServiceReply) -> String {
        switch reply {
        case .channels(let page): "channels \(page.channels.map(\.url.text)) next '\(page.next)'"
        case .channelChanges(let changes):
            "changes \(changes.updated.map(\.url.text)) gone \(changes.deletedURLs.map(\.text)) "
                + "more \(changes.hasMore) next '\(changes.next)'"
        case .channel(let channel): "channel \(channel.url)"
        case .messages(let page): "messages \(text(page))"
        case .messageChanges(let changes):
            "changes \(ids(changes.updated)) gone [\(changes.deletedIDs.map(\.text).joined(separator: ", "))] "
                + "more \(changes.hasMore) next '\(changes.next)'"
        case .pollChanges(let changes):
            "polls " + changes.updated.map { "\($0.messageID) \(text($0.change)) " }.joined()
                + "gone \(changes.deletedIDs) more \(changes.hasMore) next '\(changes.next)'"
        case .edge(let token): "edge \(token)"
        case .gap(.huge): "gap huge"
        case .gap(.fill(let page)): "gap \(text(page))"
        case .retention(let page):
            "retention \(page.ends.sorted { $0.key < $1.key }.map { "\($0.text)=\($1)" }) "
                + "else \(page.generalEnd ?? -1) at \(page.time) more \(page.hasMore) next '\(page.next)'"
        case .accepted(let id): "accepted \(id)"
        case .unreadCounts(let counts):
            "unread \(counts.all) \(counts.byCustomType.sorted { $0.key < $1.key }.map { "\($0.text)=\($1)" }) "
                + "at \(counts.time)"
        case .message(let message): "message \(text(message))"
        case .action(let answer):
            "action" + (answer.result.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
                + answer.events.map { ", " + text($0) }.joined()
        case .uploaded(let file):
            "uploaded \(file.url) \(String(decoding: file.thumbnails, as: UTF8.self)) auth \(file.requiresAuth)"
        case .done: "done"
        case .failure(let failure): "failure \(text(failure))"
        }
    }

    static func text(_ change: PollChange) -> String {
        switch change.kind {
        case .edited(let json): "\(change.pollID) is \(String(decoding: json, as: UTF8.self))"
        case .voted(let json): "\(change.pollID) voted \(String(decoding: json, as: UTF8.self))"
        case .removed: "\(change.pollID) removed"
        }
    }

    private static func ids(_ messages: [MessageRecord]) -> String {
        "[" + messages.map(\.id.text).joined(separator: ", ") + "]"
    }

    /// Messages, and the stretch that is complete with them: `first` and `newest` stand where its ends are.
    static func text(_ page: MessagePage) -> String {
        func edge(_ edge: HistoryEdge) -> String { "\(edge.position.tie)@\(edge.position.order)\(edge.token)" }
        let range = page.range.map { "\(edge($0.start))...\(edge($0.end))" } ?? "nothing"
        return ids(page.messages) + (page.reachedFirst ? " first " : " ") + range
            + (page.reachedNewest ? " newest" : "")
    }

    static func text(_ failure: ServiceFailure) -> String { "\(failure.kind) \(failure.code)" }

    static func text(_ message: MessageRecord) -> String {
        var parts = ["\(message.kind)", "\(message.id)@\(message.position.order)", "by '\(message.senderID)'"]
        if message.id.text != String(message.position.tie) { parts.append("tie \(message.position.tie)") }
        if message.updatedAt != 0 { parts.append("edited \(message.updatedAt)") }
        if !message.customType.isEmpty { parts.append("type '\(message.customType)'") }
        if !message.parentID.isEmpty { parts.append("in \(message.parentID)") }
        if message.isReplyToChannel { parts.append("to channel") }
        if message.isSilent { parts.append("silent") }
        if !message.requestID.isEmpty { parts.append("request \(message.requestID)") }
        return parts.joined(separator: " ")
    }
}

extension RequestEncoder {
    /// User "me" of app "APP".
    static let forTest = RequestEncoder(
        appID: "APP", userID: "me", apiHost: "http://127.0.0.1:1", wsHost: "ws://127.0.0.1:2/", libraryVersion: "0.1.0")
}

extension FrameDecoder {
    static let forTest = FrameDecoder(userID: "me")

    static let loginFrame = #"LOGI{"user_id":"me","key":"KEY","login_ts":1700000000123,"reconnect":{"interval":1.5,"#
        + #""max_interval":20,"mul":3,"retry_cnt":5},"ping_interval":15,"pong_timeout":5,"emoji_hash":"h","#
        + #""use_reaction":true}"#

    func described(_ frame: String) -> [String] { decode(Array(frame.utf8)).map(Described.text) }
}
