import SyncBytes
import SyncModel
import SyncServer

/// The network between the device and the server, in virtual time: delay, loss, resets, half bodies, dead connections.
/// What TCP promises it keeps: the texts of one socket arrive in order and once, or not at all; between connections
/// there is no order.
public final class SimulatedNetwork: Transport {
    private final class Socket {
        let process: Int
        /// The server's end, once the handshake has arrived.
        var end: InProcessSocket?
        /// By when the last one on its way arrives, in each direction.
        var lastUp: Int64 = 0
        var lastDown: Int64 = 0
        /// Texts sent before the handshake arrived do not exist: the transport waits for `socketOpened`.
        var isClosedHere = false
        /// Ways on which nothing arrives any more, and nobody is told.
        var dead: Set<Way> = []
        var isDead: Bool { dead.count == 2 }
        /// The service will not answer the next sign of life.
        var losesPong = false
        var isClosedThere = false

        init(process: Int) { self.process = process }
    }

    /// To the service, or from it.
    public enum Way: Sendable { case up, down }

    private let server: any NetworkedServer
    public var weather = Weather.fair
    /// Pages of channel lists and change logs hold this many entries; the service may give fewer than asked for.
    private let pageSize: Int?
    public private(set) var agenda = Agenda()
    public let database: DatabaseNetwork
    public let downloads: DownloadNetwork
    private let files: any UploadedFiles
    private var random: SeededGenerator
    private var sockets: [UInt64: Socket] = [:]
    private var process = 0
    private var time: Int64 = 0
    /// Numbers of different processes' requests and sockets must not meet.
    private static let perProcess: UInt64 = 1 << 32
    /// Until when the service wants nothing to be asked, as far as this process has heard.
    private var pausedUntil: Int64 = 0
    /// Requests whose answer the engine waits for (asked in this session, no renewal of a key), and until when: what
    /// comes later nobody hears, the wish for a pause in it neither.
    private var awaited: [UInt64: (deadline: Int64, url: String)] = [:]
    /// Requests of this process that were given up.
    private var canceled: [TransportOwner: Set<UInt64>] = [:]
    /// What the device did against the rules of the network.
    public private(set) var violation: String?
    /// A process that was killed in the middle of its work sends nothing more.
    public var isMuted = false
    /// Since the last login the service has answered a question about channels.
    public private(set) var wereChannelsTold = false
    public var loggedIn: (() -> Void)?
    /// Channels of `loggedIn` that the service has told of since, one by one or in its change log.
    public private(set) var refreshed: Set<String> = []
    public var watched: Set<String> = []
    /// What the service does not say of itself.
    public var isLeftUnsaid: (([UInt8]) -> Bool)?
    /// What the simulation has against a message that goes out, if anything; whether it does so by a request.
    public var messageSent: ((_ body: [UInt8], _ isByRequest: Bool) -> String?)?
    /// The same of a file that is to be uploaded, with the files that are on their way already.
    public var uploadAsked: ((TransportForm, [TransportForm]) -> String?)?
    /// Uploads of which this process awaits the answer.
    public private(set) var uploads: [UInt64: TransportForm] = [:]
    /// Set while a history is written.
    public var note: ((String) -> Void)?
    /// Change what goes out, for a device that is not to be trusted.
    public var spoilRequest: ((TransportRequest) -> TransportRequest)?
    public var spoilText: (([UInt8]) -> [UInt8])?

    /// `pageSize`: how many entries a page of channels or changes has at most; `nil`: as many as asked for.
    public init(
        server: any NetworkedServer, files: any UploadedFiles, downloads source: any DownloadSource, seed: UInt64,
        pageSize: Int? = nil
    ) {
        self.server = server
        self.files = files
        self.pageSize = pageSize
        random = SeededGenerator(seed: seed)
        database = DatabaseNetwork(server: server, seed: seed &+ 1000)
        downloads = DownloadNetwork(from: source, seed: seed &+ 6001)
        downloads.plan = { [unowned self] id, step, delay in agenda.add(.download(id, step), at: time + delay) }
        downloads.tell = { [unowned self] in add($0, at: time) }
        database.carry = { [unowned self] parcel, at in
            switch parcel {
            case .input(let input, let owner, _): add(input, of: owner, at: at)
            default: agenda.add(parcel, at: at)
            }
        }
    }

    // MARK: The device's side

    private func number(_ id: UInt64) -> UInt64 { UInt64(process) * Self.perProcess + id }

