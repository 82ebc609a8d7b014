import CSQLite
import SyncModel
import SyncSendbird
import SyncStore
import TestSupport
import XCTest

@testable import SyncEngine

/// A test that drives an engine by hand, over real files: the service's words are given as the service's machine would
/// give them, and a host applies every change it is told.
class EngineTestCase: XCTestCase {
    static let wall: Int64 = 1_700_000_000_000
    private(set) var directory = ""
    private(set) var intents: IntentStore!
    private(set) var cache: CacheStore!
    private(set) var engine: Engine!
    private(set) var host = HostModel()
    var now = Moment(monotonic: 0, wall: EngineTestCase.wall)
    private var lastCall: UInt64 = 1000
    /// Requests that wait for an answer, oldest first.
    private var open: [(id: UInt64, request: ServiceRequest)] = []
    /// Whatever was asked since the start.
    private(set) var everAsked: [ServiceRequest] = []
    /// What the service was given at each login.
    private(set) var starts: [SessionStart] = []
    /// From where it was told to go on, and whether what it wanted kept was.
    private(set) var resumedFrom: [String?] = []
    private(set) var keptAnswers: [Bool] = []
    /// What nobody waits for any more.
    private(set) var canceled: [ServiceRequest] = []
    let files = FakeFiles()

    override func setUpWithError() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("sm-engine-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        intents = try IntentStore(directory: directory)
        cache = try CacheStore(directory: directory, now: EngineTestCase.wall)
    }

