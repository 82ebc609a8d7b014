import SyncBytes
import SyncJSON
import SyncModel
import SyncTree

// The client of a realtime database, without thread, clock, socket or file.
//
// - The shown value of a place is the one that the service's stream has told, with the writes on top that the stream
//   may not have told yet. Only streams change the copy of the service's value: an answer to a write comes by another
//   connection, in any order, so an answer in the copy could replace a newer value by an older one.
// - A write is shown at once, sent when those before it have been answered, and shown until the stream has told the
//   same value, or the service has refused it, or some time has passed since the service accepted it.
// - Writes are sent again until they are answered. A value or a deletion has the same effect when it arrives twice; an
//   increment has not: when its answer is lost, it may count twice.
// - A write is kept before it is shown, and none is sent before all that have ended are removed. So a restart repeats
//   only the last write that was sent.
// - The value that a stream has told is kept, too, with the accepted writes. So after a restart without a network a
//   client sees nothing older than before.

/// Listens to places of a realtime database, and writes to it, online and offline. After every call `takeOutputs` has
/// to be asked for.
public final class DatabaseMachine {
    let options: DatabaseOptions
    let random: RandomSource
    let keep: any DatabaseKeep
    var now = Moment(monotonic: 0, wall: 0)
    var listens = ListenTable()
    var feeds = FeedTable()
    private var lastFeed: UInt64 = 0
    /// In the order of their ids.
    var pending = PendingWrites()
    /// How many writes have been applied so far to compute values, for tests.
    var laid = 0
    var transactions: [Transaction] = []
    /// Reads in flight, by the request's number.
    var reads: [UInt64: Read] = [:]
    private var outputs: [DatabaseOutput] = []
    /// Listens with large values that have changed since they were told. Each is told once for all changes that came
    /// together: while an output holds a value, the next change has to copy its list of children.
    private var untold: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var ids = PushIDs()
    var token: Token
    /// Whether there is a network; without one nothing is sent.
    var isOnline = true
    /// Scheme and host of requests: those of the options, or of a redirection.
    var base: String
    var redirects = 0
    var writeGate = RetryGate()
    /// Writes that have ended and are still kept, in their order.
    var unforgotten: [UInt64] = []
    /// Places whose kept value is not valid any more and could not be dropped yet.
    var stale: Set<KeptPlace> = []
    /// When the removal of `unforgotten` and `stale` is tried again.
    var keepGate = RetryGate()

    enum Token {
        case none
        case some(String)
        /// The host was asked for another token.
        case needed
    }

    /// A request for a value.
    struct Read {
        let id: UInt64
        let location: DatabaseLocation
        let isShallow: Bool
        /// A newer value of the place is known than the answer may have, so the answer is not kept.
        var isOutdated = false
        /// Own writes that the service accepted since the read was sent: the answer may be older than they are.
        var acceptedSince: [PendingWrite] = []
    }

    private static let redirectLimit = 5
    /// From so many bytes on, a value is told once for all changes that came together.
    private static let largeValue = 256 << 10

    /// Makes a machine that knows nothing yet.
    ///
    /// - Parameters:
    ///   - token: sent as `auth=`; `nil` for none.
    ///   - seed: of pauses and push ids.
    ///   - keep: has what an earlier run kept.
    public init(_ options: DatabaseOptions, token: String? = nil, seed: UInt64, keep: any DatabaseKeep) {
        self.options = options
        self.keep = keep
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
        let wider = feeds.ordered.first { $0.covers(location) }
        let kept = wider?.server == nil ? kept(location) : nil
        let feed = wider?.id ?? makeFeed(location, server: kept)
        listens[id] = Listen(id: id, location: location, feed: feed, kept: kept)
        tell(id)
        connect()
        tellUnheard(feed)
        return id
    }

    /// Nothing more is told of a listen.
    public func stop(_ id: UInt64, now: Moment) {
        begin(now)
        guard let listen = listens.remove(id) else { return }
        release(listen.feed)
        connect()
    }

    /// Asks for a value once; a `read` with the returned number is the answer. When the service does not answer, the
    /// known value of the place is given.
    ///
    /// - Parameter isShallow: asks for the names of the children only; each has the value true. Not with a query.
    public func read(_ location: DatabaseLocation, isShallow: Bool = false, now: Moment) -> UInt64 {
        begin(now)
        let id = nextID()
        let read = Read(id: id, location: location, isShallow: isShallow)
        if isShallow, location.query != nil {
            let failure = DatabaseFailure(status: 400, message: "a shallow read goes without a query")
            output(.read(id: id, .failure(failure), isCurrent: false))
        } else if let known = view(location, isCurrent: true) {
            output(.read(id: id, .success(isShallow ? known.shallow() : known), isCurrent: true))
        } else if !mayAsk {
            answer(read, isOnline ? .noToken : .offline)
        } else {
            send(read)
        }
        return id
    }

