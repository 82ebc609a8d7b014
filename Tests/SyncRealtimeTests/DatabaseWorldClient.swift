import SyncModel
import SyncServer
import SyncTree
import XCTest

@testable import SyncRealtime

/// One machine in a world, with its network and what its host has heard.
final class DatabaseWorldClient {
    private final class Stream {
        let stream: InProcessStream
        /// When the last piece under way arrives: pieces do not overtake each other.
        var lastDue: Int64

        init(_ stream: InProcessStream, _ time: Int64) {
            self.stream = stream
            lastDue = time
        }
    }

    let name: String
    private(set) var machine: DatabaseMachine
    private unowned let world: DatabaseWorld
    private var streams: [UInt64: Stream] = [:]
    /// What the host was told last of each listen.
    private(set) var values: [UInt64: (node: TreeNode, isCurrent: Bool)] = [:]
    /// What is kept for a restart.
    let keep = MemoryKeep()
    private(set) var ended: [UInt64: DatabaseFailure?] = [:]
    private(set) var listens: [UInt64: DatabaseLocation] = [:]
    /// Transactions that were done, and those of which nobody can say.
    private(set) var increments = 0
    private(set) var uncertain = 0
    /// What counts have added, and how much of it may have been added twice or not at all.
    private(set) var counted: Int64 = 0
    private(set) var uncertainCounts: Int64 = 0
    /// Places of which something is known: a restart does not forget it.
    private(set) var known: Set<DatabaseLocation> = []
    var token = "owner"
    /// Counts lives: what comes for an earlier one is nobody's.
    private(set) var life = 0
    /// Requests that have not arrived yet.
    private var underWay: [UInt64: TransportRequest] = [:]

    init(_ name: String, _ world: DatabaseWorld) {
        self.name = name
        self.world = world
        machine = DatabaseMachine(DatabaseOptions(url: "http://db", name: "w"), token: "owner", seed: 1, keep: keep)
    }

    var now: Moment { Moment(monotonic: world.time - DatabaseWorld.begin, wall: world.time) }

    // MARK: The host

    func listen(_ location: DatabaseLocation) -> UInt64 {
        let id = machine.listen(location, now: now)
        listens[id] = location
        pump()
        return id
    }

    func stop(_ id: UInt64) {
        machine.stop(id, now: now)
        listens[id] = nil
        values[id] = nil
        pump()
    }

    /// Whether it is written: not when it could not be kept.
    func set(_ path: String, _ json: String) throws -> Bool {
        let id = try machine.set(try TreePath(path), Array(json.utf8), now: now)
        pump()
        return (ended[id] ?? nil) != .notKept
    }

    func count(_ path: String, by count: Int64) throws {
        let id = try machine.count(try TreePath(path), by: count, now: now)
        pump()
        if (ended[id] ?? nil) != .notKept { counted += count }
    }

    func read(_ location: DatabaseLocation, isShallow: Bool) {
        _ = machine.read(location, isShallow: isShallow, now: now)
        pump()
    }

    func update(_ path: String, _ json: String) throws {
        try machine.update(try TreePath(path), Array(json.utf8), now: now)
        pump()
    }

    func increment(_ path: String) throws {
        _ = machine.transaction(try TreePath(path), now: now)
        pump()
    }

    func setOnline(_ isOnline: Bool) {
        machine.setOnline(isOnline, now: now)
        pump()
    }

    func advance() {
        machine.advance(now: now)
        pump()
    }

    /// Killed, and started again with what was kept; it listens to the same places.
    func restart(isOnline: Bool = true) {
        life += 1
        for write in machine.queue.pending {
            if case .sent = write.state, let count = write.count, count.isWriting { uncertainCounts += abs(count.by) }
            if case .accepted = write.state, let count = write.count, machine.kept.isKept(ended: write.record.id) {
                uncertainCounts += abs(count.by)
            }
        }
        uncertain += machine.transactions.writing
        // What a dead process has sent arrives before what its successor sends, or not at all: a connection of its own
        // would have to be held up for longer than a process takes to start. Over HTTP nothing else could order them.
        for (_, request) in underWay.sorted(by: { $0.key < $1.key }) where world.chance(500) { _ = execute(request) }
        underWay = [:]
        ended = [:]
        for stream in streams.values { stream.stream.closeByClient() }
        streams = [:]
        values = [:]
        let places = listens.values
        listens = [:]
        machine = DatabaseMachine(
            DatabaseOptions(url: "http://db", name: "w"), token: token, seed: UInt64(life) + 1, keep: keep)
        if !isOnline { machine.setOnline(false, now: now) }
        machine.restore(keep.ordered, now: now)
        for place in places.sorted(by: { $0.path.text < $1.path.text }) { _ = listen(place) }
        pump()
    }

    // MARK: The network

    func pump() {
        for output in machine.takeOutputs() { take(output) }
        // What is told is made from what has changed: it is what all of it would make.
        for listen in machine.listens.all.values {
            guard let told = listen.told, let feed = machine.listens.feeds[listen.feed] else { continue }
            var laid = 0
            let view = feed.view(listen.location, Array(machine.queue.pending), kept: listen.kept, laid: &laid)
            XCTAssertTrue(view == nil || view == told.node, "\(name): listen \(listen.id) was told something else")
        }
        for (id, entry) in streams.sorted(by: { $0.key < $1.key }) { carry(id, entry) }
    }