    public func carryOut(_ command: TransportCommand, of owner: TransportOwner) {
        guard !isMuted else { return }
        switch command {
        case .send(let request, let id):
            let request = spoilRequest?(request) ?? request
            switch owner {
            case .service: send(request, id: id)
            case .database: database.send(request, id: id, weather, time)
            }
        case .cancel(let id), .discard(let id):
            if owner == .service { downloads.cancel(id, discarding: command == .discard(id)) }
            cancel(id, of: owner)
        case .openSocket(let socket, let url, let headers): openSocket(socket, url: url, headers: headers)
        case .sendText(let text, let socket): sendText(text, on: socket)
        case .closeSocket(let socket): closeSocket(socket)
        case .openStream(let stream, let request): database.open(stream, request, weather, time)
        case .closeStream(let stream): closeStream(stream)
        }
    }

    private func send(_ request: TransportRequest, id: UInt64) {
        // A session key may be renewed all the same: the service machine asks for it, not the engine.
        if time < pausedUntil, !request.url.hasSuffix("/session_key") {
            violation = violation ?? "\(request.method) \(request.url) jumps a pause of \(pausedUntil - time) ms"
        }
        note?("ask \(id) \(request.method) \(request.url.target.prefix(150))")
        if request.method == "POST", request.url.hasSuffix("/messages") {
            violation = violation ?? messageSent?(request.body ?? [], true)
        }
        if case .received(let target)? = request.file { return downloads.send(id, request, target, weather) }
        if case .sent(let form)? = request.file {
            note?("  with \(form.path)")
            violation = violation ?? uploadAsked?(form, uploads.values.sorted { $0.path < $1.path })
            uploads[id] = form
        }
        if !request.url.hasSuffix("/session_key") { awaited[id] = (time + max(request.timeout, 1), request.url) }
        let limit = time + max(request.timeout, 1)
        let failure = TransportFailure(kind: .timedOut, message: "timed out")
        if random.chance(weather.lost) { return add(.requestFailed(id: id, failure), at: limit) }
        if random.chance(weather.reset) {
            return add(.requestFailed(id: id, .init(kind: .failed, message: "reset")), at: time + delay())
        }
        var fate = Parcel.Fate.answered
        let fates: [(Parcel.Fate, Int64)] = [
            (.answerLost, weather.answerLost), (.answerReset, weather.reset), (.answerHalf, weather.half),
            (.rateLimited, weather.rateLimited), (.broken, weather.broken), (.garbage, weather.garbage),
            (.tokenExpired, request.url.contains(text: "token=") ? weather.tokenExpired : 0),
            (.refused, request.isChangeOfChannel ? weather.refusedChange : 0),
            (.tooLarge, request.file == nil ? 0 : weather.refusedChange),
        ]
        for (other, percent) in fates where random.chance(percent) { fate = other }
        agenda.add(.request(number(id), request, fate), at: time + delay())
    }

    /// Nothing more is told of it. What the service was asked may reach it all the same.
    private func cancel(_ id: UInt64, of owner: TransportOwner) {
        note?("cancel \(id)")
        if owner == .service { (awaited[id], uploads[id]) = (nil, nil) }
        canceled[owner, default: []].insert(id)
        agenda.remove { parcel in
            switch parcel {
            case .input(.response(id, _), owner, process), .input(.requestFailed(id, _), owner, process),
                .input(.progress(id, _, _), owner, process):
                true
            default: false
            }
        }
    }

    private func openSocket(_ socket: UInt64, url: String, headers: [TransportHeader]) {
        awaited = [:]
        note?("open socket \(socket)")
        sockets[number(socket)] = Socket(process: process)
        if random.chance(weather.refused) {
            let kinds: [TransportFailure.Kind] = [.failed, .refused(status: 503), .refused(status: 500), .timedOut]
            let failure = TransportFailure(kind: random.pick(kinds) ?? .failed, message: "refused")
            sockets[number(socket)] = nil
            return add(.socketClosed(socket, failure), at: time + delay())
        }
        agenda.add(.handshake(number(socket), url: url, headers: headers), at: time + delay())
    }