    override func tearDown() {
        intents.close()
        cache.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// New files.
    func tearDownAndSetUp() throws {
        tearDown()
        try setUpWithError()
    }

    func start(
        capabilities: ServiceCapabilities = ServiceCapabilities(), rules: any ServiceRules = SendbirdRules(),
        _ change: (inout EngineOptions) -> Void = { _ in }
    ) {
        var options = EngineOptions(userID: "mei", accessToken: "t")
        change(&options)
        host = HostModel()
        open = []
        everAsked = []
        engine = Engine(
            options: options, cache: cache, intents: intents, rules: rules,
            capabilities: capabilities, files: files, now: now)
        collect()
    }

    // MARK: Inputs

    func command(_ command: HostCommand) {
        engine.handle(command, now: now)
        collect()
    }

    /// Something comes from the network for the realtime database.
    func receive(database input: TransportInput) {
        engine.receive(database: input, now: now)
        collect()
    }

    func close(_ waiting: [HostCommand] = []) {
        engine.close(waiting, now: now)
        collect()
    }

    func forgetEvents() { host.forgetEvents() }

    func newCall() -> CallID {
        lastCall += 1
        return .host(lastCall)
    }

    @discardableResult
    func fetch(_ collection: CollectionID, _ direction: PageDirection) -> CallID {
        let call = newCall()
        command(.call(call, .fetch(collection: collection, direction: direction)))
        return call
    }

    @discardableResult
    func send(_ collection: CollectionID, _ requestID: RequestID) -> CallID {
        let call = newCall()
        command(.call(
            call, .own(.send(requestID: requestID, body: Array(#"{"message":"\#(requestID)"}"#.utf8)), in: collection)))
        return call
    }

    func openMessages(_ id: CollectionID, _ url: ChannelURL, viewpoint: Int64 = .max, limit: Int = 30) {
        var filter = MessageFilter()
        filter.limit = limit
        command(.post(.openMessageCollection(id: id, channelURL: url, filter: filter, viewpoint: viewpoint)))
    }

    func connect(hasNewRetention: Bool = false, fileLimit: Int64? = nil, takesRequests: Bool = false) {
        command(.call(newCall(), .connect))
        event(.connected(SessionInfo(
            userID: "mei", loginTime: EngineTestCase.wall, hasNewRetention: hasNewRetention,
            fileLimit: fileLimit, takesMessagesByRequest: takesRequests)))
    }

    /// Connected, with a collection of the newest messages of "c" that has shown all of them.
    func startShowing(_ messages: [MessageRecord], resend: EngineOptions.ResendPolicy = .automatic) {
        start { $0.resendPolicy = resend }
        openMessages(1, "c")
        connect()
        serve(channels: [EngineTestCase.channel("c", last: messages.last)], messages: ["c": messages])
        fetch(1, .previous)
    }

    func loseConnection() {
        event(.disconnected(ServiceFailure(kind: .unreachable, code: 800_200, message: "lost"), retryAfter: nil))
        open = []
    }

    func event(_ event: ServiceEvent) {
        engine.receive(event, now: now)
        collect()
    }

    /// Lets time pass, deadline by deadline.
    func wait(_ milliseconds: Int64) {
        let end = now.monotonic + milliseconds
        while let next = engine.nextDeadline, next <= end {
            let moment = max(next, now.monotonic)
            now = Moment(monotonic: moment, wall: now.wall + moment - now.monotonic)
            engine.advance(now: now)
            collect()
        }
        now = Moment(monotonic: end, wall: now.wall + end - now.monotonic)
    }

    // MARK: The service's side

    /// Requests that wait for an answer and match, oldest first.
    func asked(_ matches: (ServiceRequest) -> Bool) -> [ServiceRequest] { open.map(\.request).filter(matches) }

    /// Answers the oldest request that matches.
    func answer(
        _ reply: ServiceReply, file: StaticString = #filePath, line: UInt = #line, to matches: (ServiceRequest) -> Bool
    ) {
        guard let index = open.firstIndex(where: { matches($0.request) }) else {
            return XCTFail("nothing like it was asked; open: \(open.map(\.request))", file: file, line: line)
        }
        let id = open.remove(at: index).id
        engine.receive(reply, for: id, now: now)
        collect()
    }

    /// So much of a file is done.
    func progress(_ done: Int64, of total: Int64?, to matches: (ServiceRequest) -> Bool) {
        guard let id = open.first(where: { matches($0.request) })?.id else { return XCTFail("nothing like it") }
        engine.receive(progress: done, of: total, for: id, now: now)
        collect()
    }

    static func failure(_ kind: ServiceFailure.Kind, _ code: Int = 0) -> ServiceReply {
        .failure(ServiceFailure(kind: kind, code: code, message: "\(kind)"))
    }

    /// Answers change logs with nothing, listings with these channels, gap checks with nothing and pages with the
    /// messages given, until nothing more is asked.
    func serve(channels: [ChannelRecord] = [], messages: [ChannelURL: [MessageRecord]] = [:]) {
        while let (_, request) = open.first(where: { EngineTestCase.isSync($0.request) }) {
            let reply: ServiceReply
            switch request {
            case .listChannels: reply = .channels(ChannelPage(channels: channels, next: ""))
            case .channelChanges:
                reply = .channelChanges(ChannelChanges(updated: [], deletedURLs: [], hasMore: false, next: "log"))
            case .retention: reply = .retention(RetentionPage())
            case .unreadCounts: reply = .unreadCounts(UnreadCounts(all: 0, byCustomType: [:], time: 0))
            case .getChannel(let url):
                reply = channels.first { $0.url == url }.map { .channel($0) }
                    ?? EngineTestCase.failure(.notFound, 400_201)
            case .messageChanges:
                reply = .messageChanges(MessageChanges(updated: [], deletedIDs: [], hasMore: false, next: "log"))
            case .messageGap(_, _, let end, _, _):
                reply = .gap(.fill(MessagePage(
                    messages: [], range: (end, end), reachedFirst: false, reachedNewest: true)))
            case .messagesAround(let url, _, _, _): reply = .messages(EngineTestCase.page(messages[url] ?? []))
            case .messages(let url, let edge, let direction, _, _, _):
                let all = (messages[url] ?? []).filter {
                    direction == .next ? $0.position >= edge.position : $0.position <= edge.position
                }
                let ends = [edge] + all.map { HistoryEdge($0.position) }
                let range = ends.sorted { $0.position < $1.position }
                reply = .messages(MessagePage(
                    messages: all, range: (range[0], range[range.count - 1]), reachedFirst: direction == .previous,
                    reachedNewest: direction == .next))
            default: return
            }
            answer(reply) { $0 == request }
        }
    }

    private static func isSync(_ request: ServiceRequest) -> Bool {
        switch request {
        case .sendMessage, .sendMessageByRequest, .uploadFile, .ownMessages, .action, .markDelivered: false
        default: true
        }
    }

    /// A page from its first message to its last; the whole history, where nothing else is said.
    static func page(
        _ messages: [MessageRecord], reachedFirst: Bool = true, reachedNewest: Bool = true
    ) -> MessagePage {
        let ends = messages.first.flatMap { first in
            messages.last.map { (start: HistoryEdge(first.position), end: HistoryEdge($0.position)) }
        }
        return MessagePage(messages: messages, range: ends, reachedFirst: reachedFirst, reachedNewest: reachedNewest)
    }

    /// A message of somebody at a second of a channel's life.
    static func message(
        _ id: Int64, at second: Int64? = nil, in url: ChannelURL = "c", by sender: String = "bo", text: String = "m",
        updatedAt: Int64 = 0, requestID: RequestID = ""
    ) -> MessageRecord {
        let time = wall + (second ?? id) * 1000
        let request = requestID.isEmpty ? "" : #","req_id":"\#(requestID)""#
        let json = #"{"message_id":\#(id),"type":"MESG","channel_url":"\#(url)","created_at":\#(time),"#
            + #""updated_at":\#(updatedAt),"message":"\#(text)","user":{"user_id":"\#(sender)"}\#(request)}"#
        return MessageRecord(
            id: "\(id)", position: MessagePosition(order: time, tie: id), updatedAt: updatedAt,
            senderID: UserID(sender), requestID: requestID, json: Array(json.utf8))
    }

    static func channel(
        _ url: ChannelURL, name: String? = nil, createdAt: Int64 = 1_600_000_000, last: MessageRecord? = nil,
        membership: String = "joined", unread: Int = 0, id: Int? = 1, messageOffset: Int64 = 0,
        invitedAt: Int64 = 0, joinedAt: Int64 = 0
    ) -> ChannelRecord {
        let message = last.map { String(decoding: $0.json, as: UTF8.self) } ?? "null"
        let member = id.map { #""id":\#($0),"# } ?? ""
        let json = #"{"channel_url":"\#(url)",\#(member)"name":"\#(name ?? url.text)","created_at":\#(createdAt),"#
            + #""invited_at":\#(invitedAt),"joined_ts":\#(joinedAt),"#
            + #""member_state":"\#(membership)","unread_message_count":\#(unread),"#
            + #""ts_message_offset":\#(messageOffset),"last_message":\#(message)}"#
        return ChannelRecord(json: Array(json.utf8)) ?? ChannelRecord(url: url, json: Array(json.utf8))
    }

    // MARK: Files

    /// Changes a file behind the store's back.
    func sql(_ text: String, file: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        XCTAssertEqual(sqlite3_open(directory + "/" + file, &handle), SQLITE_OK)
        XCTAssertEqual(sqlite3_exec(handle, text, nil, nil, nil), SQLITE_OK, String(cString: sqlite3_errmsg(handle)))
    }

    private func collect() {
        for command in engine.takeServiceCommands() {
            switch command {
            case .ask(let id, let request, _):
                open.append((id, request))
                everAsked.append(request)
            case .cancel(let id):
                canceled += open.filter { $0.id == id }.map(\.request)
                open.removeAll { $0.id == id }
            case .connect(let start): starts.append(start)
            case .disconnect: open = []
            case .resume(let point): resumedFrom.append(point)
            case .kept(let isStored): keptAnswers.append(isStored)
            }
        }
        for output in engine.takeHostOutputs() { host.take(output) }
    }
}
