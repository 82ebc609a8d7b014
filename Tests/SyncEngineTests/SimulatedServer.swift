import SyncJSON
import SyncModel

/// A chat service in memory, in the engine's vocabulary, with a clock that others move.
final class SimulatedServer {
    struct Message {
        var id: Int64
        var createdAt: Int64
        var updatedAt: Int64 = 0
        var sender: String
        var text: String
        var requestID = ""
        var reactions: Set<String> = []

        var position: MessagePosition { MessagePosition(createdAt: createdAt, id: id) }

        func record(_ url: String, withRequestID: Bool = true) -> MessageRecord {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("message_id", id)
            writer.member("type", "MESG")
            writer.member("channel_url", url)
            writer.member("created_at", createdAt)
            writer.member("updated_at", updatedAt)
            writer.member("message", text)
            writer.key("user")
            writer.beginObject()
            writer.member("user_id", sender)
            writer.endObject()
            if !reactions.isEmpty {
                writer.key("reactions")
                writer.beginArray()
                for key in reactions.sorted() {
                    writer.beginObject()
                    writer.member("key", key)
                    writer.key("user_ids")
                    writer.beginArray()
                    writer.string("bo")
                    writer.endArray()
                    writer.endObject()
                }
                writer.endArray()
            }
            if !requestID.isEmpty { writer.member("req_id", requestID) }
            writer.endObject()
            return MessageRecord(
                position: position, updatedAt: updatedAt, senderID: sender, requestID: requestID, json: writer.bytes)
        }
    }

    final class Channel {
        let url: String
        var name: String
        let createdAt: Int64
        var messages: [Message] = []
        /// Ids edited or deleted, in order: the message change log.
        var changes: [(time: Int64, id: Int64, isDeleted: Bool)] = []
        var unread: Int64 = 0
        var isFrozen = false
        var isHidden = false
        /// Messages before it are not for this user any more.
        var offset: Int64 = 0
        var visible: ArraySlice<Message> { messages.drop { $0.createdAt < offset } }

        init(url: String, name: String, createdAt: Int64) {
            self.url = url
            self.name = name
            self.createdAt = createdAt
        }

        var record: ChannelRecord {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("channel_url", url)
            writer.member("name", name)
            writer.member("created_at", createdAt)
            writer.member("unread_message_count", unread)
            writer.member("member_state", "joined")
            writer.member("freeze", isFrozen)
            writer.member("is_hidden", isHidden)
            writer.member("hidden_state", isHidden ? "hidden_allow_auto_unhide" : "unhidden")
            writer.member("ts_message_offset", offset)
            writer.key("last_message")
            if let last = visible.last { writer.raw(last.record(url).json) } else { writer.null() }
            writer.endObject()
            return ChannelRecord(json: writer.bytes) ?? ChannelRecord(url: url, json: writer.bytes)
        }
    }

    static let me = "mei"

    static func isOwn(_ shown: MessageRow) -> Bool {
        (try? JSON.parse(shown.json))?["user"]?["user_id"]?.string == me
    }

    var now: Int64 = 1_700_000_000_000
    var channels: [String: Channel] = [:]
    /// URLs in the order of their changes: the channel change log.
    var channelChanges: [(time: Int64, url: String)] = []
    var nextID: Int64 = 1
    var hugeGap = 300
    /// Request ids of all messages that were ever taken, deleted ones too.
    private(set) var taken: Set<String> = []
    /// What the next socket of the client is told, in order.
    var broadcast: (ServiceEvent) -> Void = { _ in }

    private func channelChanged(_ channel: String) { channelChanges.append((now, channel)) }

    // MARK: What happens on the service

    func addChannel(_ url: String, name: String) {
        channels[url] = Channel(url: url, name: name, createdAt: now)
        channelChanged(url)
        broadcast(.channel(url: url, .changed(source: .eventUserReceivedInvitation)))
    }