    private func sendText(_ text: [UInt8], on socket: UInt64) {
        guard let entry = sockets[number(socket)], !entry.isClosedHere else { return }
        if !text.starts(with: "PING".utf8) {
            note?("send \(String(decoding: text.prefix(150), as: UTF8.self).dropLast())")
        }
        if text.starts(with: "MESG".utf8) || text.starts(with: "FILE".utf8) {
            if time < pausedUntil {
                violation = violation ?? "a message jumps a pause of \(pausedUntil - time) ms"
            }
            violation = violation ?? messageSent?(Array(text.dropFirst(4)), false)
        }
        guard !entry.dead.contains(.up) else { return }
        let text = spoilText?(text) ?? text
        entry.lastUp = max(entry.lastUp, time + 1 + random.below(60))
        agenda.add(.textUp(number(socket), text), at: entry.lastUp)
    }

    private func closeSocket(_ socket: UInt64) {
        // The session ends with it.
        awaited = [:]
        agenda.remove { parcel in
            switch parcel {
            case .input(.socketText(socket, _), _, process), .input(.socketOpened(socket), _, process),
                .input(.socketClosed(socket, _), _, process):
                true
            default: false
            }
        }
        guard let entry = sockets[number(socket)], !entry.isClosedHere else { return }
        entry.isClosedHere = true
        agenda.add(.closeUp(number(socket)), at: max(entry.lastUp, time + 1 + random.below(60)))
    }

    /// Nothing more is told of it.
    private func closeStream(_ stream: UInt64) {
        database.close(stream)
        agenda.remove { parcel in
            switch parcel {
            case .input(.streamOpened(stream), _, _), .input(.streamBytes(stream, _), _, _),
                .input(.streamRefused(stream, _), _, _), .input(.streamEnded(stream, _), _, _):
                true
            default: false
            }
        }
    }

    public func signedOut() { database.signedOut(underWay: agenda.all.map(\.parcel)) }

    /// The process ended, however it did; a new one begins.
    public func processEnded() {
        for (number, entry) in sockets.sorted(by: { $0.key < $1.key })
        where entry.process == process && !entry.isClosedHere {
            entry.isClosedHere = true
            agenda.add(.closeUp(number), at: max(entry.lastUp, time + 1 + random.below(60)))
        }
        process += 1
        canceled = [:]
        pausedUntil = 0
        awaited = [:]
        uploads = [:]
        isMuted = false
        downloads.processEnded()
        database.processEnded(underWay: agenda.all.map(\.parcel))
        agenda.remove { parcel in
            switch parcel {
            case .input(_, _, let of): of != process
            case .databaseRequest, .databaseStream, .download: true
            default: false
            }
        }
    }

    // MARK: Faults

    private var openSockets: [(number: UInt64, socket: Socket)] {
        sockets.sorted { $0.key < $1.key }.filter { $0.value.process == process && !$0.value.isClosedHere }
            .map { ($0.key, $0.value) }
    }

    public var hasOpenSocket: Bool { openSockets.contains { $0.socket.end != nil && !$0.socket.isDead } }

    /// The connection breaks: what was under way on it is gone. The server may learn of it later.
    public func reset() {
        database.reset(time)
        for (number, entry) in openSockets {
            note?("socket \(number % Self.perProcess) is reset")
            agenda.remove { parcel in
                switch parcel {
                case .textUp(number, _), .handshake(number, _, _): true
                case .input(.socketText(let id, _), _, _), .input(.socketOpened(let id), _, _):
                    self.number(id) == number
                default: false
                }
            }
            entry.isClosedHere = true
            add(.socketClosed(number % Self.perProcess, .init(kind: .failed, message: "reset")), at: time + 1)
            agenda.add(.closeUp(number), at: time + (random.chance(30) ? random.below(20_000) : 1))
        }
    }

    /// The connection dies without a sign: in one direction, or in both.
    public func die(_ ways: Way...) {
        if ways.isEmpty { database.die() }
        for (number, entry) in openSockets where !entry.isDead {
            note?("socket \(number % Self.perProcess) is dead \(ways)")
            entry.dead.formUnion(ways.isEmpty ? [.up, .down] : ways)
        }
    }

    /// The service does not answer the next sign of life, on a connection that is well.
    public func losePong() { for (_, entry) in openSockets { entry.losesPong = true } }

    /// A connection that died, of which the device does not know yet.
    public var hasDeadSocket: Bool { openSockets.contains { !$0.socket.dead.isEmpty } }

    /// Whether anything but signs of life is on its way.
    public var isCarrying: Bool {
        agenda.all.contains { entry in
            switch entry.parcel {
            case .pongUp: false
            case .textUp(_, let text): !text.starts(with: "PING".utf8)
            case .input(.socketText(_, let text), _, _): !text.starts(with: "PONG".utf8)
            default: true
            }
        }
    }