    /// Ends reads and transactions that no call waits for any more: nothing is told of them, and their requests end. A
    /// transaction whose value the host has, or that is being written, goes on.
    public func giveUp(reads given: Set<UInt64>, transactions: Set<UInt64>, now: Moment) {
        begin(now)
        for (request, read) in reads.sorted(by: { $0.key < $1.key }) where given.contains(read.id) {
            reads[request] = nil
            output(.transport(.cancel(request)))
        }
        endTransactions { transactions.contains($0.id) }
    }

    // MARK: Writing

    /// Puts a JSON value at a place; null removes what is there.
    ///
    /// - Returns: the write's number; `writeEnded` has the outcome. Unless that is among the outputs already, the write
    ///   is kept, and is sent even after a restart.
    /// - Throws: when the text is no value.
    @discardableResult
    public func set(_ path: TreePath, _ json: [UInt8], now: Moment) throws(TreeError) -> UInt64 {
        try write(path, json, .set, now)
    }

    /// Puts values at paths below a place, all or none: an object from paths to values.
    @discardableResult
    public func update(_ path: TreePath, _ json: [UInt8], now: Moment) throws(TreeError) -> UInt64 {
        try write(path, json, .update, now)
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

    /// Adds to the whole number at a place; where there is none, the value becomes the number that is added, or 0 when
    /// that is negative. It is counted once, even when other clients count, too, unless the answer of the service is
    /// lost.
    @discardableResult
    public func count(_ path: TreePath, by count: Int64, now: Moment) throws(TreeError) -> UInt64 {
        try write(path, Array(String(count).utf8), .count, now)
    }

    private func write(
        _ path: TreePath, _ json: [UInt8], _ kind: QueuedWrite.Kind, _ now: Moment
    ) throws(TreeError) -> UInt64 {
        begin(now)
        let record = QueuedWrite(id: nextID(), path: path, kind: kind, body: json)
        let write = try estimate(record)
        guard keep.keep(record) else {
            output(.writeEnded(id: record.id, .notKept))
            return record.id
        }
        pending.append(write)
        tellAll(changedAt: write.writes.map(\.path))
        sendWrites()
        return record.id
    }

    /// Takes over the writes that an earlier run has left, before anything else is asked. A record that is not a valid
    /// write ends.
    public func restore(_ records: [QueuedWrite], now: Moment) {
        begin(now)
        for record in records.sorted(by: { $0.id < $1.id }) {
            lastID = max(lastID, record.id)
            do throws(TreeError) {
                pending.append(try estimate(record))
            } catch {
                ended(record.id, DatabaseFailure(status: 0, message: error.description))
            }
        }
        sendWrites()
    }

    /// The write with its server values as estimated here.
    private func estimate(_ record: QueuedWrite) throws(TreeError) -> PendingWrite {
        let path = record.path
        switch record.kind {
        case .count:
            guard let by = Int64(String(decoding: record.body, as: UTF8.self)) else { throw TreeError(.number) }
            return PendingWrite(record: record, count: Count(by: by))
        case .set:
            let node = try TreeReader.value(record.body, at: path, time: now.wall, existing: existing(record))
            return PendingWrite(record: record, writes: [TreeWrite(path: path, node: node)])
        case .update:
            let writes = try TreeReader.update(record.body, at: path, time: now.wall, existing: existing(record))
            return PendingWrite(record: record, writes: writes.map { TreeWrite(path: path + $0.path, node: $0.node) })
        }
    }

    /// The known value of the place of a write with server values. Other writes do not need it, and it may have to be
    /// read from the disk.
    private func existing(_ record: QueuedWrite) -> TreeNode {
        let mayHaveServerValues = zip(record.body, record.body.dropFirst()).contains { first, second in
            first == UInt8(ascii: ".") && second == UInt8(ascii: "s") || first == UInt8(ascii: "\\")
        }
        return mayHaveServerValues ? known(DatabaseLocation(record.path)) ?? .empty : .empty
    }

    // MARK: The world

    /// Uses another token from now on; `nil` for none.
    public func setToken(_ token: String?, now: Moment) {
        begin(now)
        self.token = token.map { .some($0) } ?? .none
        for id in feeds.ids { close(id) }
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
            for id in feeds.ids { feeds[id]?.gate.succeed() }
            connect()
            sendWrites()
            sendTransactions()
        } else {
            for id in feeds.ids {
                close(id)
                tellUnheard(id)
            }
            endTransactions()
        }
    }

    /// Ends all listens. The values that streams have told stay known, and writes are still accepted and kept.
    public func stopTelling() { listens = ListenTable() }

    /// Before the process ends: keeps the values that were told and are not kept yet.
    public func finish(now: Moment) {
        begin(now)
        for id in feeds.ids { keepValue(of: id) }
    }