    func removeChannel(_ url: String) {
        channels[url] = nil
        channelChanged(url)
        broadcast(.channel(url: url, .removed(source: .eventChannelDeleted)))
    }

    func rename(_ url: String, _ name: String) {
        guard let channel = channels[url] else { return }
        channel.name = name
        channelChanged(url)
        broadcast(.channel(url: url, .changed(source: .eventChannelChanged)))
    }

    @discardableResult
    func post(_ url: String, sender: String, text: String, requestID: String = "", echo: Bool = true) -> Message? {
        guard let channel = channels[url] else { return nil }
        let message = Message(id: nextID, createdAt: now, sender: sender, text: text, requestID: requestID)
        nextID += 1
        taken.insert(requestID)
        channel.messages.append(message)
        if sender != Self.me { channel.unread += 1 }
        channel.isHidden = false
        channelChanged(url)
        if echo { broadcast(.messageReceived(channelURL: url, message: message.record(url))) }
        return message
    }

    func edit(_ url: String, _ id: Int64, _ text: String) -> Message? {
        guard let channel = channels[url], let index = channel.messages.firstIndex(where: { $0.id == id })
        else { return nil }
        channel.messages[index].text = text
        channel.messages[index].updatedAt = now
        channel.changes.append((now, id, false))
        channelChanged(url)
        broadcast(.messageUpdated(channelURL: url, message: channel.messages[index].record(url)))
        return channel.messages[index]
    }

    func react(_ url: String, _ id: Int64, _ key: String) {
        guard let channel = channels[url], let index = channel.messages.firstIndex(where: { $0.id == id })
        else { return }
        let isAdded = !channel.messages[index].reactions.contains(key)
        if isAdded {
            channel.messages[index].reactions.insert(key)
        } else {
            channel.messages[index].reactions.remove(key)
        }
        channel.changes.append((now, id, false))
        channelChanged(url)
        broadcast(.reaction(channelURL: url, MessageReaction(
            messageID: id, key: key, userID: "bo", isAdded: isAdded, updatedAt: now)))
    }

    func delete(_ url: String, _ id: Int64) {
        guard let channel = channels[url], let index = channel.messages.firstIndex(where: { $0.id == id })
        else { return }
        channel.messages.remove(at: index)
        channel.changes.append((now, id, true))
        channelChanged(url)
        broadcast(.messageDeleted(channelURL: url, messageID: id))
    }

    func freeze(_ url: String, _ isFrozen: Bool) {
        guard let channel = channels[url] else { return }
        channel.isFrozen = isFrozen
        channelChanged(url)
        broadcast(.channel(url: url, .patched(
            source: isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen,
            members: [ChannelPatch(key: "freeze", value: JSON.bool(isFrozen).serialized())])))
    }

    /// This user, from another device; with the messages before if asked for.
    func hide(_ url: String, previousMessages: Bool) {
        guard let channel = channels[url] else { return }
        channel.isHidden = true
        if previousMessages {
            now += 1
            channel.offset = now
            channel.unread = 0
        }
        channelChanged(url)
        broadcast(.channel(url: url, .hidden(
            allowAutoUnhide: true, hidePreviousMessages: previousMessages, offset: channel.offset)))
    }

    func read(_ url: String, by user: String) {
        guard let channel = channels[url] else { return }
        if user == Self.me { channel.unread = 0 }
        channelChanged(url)
        broadcast(.channel(url: url, .read(userID: user, at: now)))
    }

    func type(_ url: String, _ user: String, starts: Bool) {
        guard channels[url] != nil else { return }
        let json = JSON.object(["user_id": .string(user)]).serialized()
        broadcast(.channel(url: url, .typing(userID: user, user: json, isTyping: starts)))
    }

    // MARK: What it answers