    // MARK: Time

    private func add(_ input: TransportInput, of owner: TransportOwner = .service, at time: Int64) {
        switch input {
        case .response(let id, _), .requestFailed(let id, _), .progress(let id, _, _):
            if canceled[owner]?.contains(id) == true { return }
        default: break
        }
        agenda.add(.input(input, of: owner, process: process), at: time)
    }

    private func delay() -> Int64 {
        if random.chance(weather.slow) { return 1 + random.below(Int64(3_000)) }
        return 1 + random.below(Int64(random.chance(20) ? 600 : 80))
    }

    /// A frame waits for a lost packet now and then, and those behind it with it: answers of requests overtake them.
    private func frameDelay() -> Int64 {
        1 + random.below(random.chance(weather.slow / 2) ? 3_000 : 60)
    }

    /// What was done against the rules is forgotten.
    public func forgive() { violation = nil }

    public func move(to time: Int64) { self.time = max(self.time, time) }

    /// What is next on its way, if it is due; an input is for the device to take.
    public func takeDue() -> (input: TransportInput, owner: TransportOwner, upload: TransportForm?)? {
        guard let parcel = agenda.takeNext() else { return nil }
        switch parcel {
        case .input(let input, let owner, _):
            // The service asks for two seconds (`Parcel.Fate.rateLimited`).
            if owner == .service, case .response(let id, let response) = input,
                let asked = awaited.removeValue(forKey: id)
            {
                if response.status == 429, time < asked.deadline { pausedUntil = time + 2_000 }
                if response.status == 200 { noteChannels(response.body, asked.url) }
            }
            if case .socketText(_, let text) = input, text.starts(with: "LOGI".utf8) {
                wereChannelsTold = false
                refreshed = []
                loggedIn?()
            }
            if case .socketClosed = input { awaited = [:] }
            return (input, owner, endedUpload(input, owner))
        case .request(let id, let request, let fate): arrive(id, request, fate)
        case .handshake(let number, let url, let headers): arrive(number, url, headers)
        case .textUp(let number, let text):
            guard let entry = sockets[number], !entry.dead.contains(.up) else { break }
            server.receive(text, on: entry.end)
        case .closeUp(let number):
            sockets[number]?.end?.closeByClient()
            // Of a dead connection the device has still to find out by itself.
            if sockets[number]?.isClosedHere == false { sockets[number]?.end = nil } else { sockets[number] = nil }
        case .pongUp(let number): sockets[number]?.end?.pong()
        case .databaseRequest(let id, let request, let fate): database.arrive(id, request, fate, time)
        case .databaseStream(let id, let request): database.arrive(id, request, time)
        case .download(let id, let step):
            note?("\(parcel)")
            downloads.take(id, step)
        }
        collect()
        return nil
    }

    /// The upload that ends with this input.
    private func endedUpload(_ input: TransportInput, _ owner: TransportOwner) -> TransportForm? {
        guard owner == .service else { return nil }
        switch input {
        case .response(let id, _), .requestFailed(let id, _): return uploads.removeValue(forKey: id)
        default: return nil
        }
    }

    private func noteChannels(_ body: [UInt8], _ url: String) {
        if url.contains(text: "/my_group_channels") { wereChannelsTold = true }
        if url.contains(text: "/my_group_channels/changelogs") {
            let text = String(decoding: body, as: UTF8.self)
            refreshed.formUnion(watched.filter { text.contains(text: "\"\($0)\"") })
        } else {
            refreshed.formUnion(watched.filter { url.contains(text: "/group_channels/\($0)?") })
        }
    }

