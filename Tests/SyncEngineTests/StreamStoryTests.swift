import SyncModel
import SyncStore
import TestSupport
import XCTest

@testable import SyncEngine

/// Random stories with a service whose changes and own messages are in its stream: it leaves messages out, its sessions
/// end, its point is refused, batches cannot be stored, the process ends. Whenever the stream has told everything, the
/// cache has nothing that the service has not, and all that it calls complete; and in the end every view shows what the
/// service has, and each own message has been sent once.
final class StreamStoryTests: EngineTestCase {
    private typealias Case = EngineTestCase
    private static let urls: [ChannelURL] = ["c", "d"]
    private let inStream = ServiceCapabilities(
        channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false, hasRelations: true)
    private let rules = FoldingRules()

    private var random = SeededGenerator(seed: 0)
    /// All that ever happened, in the order of the stream.
    private var log: [(url: ChannelURL, event: ServiceEvent)] = []
    /// How much of it was told.
    private var position = 0
    private var isOnline = false
    private var resumesSeen = 0
    private var askedSeen = 0
    private var views: [CollectionID: ChannelURL] = [:]
    private var lastView: UInt64 = 0
    private var lastID: Int64 = 0
    /// What the service has accepted, by request; and what the host was told to be kept.
    private var accepted: [RequestID: MessageID] = [:]
    private var written: Set<RequestID> = []
    private var acknowledged: Set<RequestID> = []
    private var story: [String] = []

    // MARK: The service

    /// A channel's messages after so many events, with their relations in them.
    private func messages(_ url: ChannelURL, at end: Int) -> [MessageRecord] {
        let relations = relations(url, at: end)
        return plain(url, at: end).map { message in
            var message = message
            message.json = rules.folded(message.json, with: relations.filter { $0.target == message.id })
            return message
        }
    }

    /// The relations that were not taken back, of messages that may not be there yet.
    private func relations(_ url: ChannelURL, at end: Int) -> [Relation] {
        log[..<end].lazy.filter { $0.url == url }.map(\.event).relationsLeft
    }

    /// A page as the service gives it: messages as they were sent or edited, and beside them their relations, and those
    /// of messages that have not come yet.
    private func unfolded(_ page: MessagePage, _ url: ChannelURL, at end: Int? = nil) -> MessagePage {
        let ids = Set(page.messages.map(\.id))
        var page = page
        let all = plain(url, at: end ?? log.count)
        let others = Set(all.map(\.id)).subtracting(ids)
        page.messages = all.filter { ids.contains($0.id) }
        page.relations.added = relations(url, at: end ?? log.count).filter { !others.contains($0.target) }
        return page
    }

    private func plain(_ url: ChannelURL, at end: Int) -> [MessageRecord] {
        var held: [MessageRecord] = []
        for (channel, event) in log[..<end] where channel == url {
            switch event {
            case .messageReceived(_, let message): held.append(message)
            case .messageUpdated(_, let message): held = held.map { $0.id == message.id ? message : $0 }
            case .messageDeleted(_, let id): held.removeAll { $0.id == id }
            default: break
            }
        }
        return held
    }

    private func messages(_ url: ChannelURL) -> [MessageRecord] { messages(url, at: log.count) }

    private func happen() {
        let url = StreamStoryTests.urls[random.below(2)]
        let held = plain(url, at: log.count)
        switch held.isEmpty ? 0 : random.below(14) {
        case 0..<7:
            lastID += 1
            log.append((url, .messageReceived(channelURL: url, message: Case.message(lastID, in: url))))
        case 7..<9:
            let old = held[random.below(held.count)]
            guard let id = Int64(old.id.text) else { return }
            let updatedAt = Case.wall + Int64(log.count)
            let new = Case.message(
                id, in: url, by: old.senderID.text, text: "edited \(log.count)", updatedAt: updatedAt,
                requestID: old.requestID)
            log.append((url, .messageUpdated(channelURL: url, message: new)))
        case 9..<11:
            lastID += 1
            // Of a message that is there, or of the next one.
            let isEarly = random.below(3) == 0
            let target = isEarly ? "\(lastID + 1)" : held[random.below(held.count)].id
            let relation = Relation(
                id: "r\(lastID)", target: target, kind: "reaction", order: lastID, json: Array("{}".utf8))
            log.append((url, .messageRelations(
                channelURL: url, RelationChanges(added: [relation]), Cause(.eventReactionUpdated))))
        case 11, 12:
            let all = relations(url, at: log.count)
            guard !all.isEmpty else { return }
            log.append((url, .messageRelations(
                channelURL: url, RelationChanges(removed: [all[random.below(all.count)].id]),
                Cause(.eventReactionUpdated))))
        default: log.append((url, .messageDeleted(channelURL: url, messageID: held[random.below(held.count)].id)))
        }
    }

