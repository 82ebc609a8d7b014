import Foundation
import SyncJSON
import SyncModel
import SyncStore

@testable import SyncEngine

/// One run of the engine against the simulated service: hosts, messages, losses, reordering between socket and REST,
/// restarts; everything from one seed. After every step the invariants of the architecture page are checked.
final class Simulation {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    let seed: UInt64
    let server = SimulatedServer()
    private var random: SeededGenerator
    var engine: Engine
    private var cache: CacheStore
    private var intents: IntentStore
    private let directory: URL
    private var time: Int64 = 1_000_000
    private(set) var history: [String] = []

    enum Delivery {
        case reply(UInt64, ServiceReply, engine: Int)
        case answer(UInt64, ServiceReply, socket: Int)
        case process(UInt64, ServiceRequest, engine: Int)
        case event(ServiceEvent, socket: Int)
        case login(socket: Int, isAccepted: Bool)
    }
    var queue: [(time: Int64, order: Int, delivery: Delivery)] = []
    private var order = 0
    private var engineNumber = 0
    private var socket = 0
    private var isSocketOpen = false
    private var lastSocketTime: Int64 = 0
    var isFaulty = true

    var replay: [UInt64: [CollectionChange.List: [(id: String, json: [UInt8])]]] = [:]
    /// The id of the next message when the last one of a window was removed.
    var emptySince: [UInt64: Int64] = [:]
    private var lastCollection: UInt64 = 0
    var lastCall: UInt64 = 0
    var openCalls: Set<UInt64> = []
    var results: [UInt64: Completion] = [:]
    /// Own messages that were shown as pending, by request id, with their channel.
    var accepted: [String: String] = [:]
    private var lastRequest = 0
    private(set) var steps = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let memory = "/dev/shm"
        let isThere = FileManager.default.isWritableFile(atPath: memory)
        let base = isThere ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        directory = base.appendingPathComponent("sm-sim-\(ProcessInfo.processInfo.processIdentifier)-\(seed)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        cache = try CacheStore(directory: directory.path, now: 0)
        intents = try IntentStore(directory: directory.path)
        engine = Engine(
            options: Simulation.options(seed), cache: cache, intents: intents,
            now: EngineTime(monotonic: time, wall: 1_700_000_000_000))
        server.broadcast = { [unowned self] in broadcast($0) }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private static func options(_ seed: UInt64, start: Int = 0) -> EngineOptions {
        var options = EngineOptions(userID: SimulatedServer.me, accessToken: "token")
        options.seed = seed &+ UInt64(start)
        options.requestTimeout = 5_000
        // Some runs trim: the window is then smaller than the channel.
        if seed % 4 == 0 { options.messageCollectionCapacity = 60 }
        options.resendPolicy = seed % 6 == 1 ? .manual : seed % 6 == 2 ? .none : .automatic
        return options
    }

    private var now: EngineTime { EngineTime(monotonic: time, wall: 1_700_000_000_000 + time) }
    private func chance(_ percent: Int64) -> Bool { random.below(100) < percent }
    func note(_ text: @autoclosure () -> String) { history.append("\(time) \(text())") }

    private func schedule(_ at: Int64, _ delivery: Delivery) {
        order += 1
        queue.append((at, order, delivery))
    }

    private func broadcast(_ event: ServiceEvent) {
        guard isSocketOpen else { return }
        // The socket keeps its order; REST answers overtake it and are overtaken.
        lastSocketTime = max(lastSocketTime, time + 1 + random.below(60))
        schedule(lastSocketTime, .event(event, socket: socket))
    }

    // MARK: Running

    func run(steps count: Int) throws {
        for index in 0..<(2 + Int(random.below(3))) {
            server.addChannel("channel_\(index)", name: "Channel \(index)")
            for _ in 0..<random.below(index == 0 ? 400 : 30) { postFromOthers("channel_\(index)") }
        }
        command(.connect(call: newCall()))
        for _ in 0..<count {
            steps += 1
            try act()
            try advance(random.below(200))
            try check()
        }
        try converge()
    }

    private func postFromOthers(_ url: String) {
        // Many messages share a timestamp, as in real data.
        if !chance(40) { server.now += random.below(5_000) }
        note("post \(server.nextID) in \(url)")
        server.post(url, sender: chance(50) ? "bo" : "kit", text: "text \(server.nextID)")
    }

    private func act() throws {
        let urls = server.channels.keys.sorted()
        let url = urls.isEmpty ? "channel_0" : urls[Int(random.below(Int64(urls.count)))]
        let views = engine.messageViews.keys.sorted()
        let view = views.isEmpty ? nil : views[Int(random.below(Int64(views.count)))]
        switch random.below(100) {
        case 0..<20: postFromOthers(url)
        case 20: try rareAct(url, view)
        case 21: server.type(url, chance(45) ? "bo" : chance(80) ? "kit" : SimulatedServer.me, starts: chance(70))
        case 22..<24: for _ in 0..<random.below(chance(10) ? 400 : 20) { postFromOthers(url) }
        case 24..<32:
            if let id = someMessage(url) { note("edit \(id)"); _ = server.edit(url, id, "edited \(server.now)") }
        case 32..<36: if let id = someMessage(url) { note("delete \(id)"); server.delete(url, id) }
        case 36..<40: if let id = someMessage(url) { note("react \(id)"); server.react(url, id, "+1") }
        case 40..<43:
            let name = "Name \(random.below(100))"
            note("rename \(url) to \(name)")
            server.rename(url, name)
        case 43..<45:
            if urls.count < 8 { server.addChannel("channel_new_\(server.nextID)_\(time)", name: "New") }
        case 45: if urls.count > 2 { note("remove channel \(url)"); server.removeChannel(url) }
        case 46..<52:
            guard views.count < 4 else { return }
            lastCollection += 1
            replay[lastCollection] = [:]
            let viewpoints = [Int64.max, Int64.max, 0, server.now - random.below(600_000)]
            let viewpoint = viewpoints[Int(random.below(4))]
            var filter = MessageFilter()
            filter.limit = 1 + Int(random.below(40))
            if chance(25) { filter.senderIDs = ["bo"] }
            command(.openMessageCollection(id: lastCollection, channelURL: url, filter: filter, viewpoint: viewpoint))
        case 52..<55:
            guard engine.channelViews.count < 3 else { return }
            lastCollection += 1
            replay[lastCollection] = [:]
            var query = ChannelQuery()
            query.limit = 1 + Int(random.below(4))
            query.includeFrozen = chance(80)
            if chance(20) { query.hiddenChannels = .all }
            query.order = chance(60) ? .latestLastMessage : chance(50) ? .chronological : .channelNameAlphabetical
            command(.openChannelCollection(id: lastCollection, query: query))
        case 55..<72: if let view { fetch(view, chance(60) ? .previous : .next) }
        case 72..<76:
            if let id = engine.channelViews.keys.sorted().last { fetch(id, .next) }
        case 76..<78:
            if let view { command(.resetViewpoint(collection: view, viewpoint: chance(50) ? Int64.max : server.now)) }
        case 78..<80: if let view { replay[view] = nil; command(.removeCollection(id: view)) }
        case 80..<87:
            if let view {
                lastRequest += 1
                let id = "r\(seed)-\(lastRequest)"
                // Some are refused for good.
                let text = chance(8) ? "bad \(lastRequest)" : "mine \(lastRequest)"
                let body = JSON.object(["message": .string(text)]).serialized()
                if chance(85) {
                    command(.sendMessage(collection: view, requestID: id, body: body, call: newCall()))
                } else {
                    try sendByHost(view, id, body)
                }
            }
        case 87..<89:
            if let view, let shown = engine.messageViews[view]?.shown.last(where: SimulatedServer.isOwn) {
                if chance(50) {
                    command(.deleteMessage(collection: view, messageID: shown.id, requestID: "", call: newCall()))
                } else {
                    let body = JSON.object(["message": .string("better")]).serialized()
                    command(
                        .updateMessage(
                            collection: view, messageID: shown.id, requestID: "", body: body, call: newCall()))
                }
            }
        case 89..<91: command(chance(50) ? .pauseSync : .resumeSync)
        case 91..<96: dropSocket()
        case 96..<98: try restart()
        default: server.now += random.below(100_000)
        }
    }

    private func rareAct(_ url: String, _ view: UInt64?) throws {
        switch random.below(14) {
        case 12..<14:
            // A channel runs empty.
            guard let ids = server.channels[url]?.messages.map(\.id), ids.count < 20 else { return }
            note("delete all \(ids.count) of \(url)")
            for id in ids { server.delete(url, id) }
        case 0..<2:
            let isFrozen = chance(50)
            note("freeze \(url) \(isFrozen)")
            server.freeze(url, isFrozen)
        case 2..<4:
            let previous = chance(50)
            note("hide \(url)\(previous ? " with its messages" : "")")
            server.hide(url, previousMessages: previous)
        case 4..<7:
            let user = chance(60) ? SimulatedServer.me : "bo"
            note("read \(url) by \(user)")
            server.read(url, by: user)
        case 7..<9: command(.clearCache(channelURL: chance(70) ? url : nil, call: newCall()))
        case 9: command(.showAnew(collections: view.map { [$0: 3] } ?? [:]))
        default:
            // Also one under way: the service may have it already.
            guard let view, let window = engine.messageViews[view],
                let own = window.failed.first ?? window.pending.first
            else { return }
            if chance(50) {
                command(.resendMessage(collection: view, requestID: own, call: newCall()))
            } else {
                accepted[own] = nil
                command(.deleteMessage(collection: view, messageID: 0, requestID: own, call: newCall()))
            }
        }
    }

    /// The host sends by its own means, and tells how it went; or dies before.
    private func sendByHost(_ view: UInt64, _ id: String, _ body: [UInt8]) throws {
        guard let url = engine.messageViews[view]?.channelURL else { return }
        command(.appendMessage(collection: view, requestID: id, body: body, call: newCall()))
        guard engine.outbox.entry(id) != nil else { return }
        note("the host sends \(server.nextID) in \(url)")
        let message = chance(70)
            ? server.post(url, sender: SimulatedServer.me, text: "by host", requestID: id) : nil
        try advance(random.below(100))
        if chance(10) { return try restart() }
        command(.handleSendResponse(
            collection: view, requestID: id, message: message?.record(url), errorCode: message == nil ? 400_000 : 0,
            call: newCall()))
    }

    private func someMessage(_ url: String) -> Int64? {
        guard let messages = server.channels[url]?.messages, !messages.isEmpty else { return nil }
        let recent = messages.suffix(chance(50) ? 10 : messages.count)
        return Array(recent)[Int(random.below(Int64(recent.count)))].id
    }

    func newCall() -> UInt64 {
        lastCall += 1
        openCalls.insert(lastCall)
        return lastCall
    }

    func command(_ command: HostCommand) {
        note("host \(command)")
        engine.handle(command, now: now)
        carryOut()
    }

    func fetch(_ id: UInt64, _ direction: HostCommand.Direction) {
        command(.fetch(collection: id, direction: direction, call: newCall()))
    }

    private func dropSocket() {
        guard isSocketOpen else { return }
        note("the socket is lost")
        isSocketOpen = false
        socket += 1
        engine.connectionLost(ServiceFailure(kind: .unreachable, code: 800_200, message: "lost"), now: now)
        carryOut()
    }

    /// As after a kill: what was in memory is gone, the files are what the last commits left.
    private func restart() throws {
        note("restart")
        engineNumber += 1
        socket += 1
        isSocketOpen = false
        openCalls = []
        replay = [:]
        cache.close()
        intents.close()
        cache = try CacheStore(directory: directory.path, now: 0)
        intents = try IntentStore(directory: directory.path)
        engine = Engine(
            options: Simulation.options(seed, start: engineNumber), cache: cache, intents: intents, now: now)
        command(.connect(call: newCall()))
    }

    func advance(_ duration: Int64) throws {
        let end = time + duration
        while true {
            let next = queue.indices.min { (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order) }
            let due = next.map { queue[$0].time } ?? Int64.max
            let timer = engine.nextDeadline ?? Int64.max
            guard min(due, timer) <= end else { break }
            if timer < due {
                time = max(time, timer)
                engine.advance(now: now)
            } else if let next {
                let item = queue.remove(at: next)
                server.now += max(0, item.time - time)
                time = max(time, item.time)
                deliver(item.delivery)
            }
            carryOut()
            if let violation { throw violation }
            try checkReplay()
        }
        server.now += max(0, end - time)
        time = end
    }

    private func deliver(_ delivery: Delivery) {
        switch delivery {
        case .process(let id, let request, let number):
            // A send, and its answer, go by the socket: in order with its events, and lost with it.
            if case .sendMessage = request {
                guard isSocketOpen, number == engineNumber else { return }
                let reply = server.answer(request)
                lastSocketTime = max(lastSocketTime, time + 1 + random.below(60))
                return schedule(lastSocketTime, .answer(id, reply, socket: socket))
            }
            let reply = isFaulty && chance(2) && Simulation.hasToken(request)
                ? Simulation.expired : server.answer(request)
            if isFaulty, chance(3) { return schedule(time + 5_000, .reply(id, Simulation.lost, engine: number)) }
            schedule(time + 1 + random.below(80), .reply(id, reply, engine: number))
        case .reply(let id, let reply, let number):
            guard number == engineNumber else { return }
            engine.receive(reply, for: id, now: now)
        case .answer(let id, let reply, let number):
            guard number == socket, isSocketOpen else { return }
            engine.receive(reply, for: id, now: now)
        case .event(let event, let number):
            guard number == socket, isSocketOpen else { return }
            note("event \(Simulation.brief(event))")
            engine.receive(event, now: now)
        case .login(let number, let isAccepted):
            guard number == socket, !isSocketOpen else { return }
            guard isAccepted else {
                socket += 1
                engine.connectionLost(ServiceFailure(kind: .unreachable, code: 800_210, message: "refused"), now: now)
                return
            }
            isSocketOpen = true
            note("logged in")
            engine.connectionOpened(now: now)
            engine.receive(.loggedIn(LoginInfo(userID: SimulatedServer.me, loginTime: server.now)), now: now)
        }
    }

    private static let lost = ServiceReply.failure(
        ServiceFailure(kind: .unreachable, code: 800_180, message: "timed out"))

    private static let expired = ServiceReply.failure(
        ServiceFailure(kind: .pageTokenExpired, code: 400_109, message: "the token is too old"))

    private static func hasToken(_ request: ServiceRequest) -> Bool {
        switch request {
        case .channelChanges(.token), .messageChanges(_, .token): true
        case .listChannels(_, let token, _): !token.isEmpty
        default: false
        }
    }

    private static func brief(_ event: ServiceEvent) -> String {
        switch event {
        case .messageReceived(let url, let message): "received \(message.id) in \(url)"
        case .messageUpdated(_, let message): "updated \(message.id)"
        case .messageDeleted(_, let id): "deleted \(id)"
        case .reaction(_, let reaction): "reaction on \(reaction.messageID)"
        case .channel(let url, let event): "channel \(url) \(event)"
        default: "\(event)"
        }
    }

    var violation: Violation?

    private func carryOut() {
        for output in engine.takeOutputs() {
            switch output {
            case .request(let id, let request, let timeout):
                if case .ping = request {
                    if isSocketOpen { schedule(time + 5, .event(.pong, socket: socket)) }
                    continue
                }
                if case .sendMessage = request {} else { note("ask \(id) \(request)") }
                if isFaulty, chance(4) {
                    schedule(time + timeout, .reply(id, Simulation.lost, engine: engineNumber))
                    continue
                }
                schedule(time + 1 + random.below(80), .process(id, request, engine: engineNumber))
            case .openConnection:
                socket += 1
                isSocketOpen = false
                schedule(time + 1 + random.below(100), .login(socket: socket, isAccepted: !isFaulty || !chance(25)))
            case .closeConnection:
                isSocketOpen = false
                socket += 1
            case .event(.change(let change)): apply(change)
            case .event(.collection(let id, let type, _)): note("event \(type) of \(id)")
            case .event(.client): break
            case .completion(let completion):
                note("completed \(completion.call) \(completion.name) \(completion.status)")
                if openCalls.remove(completion.call) == nil {
                    violation = Violation(description: "call \(completion.call) completed without being open")
                }
                results[completion.call] = completion
            }
        }
    }
}