    func answer(_ request: ServiceRequest) -> ServiceReply {
        let missing = ServiceReply.failure(ServiceFailure(kind: .notFound, code: 400_201, message: "channel not found"))
        switch request {
        case .listChannels(let query, let token, let limit):
            let sorted = channels.values.map(\.record).filter { query.matches($0, userID: Self.me) }
                .sorted { query.areInIncreasingOrder($0, $1) }
            let start = Int(token) ?? 0
            // Pages of the background sync are few and large in life, many and small here.
            let page = Array(sorted.dropFirst(start).prefix(limit >= 100 ? 3 : limit))
            return .channels(ChannelPage(
                channels: page, next: start + page.count < sorted.count ? String(start + page.count) : ""))
        case .channelChanges(let since):
            let start: Int
            switch since {
            case .token(let token): start = Int(token) ?? 0
            case .time(let time): start = channelChanges.firstIndex { $0.time >= time } ?? channelChanges.count
            }
            let batch = channelChanges[start..<min(start + 5, channelChanges.count)]
            let urls = Set(batch.map(\.url)).sorted()
            return .channelChanges(ChannelChanges(
                updated: urls.compactMap { channels[$0]?.record }, deletedURLs: urls.filter { channels[$0] == nil },
                hasMore: start + batch.count < channelChanges.count, next: String(start + batch.count)))
        case .getChannel(let url): return channels[url].map { .channel($0.record) } ?? missing
        case .listMessages(let url, let time, let before, let after):
            guard let channel = channels[url] else { return missing }
            let older = channel.visible.filter { $0.createdAt < time }.suffix(before)
            let same = channel.visible.filter { $0.createdAt == time }
            let newer = channel.visible.filter { $0.createdAt > time }.prefix(after)
            return .messages(MessagePage(messages: (older + same + newer).map { $0.record(url) }))
        case .messageChanges(let url, let since):
            guard let channel = channels[url] else { return missing }
            let start: Int
            switch since {
            case .token(let token): start = Int(token) ?? 0
            case .time(let time): start = channel.changes.firstIndex { $0.time >= time } ?? channel.changes.count
            }
            let batch = channel.changes[start..<min(start + 5, channel.changes.count)]
            let ids = Set(batch.map(\.id))
            return .messageChanges(MessageChanges(
                updated: channel.visible.filter { ids.contains($0.id) }.map { $0.record(url) },
                deletedIDs: ids.filter { id in !channel.messages.contains { $0.id == id } }.sorted(),
                hasMore: start + batch.count < channel.changes.count, next: String(start + batch.count)))
        case .messageGap(let url, _, let after, let held):
            guard let channel = channels[url] else { return missing }
            let missed = channel.visible.filter { $0.createdAt >= after }
            // Equal counts mean that nothing is missing.
            if missed.count == held { return .gap(MessageGap(isHuge: false, messages: [], hasMore: false)) }
            if missed.count - held > hugeGap { return .gap(MessageGap(isHuge: true, messages: [], hasMore: true)) }
            return .gap(MessageGap(isHuge: false, messages: missed.map { $0.record(url) }, hasMore: false))
        case .sendMessage(let url, let requestID, let body):
            guard let channel = channels[url] else { return missing }
            if let known = channel.messages.first(where: { $0.requestID == requestID }) {
                return .message(known.record(url))
            }
            let text = (try? JSON.parse(body))?["message"]?.string ?? ""
            if text.hasPrefix("bad") {
                return .failure(ServiceFailure(kind: .refused, code: 900_060, message: "the text is not allowed"))
            }
            guard let sent = post(url, sender: Self.me, text: text, requestID: requestID, echo: false)
            else { return missing }
            return .message(sent.record(url))
        case .updateMessage(let url, let id, let body):
            let text = (try? JSON.parse(body))?["message"]?.string ?? ""
            return edit(url, id, text).map { .message($0.record(url)) } ?? missing
        case .deleteMessage(let url, let id):
            delete(url, id)
            return .done
        case .markAsRead(let url):
            channels[url]?.unread = 0
            return .done
        case .renewSession, .ping: return .done
        }
    }
}
