import SyncModel
import TestSupport

/// A chat server that has an order of messages and no places: everything that ever happened, as its stream tells it.
/// Ids are texts, times are what senders claim, and edits and relations are events of their own. It outlives processes.
final class SequenceServer {
    static let start: Int64 = 1_700_000_000_000
    static let me: UserID = "mei"
    static let pageSize = 4

    struct Entry {
        let url: ChannelURL
        let event: ServiceEvent
    }

    /// A message, with its number in the log.
    typealias Row = (index: Int, message: MessageRecord)

    let urls: [ChannelURL]
    private(set) var log: [Entry] = []
    private var random: SeededGenerator
    private let rules = FoldingRules()
    /// What was worked out since a channel changed last.
    private var plainNow: [ChannelURL: [Row]] = [:]
    private var messagesNow: [ChannelURL: [MessageRecord]] = [:]
    private var lastID = 0
    /// Whether a page around a time says that it has the first or the newest message.
    private let tellsEnds: Bool
    /// What was accepted, by request.
    private(set) var accepted: [RequestID: MessageID] = [:]
    /// What clients wanted kept, and the last of it that is on their disk.
    var lastKept: String?
    var mayBeKept: String?
    /// Time on this machine, in milliseconds since the epoch.
    var now = SequenceServer.start
    var note: ((String) -> Void)?

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        // With a generator of its own, so that seeds go on as they did.
        var choices = SeededGenerator(seed: seed &+ 0x5e9)
        tellsEnds = choices.chance(50)
        urls = (0..<(1 + random.below(3))).map { ChannelURL("!room\($0):x") }
    }

    // MARK: What it has

    /// A channel's messages after so many events, as they were sent or edited.
    func plain(_ url: ChannelURL, at end: Int? = nil) -> [Row] {
        if let end, end < log.count { return plain(url, upTo: end) }
        if let known = plainNow[url] { return known }
        let rows = plain(url, upTo: log.count)
        plainNow[url] = rows
        return rows
    }

    private func plain(_ url: ChannelURL, upTo end: Int) -> [Row] {
        var held: [Row] = []
        for (index, entry) in log[..<end].enumerated() where entry.url == url {
            switch entry.event {
            case .messageReceived(_, let message): held.append((index, message))
            case .messageUpdated(_, let message):
                held = held.map { $0.message.id == message.id ? ($0.index, message) : $0 }
            case .messageDeleted(_, let id): held.removeAll { $0.message.id == id }
            default: break
            }
        }
        return held
    }

    /// The relations that were not taken back, of messages that may not be there yet.
    func relations(_ url: ChannelURL, at end: Int? = nil) -> [Relation] {
        log[..<(end ?? log.count)].lazy.filter { $0.url == url }.map(\.event).relationsLeft
    }

    /// As hosts should see them.
    func messages(_ url: ChannelURL) -> [MessageRecord] {
        if let known = messagesNow[url] { return known }
        let messages = folded(url)
        messagesNow[url] = messages
        return messages
    }

    private func folded(_ url: ChannelURL) -> [MessageRecord] {
        let relations = Dictionary(grouping: relations(url), by: \.target)
        return plain(url).map { row in
            var message = row.message
            message.json = rules.folded(message.json, with: relations[message.id] ?? [])
            return message
        }
    }

    // MARK: What happens there

    private func message(
        _ url: ChannelURL, by sender: String, _ text: String, _ requestID: RequestID
    ) -> MessageRecord {
        lastID += 1
        // Clocks of senders are wrong, by little as a rule.
        let error = random.chance(10) ? random.below(Int64(600_000)) - 300_000 : random.below(Int64(4_000)) - 2_000
        return SequenceServer.record(
            id: "$\(lastID):x", url, at: random.chance(3) ? 0 : now + error, by: sender, text, requestID: requestID)
    }

    private static func record(
        id: MessageID, _ url: ChannelURL, at time: Int64, by sender: String, _ text: String, updatedAt: Int64 = 0,
        requestID: RequestID
    ) -> MessageRecord {
        let request = requestID.isEmpty ? "" : #","req_id":"\#(requestID)""#
        let json = #"{"message_id":"\#(id)","type":"MESG","channel_url":"\#(url)","created_at":\#(time),"#
            + #""updated_at":\#(updatedAt),"message":"\#(text)","user":{"user_id":"\#(sender)"}\#(request)}"#
        return MessageRecord(
            id: id, position: MessagePosition(order: time, tie: 0), updatedAt: updatedAt, senderID: UserID(sender),
            requestID: requestID, json: Array(json.utf8))
    }

    private func add(_ url: ChannelURL, _ event: ServiceEvent) {
        log.append(Entry(url: url, event: event))
        (plainNow[url], messagesNow[url]) = (nil, nil)
    }

    /// Somebody writes, edits, deletes, reacts or takes a reaction back.
    func happen() {
        guard let url = random.pick(urls) else { return }
        let held = plain(url)
        switch held.isEmpty ? 0 : random.below(14) {
        case 0..<7:
            let message = message(url, by: random.chance(90) ? "bo" : "mei", "m\(log.count)", "")
            add(url, .messageReceived(channelURL: url, message: message))
        case 7..<9:
            guard let old = random.pick(held)?.message else { return }
            add(url, .messageUpdated(channelURL: url, message: SequenceServer.record(
                id: old.id, url, at: old.position.order, by: old.senderID.text, "edited \(log.count)",
                updatedAt: now + Int64(log.count), requestID: old.requestID)))
        case 9..<11:
            // Of a message that is there, or of the next one.
            let target = random.chance(33) ? MessageID("$\(lastID + 1):x") : random.pick(held)?.message.id ?? ""
            let relation = Relation(
                id: MessageID("%\(log.count):x"), target: target, kind: "reaction", order: Int64(log.count),
                json: Array("{}".utf8))
            add(url, .messageRelations(
                channelURL: url, RelationChanges(added: [relation]), Cause(.eventReactionUpdated)))
        case 11, 12:
            guard let relation = random.pick(relations(url)) else { return }
            add(url, .messageRelations(
                channelURL: url, RelationChanges(removed: [relation.id]), Cause(.eventReactionUpdated)))
        default:
            guard let id = random.pick(held)?.message.id else { return }
            add(url, .messageDeleted(channelURL: url, messageID: id))
        }
        note?("server: \(log.last?.event.brief ?? "")")
    }

    /// Takes in an own message, or knows it already. Its place is told by the stream, or a page, alone; which may name
    /// the request, or the id only.
    func accept(_ requestID: RequestID, _ url: ChannelURL, _ body: [UInt8]) -> MessageID {
        if let known = accepted[requestID] { return known }
        let named = random.chance(50) ? requestID : ""
        let message = message(url, by: SequenceServer.me.text, requestID.text, named)
        add(url, .messageReceived(channelURL: url, message: message))
        note?("server: accepts \(requestID) as \(message.id)")
        accepted[requestID] = message.id
        return message.id
    }

    // MARK: Pages

    /// A token stands before the event with its number.
    private func edge(_ index: Int, _ time: Int64) -> HistoryEdge {
        HistoryEdge(MessagePosition(order: time, tie: 0), token: "t\(index)")
    }

    static func index(_ edge: HistoryEdge) -> Int? { Int(edge.token.dropFirst()) }

    /// A page as the service gives it: messages as they were sent or edited, and beside them their relations, and those
    /// of messages that have not come yet.
    private func page(_ url: ChannelURL, _ rows: [Row], from start: Int, to end: Int, at moment: Int) -> MessagePage {
        let ids = Set(rows.map(\.message.id))
        let others = Set(plain(url, at: moment).map(\.message.id)).subtracting(ids)
        return MessagePage(
            messages: rows.map(\.message),
            range: (
                edge(start, rows.first?.message.position.order ?? 0), edge(end, rows.last?.message.position.order ?? 0)
            ), reachedFirst: false, reachedNewest: false,
            relations: RelationChanges(added: relations(url, at: moment).filter { !others.contains($0.target) }))
    }

    /// What follows a hole: the last of the messages that arrived in a part of the log, if they are still there.
    func newest(_ url: ChannelURL, since start: Int, to end: Int) -> MessagePage {
        let arrived = log.indices[start..<end].filter { index in
            guard log[index].url == url, case .messageReceived = log[index].event else { return false }
            return true
        }.suffix(2)
        let rows = plain(url, at: end).filter { arrived.contains($0.index) }
        var page = page(url, rows, from: arrived.first ?? end, to: end, at: end)
        if rows.isEmpty { page.range = nil }
        page.reachedNewest = true
        return page
    }

    func page(
        _ url: ChannelURL, from edge: HistoryEdge, _ direction: PageDirection, until: HistoryEdge?, told: Int
    ) -> MessagePage? {
        guard let place = SequenceServer.index(edge) else { return nil }
        let isBack = direction == .previous
        // Times lie: what is held on that side may come before in the service's order, and then bounds nothing.
        let bound = until.flatMap { SequenceServer.index($0) }.flatMap { isBack == ($0 <= place) ? $0 : nil }
        let all = plain(url).filter { row in
            isBack
                ? row.index < place && row.index >= bound ?? 0
                : row.index >= place && row.index < bound ?? max(told, place)
        }
        let rows = Array(isBack ? all.suffix(SequenceServer.pageSize) : all.prefix(SequenceServer.pageSize))
        let isAll = rows.count == all.count
        let far = isBack ? rows.first?.index ?? bound ?? 0 : rows.last.map { $0.index + 1 } ?? bound ?? max(told, place)
        var page = isBack
            ? page(url, rows, from: far, to: place, at: log.count)
            : page(url, rows, from: place, to: far, at: log.count)
        if isBack { page.range?.end = edge } else { page.range?.start = edge }
        if isAll, bound != nil, let until { if isBack { page.range?.start = until } else { page.range?.end = until } }
        page.reachedFirst = isBack && isAll && bound == nil
        page.reachedNewest = !isBack && isAll && bound == nil
        return page
    }

    func around(_ url: ChannelURL, _ time: Int64, told: Int) -> MessagePage {
        let all = plain(url).filter { $0.index < told }
        guard !all.isEmpty else {
            return MessagePage(messages: [], range: nil, reachedFirst: true, reachedNewest: true)
        }
        let nearest = all.firstIndex { $0.message.position.order >= time } ?? all.count
        let range = max(0, nearest - SequenceServer.pageSize)..<min(all.count, nearest + SequenceServer.pageSize)
        let isNewest = range.upperBound == all.count
        var page = page(
            url, Array(all[range]), from: all[range.lowerBound].index,
            to: isNewest ? told : all[range.upperBound - 1].index + 1, at: log.count)
        page.reachedFirst = range.lowerBound == 0 && tellsEnds
        page.reachedNewest = isNewest && (tellsEnds || time == Int64.max)
        return page
    }

    func token(beside id: MessageID, _ url: ChannelURL, _ direction: PageDirection) -> String? {
        plain(url).first { $0.message.id == id }.map { "t\(direction == .previous ? $0.index : $0.index + 1)" }
    }

    func channel(_ url: ChannelURL) -> ChannelRecord {
        let last = plain(url).last?.message
        let message = last.map { String(decoding: $0.json, as: UTF8.self) } ?? "null"
        let json = #"{"channel_url":"\#(url)","id":1,"name":"\#(url)","created_at":1600000000,"member_state":"joined","#
            + #""unread_message_count":0,"last_message":\#(message)}"#
        return ChannelRecord(json: Array(json.utf8)) ?? ChannelRecord(url: url, json: Array(json.utf8))
    }
}