    private func arrive(_ number: UInt64, _ request: TransportRequest, _ fate: Parcel.Fate) {
        let id = number % Self.perProcess
        let isCurrent = number / Self.perProcess == UInt64(process)
        var target = request.url.target
        if let pageSize, target.contains(text: "/my_group_channels") {
            target = target.contains(text: "/changelogs") ? target + "&limit=\(pageSize)"
                : target.replacing(parameter: "limit", above: pageSize)
        } else if let pageSize, target.contains(text: "/messages/changelogs") {
            target += "&limit=\(pageSize)"
        }
        if fate == .tokenExpired {
            // Of a page of a list it is no place, of a change log a number that is still to come.
            let token = target.contains(text: "changelogs") ? "c999999999" : "0"
            target = target.replacing(parameter: "token", with: token)
        }
        var (headers, body) = (request.headers, request.body ?? [])
        if case .sent(let form)? = request.file {
            do throws(FileProblem) {
                let made = form.multipart(with: try files.bytes(for: form))
                body = made.body
                headers.append(TransportHeader("Content-Type", made.type))
                // Some of it, and all of it, as the network thread counts.
                for done in [form.stamp.size / 2, form.stamp.size] where isCurrent {
                    add(.progress(id: id, done: done, total: form.stamp.size), at: time)
                }
            } catch {
                if isCurrent { add(.requestFailed(id: id, .init(kind: .file(error), message: "\(error)")), at: time) }
                return
            }
        }
        let reply = server.answer(request.method, target, headers, body, fate)
        if case .sent(let form)? = request.file { files.took(form, status: reply.response.status, reply.response.body) }
        guard isCurrent else { return }
        let (at, end) = (time + delay() + reply.delay, time + max(request.timeout, 1))
        if let failure = reply.failure(within: end - time) {
            return add(.requestFailed(id: id, failure), at: min(at, end))
        }
        switch fate {
        case .answerLost:
            add(.requestFailed(id: id, .init(kind: .timedOut, message: "timed out")), at: end)
        case .answerReset: add(.requestFailed(id: id, .init(kind: .failed, message: "reset")), at: at)
        case .answerHalf:
            // The library sees a body shorter than announced; a careless proxy gives the half as if it were the whole.
            if random.chance(50) {
                add(.requestFailed(id: id, .init(kind: .failed, message: "the answer broke off")), at: at)
            } else {
                let half = Array(reply.response.body.prefix(reply.response.body.count / 2))
                let spoilt = TransportResponse(status: reply.response.status, headers: [], body: half)
                add(.response(id: id, spoilt), at: at)
            }
        case .answered, .rateLimited, .broken, .garbage, .tokenExpired, .refused, .tooLarge:
            let headers = reply.response.allHeaders.map { TransportHeader($0.0, $0.1) }
            add(
                .response(
                    id: id,
                    TransportResponse(status: reply.response.status, headers: headers, body: reply.response.body)),
                at: min(at, end))
        }
    }

    private func arrive(_ number: UInt64, _ url: String, _ headers: [TransportHeader]) {
        guard let entry = sockets[number], !entry.isClosedHere else { return }
        let socket = number % Self.perProcess
        switch server.openSocket(url.target, headers) {
        case .refused(let response):
            let kind = response.delivery == .none ? TransportFailure.Kind.failed : .refused(status: response.status)
            let failure = TransportFailure(kind: kind, message: "refused")
            sockets[number] = nil
            add(.socketClosed(socket, failure), at: time + delay())
        case .opened(let end):
            entry.end = end
            entry.lastDown = time + 1 + random.below(60)
            add(.socketOpened(socket), at: entry.lastDown)
        }
    }

    /// Takes what the server has said on its sockets.
    public func collect() {
        database.collect(time)
        for (number, entry) in sockets.sorted(by: { $0.key < $1.key }) {
            guard let end = entry.end else { continue }
            let socket = number % Self.perProcess
            let isHeard = entry.process == process && !entry.isClosedHere
                && !entry.dead.contains(.down)
            for text in end.takeFrames() where isHeard {
                if isLeftUnsaid?(text) == true { continue }
                if entry.losesPong, text.starts(with: "PONG".utf8) {
                    note?("a pong is lost on socket \(socket)")
                    entry.losesPong = false
                    continue
                }
                entry.lastDown = max(entry.lastDown, time + frameDelay())
                add(.socketText(socket, text), at: entry.lastDown)
            }
            if end.takePings() > 0, entry.dead.isEmpty { agenda.add(.pongUp(number), at: time + 1 + random.below(60)) }
            guard end.goodbye != nil || end.isClosed, !entry.isClosedThere else { continue }
            entry.isClosedThere = true
            if isHeard {
                entry.isClosedHere = true
                let message =
                    end.goodbye.map { "closed by the service: \($0.code) \($0.reason)" } ?? "closed by the service"
                add(.socketClosed(socket, .init(kind: .failed, message: message)), at: max(entry.lastDown, time + 1))
            }
            agenda.add(.closeUp(number), at: time + 1 + random.below(60))
        }
    }
}