    private func take(_ output: DatabaseOutput) {
        switch output {
        case .transport(.send(let request, let id)): send(request, id)
        // What comes of it all the same is not taken.
        case .transport(.cancel): break
        case .transport(.openStream(let id, let request)): open(request, id)
        case .transport(.closeStream(let id)): streams.removeValue(forKey: id)?.stream.closeByClient()
        case .transport(let command): XCTFail("\(name): no use of \(command)")
        case .value(let listen, let node, let isCurrent):
            values[listen] = (node, isCurrent)
            if let location = listens[listen], isCurrent { known.insert(location) }
        case .unheard: break
        case .listenEnded(let listen, let failure): XCTFail("\(name): listen \(listen) ended: \(failure)")
        case .read: break
        case .transform(let id, let node):
            // Adds one.
            var value: Int64 = 0
            if case .integer(let present)? = node.leaf { value = present }
            later(world.below(20)) { client in
                do {
                    try client.machine.transformed(id, Array("\(value + 1)".utf8), now: client.now)
                } catch {
                    XCTFail("\(error)")
                }
            }
        case .transactionEnded(_, .success): increments += 1
        case .transactionEnded(_, .failure(let failure)):
            if failure.message.hasPrefix("it is not known") { uncertain += 1 }
        case .writeEnded(let id, let failure):
            XCTAssertNil(ended[id] as Any?, "\(name): write \(id) has ended twice")
            ended[id] = .some(failure)
        case .tokenNeeded:
            later(50) { client in client.machine.setToken(client.token, now: client.now) }
        }
    }

    /// Does something in this life, if it lasts that long.
    private func later(_ delay: Int, _ action: @escaping (DatabaseWorldClient) -> Void) {
        let life = life
        world.later(Int64(delay)) { [weak self] in
            guard let self, life == self.life else { return }
            action(self)
            pump()
        }
    }

    private func receive(_ input: TransportInput, after delay: Int) {
        later(delay) { $0.machine.receive(input, now: $0.now) }
    }

    private var failure: TransportFailure { TransportFailure(kind: .failed, message: "lost") }

    private func send(_ request: TransportRequest, _ id: UInt64) {
        let way = world.below(300)
        let count = machine.queue.pending.first { $0.state == .sent(request: id) }?.count
        let isLost = world.isRough && world.chance(60)
        let isAnswerLost = world.isRough && world.chance(60)
        if isLost || isAnswerLost, let count, count.isWriting { uncertainCounts += abs(count.by) }
        if isLost { return receive(.requestFailed(id: id, failure), after: way + 1000) }
        underWay[id] = request
        later(way) { client in
            client.underWay[id] = nil
            let response = client.execute(request)
            client.receive(
                isAnswerLost ? .requestFailed(id: id, client.failure) : .response(id: id, response),
                after: client.world.below(300) + (isAnswerLost ? 1000 : 0))
        }
    }

    private func execute(_ request: TransportRequest) -> TransportResponse {
        let response = world.server.answerDatabase(
            request.method, String(request.url.dropFirst("http://db".count)),
            headers: request.headers.map { ($0.name, $0.value) }, body: request.body ?? []
        ).response
        return DatabaseWorldClient.transported(response)
    }

    private static func transported(_ response: HTTPResponse) -> TransportResponse {
        TransportResponse(
            status: response.status, headers: response.allHeaders.map { TransportHeader($0.0, $0.1) },
            body: response.body)
    }

    private func open(_ request: TransportRequest, _ id: UInt64) {
        if world.isRough, world.chance(100) { return receive(.streamEnded(id, failure), after: 500) }
        later(world.below(300)) { client in
            let target = String(request.url.dropFirst("http://db".count))
            switch client.world.server.openStream(target) {
            case .opened(let stream):
                client.streams[id] = Stream(stream, client.world.time)
                client.receive(.streamOpened(id), after: 0)
            case .refused(let response):
                client.receive(.streamRefused(id, DatabaseWorldClient.transported(response)), after: 100)
            }
        }
    }

    /// Takes what the server has said to a stream and sends it on its way, in pieces.
    private func carry(_ id: UInt64, _ entry: Stream) {
        var bytes = entry.stream.takeBytes()[...]
        while !bytes.isEmpty {
            let count = world.chance(300) ? 1 + world.below(bytes.count) : bytes.count
            let piece = Array(bytes.prefix(count))
            bytes = bytes.dropFirst(count)
            deliver(.streamBytes(id, piece), entry)
        }
        if entry.stream.isClosed {
            deliver(.streamEnded(id, nil), entry)
            streams[id] = nil
        } else if world.isRough, world.chance(3) {
            entry.stream.closeByClient()
            streams[id] = nil
            deliver(.streamEnded(id, failure), entry)
        }
    }

    private func deliver(_ input: TransportInput, _ entry: Stream) {
        let due = max(entry.lastDue, world.time + Int64(world.below(250)))
        entry.lastDue = due
        receive(input, after: Int(due - world.time))
    }
}