extension ServiceEvent {
    var brief: String {
        switch self {
        case .messageReceived(let url, let message): "\(message.id) in \(url), \(message.position.order)"
        case .messageUpdated(let url, let message): "edit of \(message.id) in \(url)"
        case .messageDeleted(let url, let id): "\(id) is gone in \(url)"
        case .messageRelations(let url, let changes, _):
            "relations in \(url): \(changes.added.map { "\($0.id) of \($0.target)" }), without \(changes.removed)"
        case .hole(let url, let older, let page):
            "hole in \(url) at \(older), then \(page.messages.map(\.id)) from \(page.range?.start.token ?? "-")"
        case .batch(let events, let point): "batch to \(point): \(events.map(\.brief))"
        case .connected(let info): "connected, goes on: \(info.isContinued)"
        case .disconnected(let failure, _): "disconnected: \(failure.message)"
        default: "\(self)".prefix(80).description
        }
    }
}

extension ServiceReply {
    var brief: String {
        switch self {
        case .messages(let page):
            "page \(page.messages.map(\.id)) from \(page.range?.start.token ?? "-") to "
                + "\(page.range?.end.token ?? "-"), first \(page.reachedFirst), newest \(page.reachedNewest)"
        case .failure(let failure): "failure \(failure.kind)"
        default: "\(self)".prefix(60).description
        }
    }
}