    /// The host has signed out, and all that was kept is gone: everything ends, and nothing is known any more.
    public func signOut(now: Moment) {
        begin(now)
        for feed in feeds.ordered { if let stream = feed.stream { output(.transport(.closeStream(stream))) } }
        for id in listens.ids { output(.listenEnded(listen: id, .signedOut)) }
        for (request, read) in reads.sorted(by: { $0.value.id < $1.value.id }) {
            output(.transport(.cancel(request)))
            output(.read(id: read.id, .failure(.signedOut), isCurrent: false))
        }
        for transaction in transactions {
            cancelReading(transaction)
            output(.transactionEnded(id: transaction.id, .failure(.signedOut)))
        }
        for write in pending {
            if case .accepted = write.state { continue }
            // What is written after the next login must not be overtaken by it.
            if case .sent(let request) = write.state { output(.transport(.cancel(request))) }
            output(.writeEnded(id: write.record.id, .signedOut))
        }
        (feeds, listens, reads, transactions, pending) = (FeedTable(), ListenTable(), [:], [], PendingWrites())
        (unforgotten, stale, token) = ([], [], .none)
    }

    /// Something came from the network.
    public func receive(_ input: TransportInput, now: Moment) {
        begin(now)
        switch input {
        case .response(let id, let response): answered(id, response)
        case .requestFailed(let id, let failure): failed(id, DatabaseFailure(failure))
        case .streamOpened(let id): streamOpened(id)
        case .streamBytes(let id, let bytes): streamBytes(id, bytes)
        case .streamRefused(let id, let response): streamRefused(id, response)
        case .streamEnded(let id, _): streamLost(id)
        // The database opens none.
        case .socketOpened, .socketText, .socketClosed: break
        }
    }

    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    public var nextDeadline: Int64? {
        // A kept write may have been removed meanwhile, so that the next one can be sent.
        var next = nextToSend == nil ? nil : writeGate.pausedUntil ?? now.monotonic
        for write in accepted {
            // When that time has passed already, the write waits for a stream.
            if case .accepted(let until, _) = write.state, until > now.heard { next = Moment.earlier(next, until) }
        }
        for feed in feeds.values {
            switch feed.connection {
            case .closed: if mayAsk { next = Moment.earlier(next, feed.gate.pausedUntil) }
            case .opening: break
            case .open(_, let heardAt): next = Moment.earlier(next, heardAt + options.silence)
            }
            next = Moment.earlier(next, feed.unkeptSince.map { $0 + options.keeping })
        }
        if !unforgotten.isEmpty || !stale.isEmpty { next = Moment.earlier(next, keepGate.pausedUntil) }
        return next
    }

    /// Does what is due.
    public func advance(now: Moment) {
        begin(now)
        for id in feeds.ids {
            guard let feed = feeds[id] else { continue }
            if let since = feed.unkeptSince, since + options.keeping <= now.monotonic { keepValue(of: feed.id) }
            guard case .open(let stream, let heardAt) = feed.connection, heardAt + options.silence <= now.heard
            else { continue }
            output(.transport(.closeStream(stream)))
            streamLost(stream)
        }
        clearKept()
        connect()
        sendWrites()
    }

    /// Takes the outputs since the last time, in order.
    public func takeOutputs() -> [DatabaseOutput] {
        defer { outputs = [] }
        for id in untold.sorted() {
            guard let told = listens[id]?.told else { continue }
            outputs.append(.value(listen: id, told.node, isCurrent: told.isCurrent))
        }
        untold = []
        return outputs
    }

    /// Sets the time, at the beginning of each call, and ends what is due at this time.
    func begin(_ now: Moment) {
        self.now = now
        settle()
        renewSilentStreams()
    }

    // MARK: What the parts share

    func output(_ output: DatabaseOutput) { outputs.append(output) }

    /// Tells a listen's value, a large one with the next `takeOutputs`.
    func outputValue(of listen: Listen) {
        guard let told = listen.told else { return }
        if told.node.estimatedBytes >= DatabaseMachine.largeValue {
            untold.insert(listen.id)
        } else {
            untold.remove(listen.id)
            outputs.append(.value(listen: listen.id, told.node, isCurrent: told.isCurrent))
        }
    }

    func nextID() -> UInt64 {
        lastID &+= 1
        return lastID
    }

    func makeFeed(_ location: DatabaseLocation, server: TreeNode?) -> UInt64 {
        lastFeed &+= 1
        feeds[lastFeed] = Feed(id: lastFeed, location: location, server: server)
        return lastFeed
    }

    func request(
        _ method: String, _ location: DatabaseLocation, accept: String = "application/json", body: [UInt8]? = nil,
        isShallow: Bool = false
    ) -> TransportRequest {
        let path = location.path.keys.map { "/" + PercentEncoding.escape($0.text) }.joined()
        var query: [String] = []
        if !options.name.isEmpty { query.append("ns=" + PercentEncoding.escape(options.name)) }
        if let parameters = location.query?.parameters { query.append(parameters) }
        if isShallow { query.append("shallow=true") }
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

    /// Goes back to the first address after a failure, since the host of a redirection may be the cause.
    func returnToStart() {
        base = options.url
        redirects = 0
    }
}
