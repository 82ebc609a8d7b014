import SyncJSON
import SyncModel
import SyncTree

// The client of a realtime database, without thread, clock, socket or file.
//
// - What is shown of a place is what the service's stream has told, with the writes on top that it may not know yet.
//   Only streams change what the service "has told": an answer to a write and the stream come by two connections in any
//   order, so an answer that were written into the copy could put an old value over a newer one.
// - A write is shown at once, sent when those before it have been answered, and shown until the stream has told the
//   same value, or the service has refused it, or some time has gone by since the service accepted it.
// - Writes are sent again until they are answered. Values and deletions are the same when they arrive twice; an
//   increment is not: when the answer to one is lost, it may count twice.

/// Listens to places of a realtime database, and writes to it, online and offline. After every call `takeOutputs` has
/// to be asked for.
public final class DatabaseMachine {
    let options: DatabaseOptions
    let random: RandomSource
    var now = Moment(monotonic: 0, wall: 0)
    var listens: [UInt64: Listen] = [:]
    /// In the order of their ids.
    var pending: [PendingWrite] = []
    var transactions: [Transaction] = []
    /// What was asked once, by the request's number.
    var reads: [UInt64: Read] = [:]
    private var outputs: [DatabaseOutput] = []
    private var lastID: UInt64 = 0
    private var ids = PushIDs()
    var token: Token
    /// Whether there is a network; without one nothing is sent.
    var isOnline = true
    /// Scheme and host that requests go to: the options', or where the service has sent us.
    var base: String
    var redirects = 0
    var writeGate = RetryGate()

    enum Token {
        case none
        case some(String)
        /// The host was asked for another one.
        case needed
    }

    /// A request for a value.
    struct Read {
        let id: UInt64
        let location: DatabaseLocation
    }

    private static let redirectLimit = 5

    /// A machine that knows nothing yet.
    ///
    /// - Parameters:
    ///   - token: what `auth=` says; `nil` goes without.
    ///   - seed: of pauses and push ids.
    public init(_ options: DatabaseOptions, token: String? = nil, seed: UInt64) {
        self.options = options
        self.token = token.map { .some($0) } ?? .none
        random = RandomSource(seed: seed)
        base = options.url
    }

    // MARK: Reading

    /// Listens to a place until `stop`. The first `value` comes when something is known of it.
    ///
    /// - Returns: the listen's number.
    public func listen(_ location: DatabaseLocation, now: Moment) -> UInt64 {
        begin(now)
        let id = nextID()
        listens[id] = Listen(id: id, location: location)
        tell(id)
        connect()
        return id
    }

    /// Nothing more is told of a listen.
    public func stop(_ id: UInt64) { remove(id) }

    /// Asks for a value once; a `read` with the returned number is the answer. Without an answer of the service, what a
    /// listen of the same place knows is one.
    public func read(_ location: DatabaseLocation, now: Moment) -> UInt64 {
        begin(now)
        let id = nextID()
        if let known = orderedListens.first(where: { $0.location == location && $0.isCurrent })?.view(pending) {
            output(.read(id: id, .success(known)))
        } else if !mayAsk {
            let why = isOnline ? "the token is no good any more" : "there is no network"
            answer(Read(id: id, location: location), .init(status: 0, message: why))
        } else {
            let request = nextID()
            reads[request] = Read(id: id, location: location)
            output(.send(self.request("GET", location, accept: "application/json", body: nil), id: request))
        }
        return id
    }

    // MARK: Writing

    /// Puts a JSON value at a place; null removes what is there.
    ///
    /// - Returns: the write's number; `writeEnded` tells what became of it.
    /// - Throws: when the text is no value.
    @discardableResult
    public func set(_ path: TreePath, _ json: [UInt8], now: Moment) throws(TreeError) -> UInt64 {
        try write(path, json, isUpdate: false, now)
    }

    /// Puts values at paths below a place, all or none: an object from paths to values.
    @discardableResult
    public func update(_ path: TreePath, _ json: [UInt8], now: Moment) throws(TreeError) -> UInt64 {
        try write(path, json, isUpdate: true, now)
    }

    /// Puts a value under a new key that is behind all earlier ones.
    public func push(
        _ path: TreePath, _ json: [UInt8], now: Moment
    ) throws(TreeError) -> (write: UInt64, key: TreeKey) {
        let id = ids.next(at: now.wall) {
            (0..<PushIDs.randomCount).map { _ in UInt8(truncatingIfNeeded: random.below(256)) }
        }
        guard let key = TreeKey(id) else { throw TreeError(.path) }
        return (try set(path + key, json, now: now), key)
    }

    private func write(
        _ path: TreePath, _ json: [UInt8], isUpdate: Bool, _ now: Moment
    ) throws(TreeError) -> UInt64 {
        begin(now)
        let record = QueuedWrite(id: nextID(), path: path, isUpdate: isUpdate, body: json)
        pending.append(try estimate(record))
        output(.keepWrite(record))
        tellAll(under: path)
        sendWrites()
        return record.id
    }

    /// Takes over the writes that an earlier run has left, before anything else is asked.
    public func restore(_ records: [QueuedWrite], now: Moment) throws(TreeError) {
        begin(now)
        for record in records.sorted(by: { $0.id < $1.id }) {
            lastID = max(lastID, record.id)
            pending.append(try estimate(record))
        }
        sendWrites()
    }

    /// What a write will make of what is known: server values as this machine sees them.
    private func estimate(_ record: QueuedWrite) throws(TreeError) -> PendingWrite {
        PendingWrite(record: record, writes: try resolve(record, record.body, existing: known(record.path)))
    }