    /// Takes in an own message, or knows it already. Its place is told by the stream, or a page, alone; which may name
    /// the request, or the id only.
    private func accept(_ requestID: RequestID, _ url: ChannelURL) -> MessageID {
        if let known = accepted[requestID] { return known }
        lastID += 1
        let named = random.below(2) == 0 ? requestID : ""
        let message = Case.message(lastID, in: url, by: "mei", text: requestID.text, requestID: named)
        log.append((url, .messageReceived(channelURL: url, message: message)))
        accepted[requestID] = message.id
        return message.id
    }

    private static func edge(_ message: MessageRecord, _ token: String) -> HistoryEdge {
        HistoryEdge(message.position, token: token + message.id.text)
    }

    /// What follows a hole: the last of the messages that arrived in a part of the log, if they are still there.
    private func newest(_ url: ChannelURL, since start: Int, to end: Int) -> MessagePage {
        let arrived = log[start..<end].compactMap { channel, event -> MessageID? in
            guard channel == url, case .messageReceived(_, let message) = event else { return nil }
            return message.id
        }.suffix(2)
        let rows = messages(url, at: end).filter { arrived.contains($0.id) }
        let page = MessagePage(
            messages: rows,
            range: rows.first.flatMap { first in
                rows.last.map { (StreamStoryTests.edge(first, "s"), StreamStoryTests.edge($0, "e")) }
            }, reachedFirst: false, reachedNewest: true)
        return unfolded(page, url, at: end)
    }

    /// One answer of the stream: events of both channels, of which it may leave out messages.
    private func tell() {
        guard isOnline, position < log.count else { return }
        let end = min(log.count, position + 1 + random.below(12))
        var events: [ServiceEvent] = []
        for url in StreamStoryTests.urls {
            let told = log[position..<end].filter { $0.url == url }.map(\.event)
            let count = told.count { if case .messageReceived = $0 { true } else { false } }
            guard count > 3, random.below(2) == 0 else {
                events += told
                continue
            }
            story.append("hole in \(url) \(position)-\(end)")
            let page = newest(url, since: position, to: end)
            events.append(.hole(channelURL: url, older: "h\(position)", newer: page))
            events += told.filter { if case .messageReceived = $0 { false } else { true } }
        }
        story.append("told \(position)-\(end)")
        position = end
        event(.batch(events, resume: "\(end)"))
    }

    /// Nobody knows what was told before.
    private func tellAnew() {
        story.append("begins again at \(log.count)")
        let events = StreamStoryTests.urls.map { url in
            ServiceEvent.hole(channelURL: url, older: "", newer: newest(url, since: 0, to: log.count))
        }
        position = log.count
        event(.batch(events, resume: "\(position)"))
    }