    private func resolve(
        _ record: QueuedWrite, _ json: [UInt8], existing: TreeNode
    ) throws(TreeError) -> [TreeWrite] {
        guard record.isUpdate else {
            let node = try TreeReader.value(json, at: record.path, time: now.wall, existing: existing)
            return [TreeWrite(path: record.path, node: node)]
        }
        return try TreeReader.update(json, at: record.path, time: now.wall, existing: existing)
            .map { TreeWrite(path: record.path + $0.path, node: $0.node) }
    }

    /// What some listen shows at a path; empty when none does.
    private func known(_ path: TreePath) -> TreeNode {
        for listen in orderedListens where listen.location.query == nil && listen.location.path.contains(path) {
            if let view = listen.view(pending) { return view[listen.location.path.relative(path)] }
        }
        return .empty
    }

    // MARK: The world

    /// Uses another token from now on; `nil` goes without one.
    public func setToken(_ token: String?, now: Moment) {
        begin(now)
        self.token = token.map { .some($0) } ?? .none
        for id in listens.keys.sorted() { close(id) }
        connect()
        sendWrites()
        sendTransactions()
    }

    /// Whether there is a network. Without one streams end, and nothing is sent until there is one again.
    public func setOnline(_ isOnline: Bool, now: Moment) {
        begin(now)
        guard isOnline != self.isOnline else { return }
        self.isOnline = isOnline
        if isOnline {
            writeGate.succeed()
            for id in listens.keys.sorted() { listens[id]?.gate.succeed() }
            connect()
            sendWrites()
            sendTransactions()
        } else {
            for id in listens.keys.sorted() { close(id) }
        }
    }

    /// Something came from the network.
    public func receive(_ input: DatabaseInput, now: Moment) {
        begin(now)
        switch input {
        case .response(let id, let response): answered(id, response)
        case .requestFailed(let id, let failure): failed(id, .init(status: 0, message: failure.message))
        case .streamOpened(let id): streamOpened(id)
        case .streamBytes(let id, let bytes): streamBytes(id, bytes)
        case .streamRefused(let id, let response): streamRefused(id, response)
        case .streamEnded(let id, _): streamLost(id)
        }
    }

    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    public var nextDeadline: Int64? {
        var next = mayAsk && !pending.isEmpty ? writeGate.pausedUntil : nil
        for write in pending {
            // When that has passed already, it is a stream that is waited for.
            if case .accepted(let until, _) = write.state, until > now.monotonic { next = Moment.earlier(next, until) }
        }
        for listen in listens.values {
            switch listen.connection {
            case .closed: if mayAsk { next = Moment.earlier(next, listen.gate.pausedUntil) }
            case .opening: break
            case .open(_, let heardAt): next = Moment.earlier(next, heardAt + options.silence)
            }
        }
        return next
    }

    /// Does what is due.
    public func advance(now: Moment) {
        begin(now)
        for listen in orderedListens {
            guard case .open(let stream, let heardAt) = listen.connection, heardAt + options.silence <= now.monotonic
            else { continue }
            output(.closeStream(id: stream))
            streamLost(stream)
        }
        connect()
        sendWrites()
    }

    /// What came of it all, in order.
    public func takeOutputs() -> [DatabaseOutput] {
        defer { outputs = [] }
        return outputs
    }

    /// Takes the time in, at the beginning of each call. What it ends must not wait for a deadline that it may lie on.
    func begin(_ now: Moment) {
        self.now = now
        settle()
    }

    // MARK: What the parts share

    func output(_ output: DatabaseOutput) { outputs.append(output) }

    func nextID() -> UInt64 {
        lastID &+= 1
        return lastID
    }

    func request(_ method: String, _ location: DatabaseLocation, accept: String, body: [UInt8]?) -> TransportRequest {
        let path = location.path.keys.map { "/" + PercentEncoding.escape($0.text) }.joined()
        var query: [String] = []
        if !options.name.isEmpty { query.append("ns=" + PercentEncoding.escape(options.name)) }
        if let parameters = location.query?.parameters { query.append(parameters) }
        if case .some(let token) = token { query.append("auth=" + PercentEncoding.escape(token)) }
        let parameters = query.isEmpty ? "" : "?" + query.joined(separator: "&")
        let url = base + (path.isEmpty ? "/" : path) + ".json" + parameters
        var headers = [TransportHeader("Accept", accept)]
        if body != nil { headers.append(TransportHeader("Content-Type", "application/json; charset=utf-8")) }
        return TransportRequest(method: method, url: url, headers: headers, body: body, timeout: options.timeout)
    }

    /// Asks the host for a token, once.
    func needToken() {
        if case .needed = token { return }
        token = .needed
        output(.tokenNeeded)
    }

    /// In the order they were asked for.
    var orderedListens: [Listen] { listens.values.sorted { $0.id < $1.id } }

    var mayAsk: Bool {
        if case .needed = token { return false }
        return isOnline
    }

    /// Follows a redirection to another host; `false` when it leads nowhere, in a circle, or off encryption.
    func follow(_ response: TransportResponse) -> Bool {
        let location = response.headers.first { $0.name.lowercased() == "location" }?.value ?? ""
        guard redirects < DatabaseMachine.redirectLimit, let scheme = DatabaseMachine.scheme(location),
            scheme == "https://" || options.url.hasPrefix("http://")
        else {
            redirects = 0
            base = options.url
            return false
        }
        let host = location.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !host.isEmpty, !host.contains("@") else { return false }
        redirects += 1
        base = scheme + host
        return true
    }

    private static func scheme(_ url: String) -> String? {
        ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
    }

    /// The service or the network has failed us: what it once sent us to may be what is ill.
    func returnToStart() {
        base = options.url
        redirects = 0
    }
}