    private func login() {
        command(.call(newCall(), .connect))
        let point = starts.last?.resume.flatMap { Int($0) }
        let isContinued = point != nil && random.below(5) > 0
        story.append("login \(point.map { "\($0)" } ?? "-") \(isContinued ? "goes on" : "refused")")
        isOnline = true
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall, isContinued: isContinued)))
        guard let point, isContinued else { return tellAnew() }
        position = point
        // The first answer of a session does not wait for something to happen.
        event(.batch([], resume: "\(point)"))
    }

    /// What the engine wants told again.
    private func obeyResume() {
        guard resumesSeen < resumedFrom.count else { return }
        resumesSeen = resumedFrom.count
        story.append("resume from \(String(describing: resumedFrom.last ?? nil))")
        guard isOnline else { return }
        if let point = resumedFrom.last?.flatMap({ Int($0) }) { position = point } else { tellAnew() }
    }

    private func page(
        _ url: ChannelURL, from edge: HistoryEdge, _ direction: PageDirection, until: HistoryEdge?
    ) -> MessagePage {
        let isBack = direction == .previous
        if isBack { XCTAssertFalse(edge.token.isEmpty, "an edge lost its token") }
        let place = edge.position
        let all = messages(url).filter { message in
            let isBehind = isBack ? message.position <= place : message.position >= place
            let isWithin = until.map { isBack ? message.position > $0.position : message.position < $0.position }
            return isBehind && isWithin ?? true
        }
        let rows = Array(isBack ? all.suffix(4) : all.prefix(4))
        let isAll = rows.count == all.count
        let far = isBack ? rows.first : rows.last
        var end = far.map { StreamStoryTests.edge($0, isBack ? "s" : "e") } ?? edge
        if isAll, let until { end = until }
        return MessagePage(
            messages: rows, range: isBack ? (end, edge) : (edge, end), reachedFirst: isBack && isAll && until == nil,
            reachedNewest: !isBack && isAll && until == nil)
    }

    private func around(_ url: ChannelURL, _ time: Int64) -> MessagePage {
        let all = messages(url)
        let older = all.filter { $0.position.order < time }
        let newer = all.filter { $0.position.order >= time }
        let rows = Array(older.suffix(4) + newer.prefix(4))
        guard let first = rows.first, let last = rows.last else {
            return MessagePage(messages: [], range: nil, reachedFirst: true, reachedNewest: true)
        }
        return MessagePage(
            messages: rows, range: (StreamStoryTests.edge(first, "s"), StreamStoryTests.edge(last, "e")),
            reachedFirst: older.count <= 4, reachedNewest: newer.count <= 4)
    }

    /// Answers one of the requests that wait.
    private func answerOne() {
        let requests = asked { if case .markDelivered = $0 { false } else { true } }
        guard !requests.isEmpty else { return }
        let request = requests[random.below(requests.count)]
        let channels = StreamStoryTests.urls.map { Case.channel($0, last: messages($0).last) }
        let reply: ServiceReply
        switch request {
        case .messages(let url, let edge, let direction, _, _, let until):
            reply = .messages(unfolded(page(url, from: edge, direction, until: until), url))
        case .messagesAround(let url, let time, _, _): reply = .messages(unfolded(around(url, time), url))
        case .listChannels: reply = .channels(ChannelPage(channels: channels, next: ""))
        case .getChannel(let url): reply = channels.first { $0.url == url }.map { .channel($0) } ?? .done
        case .sendMessage(let url, let requestID, _):
            story.append("send \(requestID)")
            XCTAssertFalse(acknowledged.contains(requestID), "\(requestID) was accepted, and is sent again")
            // Refused before or after it was done, or the stream is faster.
            if random.below(6) == 0 { return answer(Case.failure(.unavailable, 500_901)) { $0 == request } }
            let id = accept(requestID, url)
            if random.below(6) == 0 { return answer(Case.failure(.unavailable, 500_901)) { $0 == request } }
            if random.below(4) == 0 { tell() }
            acknowledged.insert(requestID)
            return answer(.accepted(id)) { $0 == request }
        case .unreadCounts: reply = .unreadCounts(UnreadCounts(all: 0, byCustomType: [:], time: 0))
        case .retention: reply = .retention(RetentionPage())
        default:
            XCTFail("asked for \(request)")
            reply = .done
        }
        answer(random.below(8) == 0 ? Case.failure(.unavailable, 500_901) : reply) { $0 == request }
    }

    // MARK: The host

    private func act() {
        switch random.below(24) {
        case 0..<7: for _ in 0...random.below(5) { happen() }
        case 7..<11: tell()
        case 11..<15: answerOne()
        case 15: wait(Int64(random.below(4000)))
        case 16:
            if views.count == 2, let id = views.keys.min() {
                story.append("close \(id)")
                views[id] = nil
                return command(.post(.removeCollection(id: id)))
            }
            lastView += 1
            let (id, url) = (CollectionID.host(lastView), StreamStoryTests.urls[random.below(2)])
            views[id] = url
            story.append("open \(id) of \(url)")
            openMessages(id, url, viewpoint: random.below(2) == 0 ? .max : Case.wall + Int64(random.below(60)) * 1000)
        case 17, 18:
            guard let id = views.keys.min() else { return }
            fetch(id, random.below(2) == 0 ? .previous : .next)
        case 19:
            guard isOnline else { return login() }
            story.append("connection lost")
            isOnline = false
            loseConnection()
        case 20, 21:
            guard let id = views.keys.min() else { return }
            lastID += 1
            let requestID = RequestID("own-\(lastID)")
            story.append("write \(requestID)")
            send(id, requestID)
            written.insert(requestID)
        case 22:
            story.append("kill")
            (views, isOnline) = ([:], false)
            askedSeen = 0
            start(capabilities: inStream, rules: rules)
        default:
            story.append("the disk is full")
            var left = random.below(4)
            cache.setCommitHook { () throws(StoreError) in
                left -= 1
                if left < 0 { throw .full }
            }
            tell()
            if random.below(2) == 0 { answerOne() }
            cache.setCommitHook(nil)
        }
    }

    // MARK: What has to hold

    /// When everything was told and stored.
    private func check(isEnd: Bool = false) throws {
        guard isOnline, position == log.count, try cache.value("service.resume") == "\(position)" else {
            return XCTAssertFalse(isEnd, "the stream has not come to its end")
        }
        for url in StreamStoryTests.urls {
            let truth = messages(url)
            let key = try cache.channels.key(url)
            let held = try cache.messageReferences(channel: key, from: .first, through: .last).map(\.id)
            for chunk in try cache.chunks.of(channel: key) {
                for id in try cache.messageReferences(
                    channel: key, from: chunk.reachedFirst ? .first : chunk.start.position,
                    through: chunk.isOpenEnded ? .last : chunk.end.position).map(\.id)
                {
                    let json = String(decoding: try cache.message(id: id, channel: key)?.json ?? [], as: UTF8.self)
                    let there = String(decoding: truth.first { $0.id == id }?.json ?? [], as: UTF8.self)
                    XCTAssertEqual(json, there, "\(url): \(id) is not as the service has it")
                }
                let inside = truth.filter { message in
                    (chunk.reachedFirst || chunk.start.position <= message.position)
                        && (chunk.isOpenEnded || message.position <= chunk.end.position)
                }
                XCTAssertEqual(inside.map(\.id).filter { !held.contains($0) }, [], "\(url): not complete")
            }
        }
        // What is shown may be old until the pages that are asked for have come.
        guard engine.isAtRest else { return XCTAssertFalse(isEnd, "the engine has not come to rest") }
        for (id, url) in views {
            // An own message is shown once: as pending until it is in the list.
            let listed = Set(messages(url).filter { host.ids(id).contains($0.id.text) }.map(\.id))
            let twice = host.ids(id, .pending).filter { accepted[RequestID($0)].map(listed.contains) ?? false }
            XCTAssertEqual(twice, [], "\(id) of \(url) shows own messages twice")
            let (shown, all) = (host.ids(id), messages(url).map(\.id.text))
            let start = shown.first.flatMap { all.firstIndex(of: $0) } ?? 0
            XCTAssertEqual(shown, Array(all[start...].prefix(shown.count)), "\(id) of \(url) has a hole")
        }
    }

    /// No page that was asked for in this step goes beyond what is held on the other side of a hole.
    private func checkPages() throws {
        let new = everAsked.dropFirst(askedSeen)
        askedSeen = everAsked.count
        // Until the first batch after a refused point is stored, the file says more than counts.
        guard isOnline, try cache.value("service.resume") == "\(position)" else { return }
        for case .messages(let url, let edge, let direction, _, _, nil) in new {
            let isHeld = try cache.chunks.of(channel: cache.channels.key(url)).contains {
                direction == .previous ? $0.end.position < edge.position : $0.start.position > edge.position
            }
            XCTAssertFalse(isHeld, "a page of \(url) is asked for without an end")
        }
    }

    private func settle() throws {
        for _ in 0..<400 {
            if !isOnline { login() }
            obeyResume()
            tell()
            for _ in 0..<4 { answerOne() }
            wait(1000)
        }
        for url in StreamStoryTests.urls {
            lastView += 1
            let id = CollectionID.host(lastView)
            openMessages(id, url)
            for _ in 0..<40 where host.ids(id) != messages(url).map(\.id.text) {
                fetch(id, .previous)
                for _ in 0..<20 {
                    answerOne()
                    wait(1000)
                }
            }
            XCTAssertEqual(host.ids(id), messages(url).map(\.id.text), "\(url) is not shown as it is")
            for message in messages(url) {
                XCTAssertEqual(
                    host.json(id, .succeeded, message.id.text), String(decoding: message.json, as: UTF8.self),
                    "\(url): \(message.id) is not shown as it is")
            }
        }
        try check(isEnd: true)
        for requestID in written.sorted() {
            XCTAssertNotNil(accepted[requestID], "\(requestID) was not sent")
            let copies = log.filter { entry in
                guard case .messageReceived(_, let message) = entry.event else { return false }
                return String(decoding: message.json, as: UTF8.self).contains(#""message":"\#(requestID)""#)
            }
            XCTAssertEqual(copies.count, 1, "\(requestID) was sent more than once")
        }
        // One that was told, deleted, and only then accepted by a repeat is never told again: it stays until it is old.
        let there = Set(StreamStoryTests.urls.flatMap { messages($0) }.map(\.id))
        let left = try intents.intents().filter { $0.status != .accepted || $0.messageID.map(there.contains) ?? true }
        XCTAssertEqual(left, [], "what the service has is still in the outbox")
    }

    private func tellStory(_ seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        (log, position, isOnline, views, lastID) = ([], 0, false, [:], 0)
        (accepted, written, acknowledged) = ([:], [], [])
        askedSeen = 0
        story = []
        resumesSeen = resumedFrom.count
        start(capabilities: inStream, rules: rules)
        for step in 0..<120 where (testRun?.failureCount ?? 0) == 0 {
            story.append("-- \(step)")
            act()
            obeyResume()
            try check()
            try checkPages()
        }
        if (testRun?.failureCount ?? 0) == 0 { try settle() }
    }

    func testStories() throws {
        let seeds = Seeds.chosen(usual: 60)
        for seed in seeds {
            try tellStory(seed)
            if let run = testRun, run.failureCount > 0 {
                return XCTFail("seed \(seed): " + story.suffix(60).joined(separator: "; "))
            }
            try tearDownAndSetUp()
        }
    }
}
