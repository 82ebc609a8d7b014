import SyncBytes
import SyncModel
import SyncTree

/// The client of a realtime database, without thread, clock, socket or file: it listens to places of the database, and
/// writes to it, online and offline. After every call `takeOutputs` has to be asked for.
///
/// Four machines have the state, each its own part: `WriteQueue` the writes and what of them is shown, `Listens` the
/// listens and the service's streams, `KeptPlaces` what outlives the process, `Transactions` those under way; `Reads`
/// are the requests for single values. They do not know each other. This machine gives each the values that it needs of
/// the others, and passes on its results.
public final class DatabaseMachine {
    private var turn: DatabaseTurn
    // Read by tests.
    private(set) var queue = WriteQueue()
    private(set) var listens = Listens()
    private(set) var kept: KeptPlaces
    private(set) var transactions = Transactions()
    private var reads = Reads()
    private var keys = PushIDs()

    /// Makes a machine that knows nothing yet.
    ///
    /// - Parameters:
    ///   - token: sent as `auth=`; `nil` for none.
    ///   - seed: of pauses and push ids.
    ///   - keep: has what an earlier run kept.
    public init(_ options: DatabaseOptions, token: String? = nil, seed: UInt64, keep: any DatabaseKeep) {
        turn = DatabaseTurn(options, token: token, seed: seed)
        kept = KeptPlaces(keep)
    }

    // MARK: Reading

    /// Listens to a place until `stop`. The first `value` comes when something is known of it.
    ///
    /// - Returns: the listen's number.
    public func listen(_ location: DatabaseLocation, now: Moment) -> UInt64 {
        begin(now)
        return listens.add(location, queue.pending, &turn) { kept.value(of: location, now) }
    }

    /// Nothing more is told of a listen.
    public func stop(_ id: UInt64, now: Moment) {
        begin(now)
        guard let feed = listens.remove(id) else { return }
        release(feed)
        listens.connect(&turn)
    }

    /// Asks for a value once; a `read` with the returned number is the answer. When the service does not answer, the
    /// known value of the place is given.
    ///
    /// - Parameter isShallow: asks for the names of the children only; each has the value true. Not with a query.
    public func read(_ location: DatabaseLocation, isShallow: Bool = false, now: Moment) -> UInt64 {
        begin(now)
        let read = Read(id: turn.nextNumber(), location: location, isShallow: isShallow)
        if isShallow, location.query != nil {
            let failure = DatabaseFailure(status: 400, message: "a shallow read goes without a query")
            turn.output(.read(id: read.id, .failure(failure), isCurrent: false))
        } else if let known = listens.view(location, isCurrent: true, queue.pending) {
            turn.output(.read(id: read.id, .success(isShallow ? known.shallow() : known), isCurrent: true))
        } else if turn.access.mayAsk {
            reads.send(read, &turn)
        } else {
            answer(read, turn.access.obstacle)
        }
        return read.id
    }

    /// Ends reads and transactions that no call waits for any more: nothing is told of them, and their requests end. A
    /// transaction whose value the host has, or that is being written, goes on.
    public func giveUp(reads given: Set<UInt64>, transactions others: Set<UInt64>, now: Moment) {
        begin(now)
        reads.giveUp(given, &turn)
        transactions.giveUp(others, &turn)
    }

    /// The value of a location that is known from streams or from an earlier run, with own writes.
    private func known(_ location: DatabaseLocation) -> TreeNode? {
        if let view = listens.view(location, isCurrent: true, queue.pending)
            ?? listens.view(location, isCurrent: false, queue.pending)
        {
            return view
        }
        // No stream tells this place: its kept value is used, with the writes on top.
        let untold = Feed(id: 0, location: location, server: kept.value(of: location, turn.now))
        return untold.view(location, queue.pending)
    }

    /// The service has not answered: the read gets the known value, or else the failure.
    private func answer(_ read: Read, _ failure: DatabaseFailure) {
        var known: TreeNode?
        if read.isShallow, var names = kept.value(at: KeptPlace(read.location, isShallow: true), turn.now) {
            for write in queue.pending { write.apply(to: &names, at: read.location.path) }
            known = names.shallow()
        } else {
            known = self.known(read.location).map { read.isShallow ? $0.shallow() : $0 }
        }
        turn.output(.read(id: read.id, known.map { .success($0) } ?? .failure(failure), isCurrent: false))
    }

    private func take(_ outcome: Reads.Outcome) {
        switch outcome {
        case .value(let read, let node):
            // Where a stream tells of the place, the stream's value is kept and not that of the answer.
            if !read.isOutdated, !listens.feeds.tell(of: read.location.path) {
                let (node, place) = read.keeping(node)
                kept.store(node, at: place, turn)
            }
            let shown = read.shown(node, queue.pending)
            turn.output(.read(id: read.id, .success(shown), isCurrent: true))
        case .refused(let read, let failure, let isCurrent):
            turn.output(.read(id: read.id, .failure(failure), isCurrent: isCurrent))
        case .unanswered(let read, let failure): answer(read, failure)
        case .sentAgain: break
        }
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
        let random = turn.random
        let id = keys.next(at: now.wall) {
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
        let record = QueuedWrite(id: turn.nextNumber(), path: path, kind: kind, body: json)
        let write = try read(record)
        guard kept.keep(record) else {
            turn.output(.writeEnded(id: record.id, .notKept))
            return record.id
        }
        queue.append(write)
        tell(changedAt: write.writes.map(\.path))
        sendWrites()
        return record.id
    }

    /// Takes over the writes that an earlier run has left, before anything else is asked. A record that is not a valid
    /// write ends.
    public func restore(_ records: [QueuedWrite], now: Moment) {
        begin(now)
        for record in records.sorted(by: { $0.id < $1.id }) {
            turn.pass(record.id)
            do throws(TreeError) {
                queue.append(try read(record))
            } catch {
                ended(record.id, DatabaseFailure(status: 0, message: error.description))
            }
        }
        sendWrites()
    }

    private func read(_ record: QueuedWrite) throws(TreeError) -> PendingWrite {
        // Without server values the known value is not needed, and it may have to be read from the disk.
        let existing = record.mayHaveServerValues ? known(DatabaseLocation(record.path)) : nil
        return try PendingWrite(record, over: existing ?? .empty, time: turn.now.wall)
    }

    private func sendWrites() {
        kept.clear(turn)
        queue.sendNext(isClear: kept.isClear, &turn)
    }

    private func take(_ outcome: WriteQueue.Outcome) {
        switch outcome {
        case .waits: break
        case .counted(let path): tell(changedAt: [path])
        case .refused(let write, let failure):
            ended(write.record.id, failure)
            tell(changedAt: write.writes.map(\.path))
        case .accepted(let write, let shown):
            listens.keepValues(with: write, queue.pending, turn.now)
            storeValues()
            kept.put(write, except: listens.feeds.places, turn)
            reads.note(accepted: write)
            ended(write.record.id, nil)
            settle(changedAt: queue.note(accepted: write, shown: shown, listens.feeds))
        }
    }

    private func ended(_ write: UInt64, _ failure: DatabaseFailure?) {
        turn.output(.writeEnded(id: write, failure))
        kept.end(write, turn)
    }

    // MARK: Transactions

    /// Computes a new value of a place from the current one. `transform` outputs ask the host for it, again whenever
    /// others have changed the current value; `transactionEnded` has the outcome. Without a network it ends at once.
    public func transaction(_ path: TreePath, now: Moment) -> UInt64 {
        begin(now)
        let (id, isUnderWay) = transactions.begin(path, &turn)
        if isUnderWay { transactions.sendDue(queue, &turn) }
        return id
    }

    /// Answers a `transform`: the new value as JSON, or `nil` to leave the place as it is.
    ///
    /// - Throws: when the text is not a value; the transaction then waits for another one.
    public func transformed(_ id: UInt64, _ json: [UInt8]?, now: Moment) throws(TreeError) {
        begin(now)
        try transactions.transformed(id, json, &turn)
    }

    // MARK: The world

    /// Uses another token from now on; `nil` for none.
    public func setToken(_ token: String?, now: Moment) {
        begin(now)
        turn.access.setToken(token)
        for id in listens.feeds.ids { close(id) }
        listens.connect(&turn)
        sendWrites()
        transactions.sendDue(queue, &turn)
    }

    /// Whether there is a network. Without one streams end, and nothing is sent until there is one again.
    public func setOnline(_ isOnline: Bool, now: Moment) {
        begin(now)
        guard isOnline != turn.access.isOnline else { return }
        turn.access.isOnline = isOnline
        if isOnline {
            queue.tryNow()
            listens.reconnect(&turn)
            sendWrites()
            transactions.sendDue(queue, &turn)
        } else {
            for id in listens.feeds.ids {
                close(id)
                listens.tellUnheard(id, &turn)
            }
            transactions.goOffline(&turn)
        }
    }

    /// Ends all listens. The values that streams have told stay known, and writes are still accepted and kept.
    public func stopTelling() { listens.removeAll() }

    /// Before the process ends: keeps the values that were told and are not kept yet.
    public func finish(now: Moment) {
        begin(now)
        listens.keepValues(queue.pending)
        storeValues()
    }

    /// The host has signed out, and all that was kept is gone: everything ends, and nothing is known any more.
    public func signOut(now: Moment) {
        begin(now)
        listens.signOut(&turn)
        reads.signOut(&turn)
        transactions.signOut(&turn)
        queue.signOut(&turn)
        kept.signOut()
        turn.access.setToken(nil)
    }

    /// Something came from the network.
    public func receive(_ input: TransportInput, now: Moment) {
        begin(now)
        switch input {
        case .response(let id, let response): answered(id, response)
        case .requestFailed(let id, let failure): failed(id, DatabaseFailure(failure))
        case .streamOpened(let id): listens.opened(id, &turn)
        case .streamBytes(let id, let bytes): received(id, bytes)
        case .streamRefused(let id, let response):
            if let (feed, failure) = listens.refused(id, response, queue.pending, &turn) { end(feed, failure) }
        case .streamEnded(let id, _): listens.lost(id, queue.pending, &turn)
        // The database opens no sockets, and transfers no files.
        case .progress, .socketOpened, .socketText, .socketClosed: break
        }
        storeValues()
    }

    private func answered(_ request: UInt64, _ response: TransportResponse) {
        if let outcome = reads.answered(request, response, &turn) { return take(outcome) }
        if transactions.answered(request, response, &turn) { return }
        if let outcome = queue.counted(request, response, &turn) { return take(outcome) }
        if let outcome = queue.answered(request, response, &turn) { writeEnded(outcome) }
    }

    /// A request of a write has ended: others may have waited for it.
    private func writeEnded(_ outcome: WriteQueue.Outcome) {
        take(outcome)
        sendWrites()
        transactions.sendDue(queue, &turn)
    }

    private func failed(_ request: UInt64, _ failure: DatabaseFailure) {
        if let outcome = reads.failed(request, failure) { return take(outcome) }
        if transactions.failed(request, failure, &turn) { return }
        if let outcome = queue.failed(request, failure, &turn) { writeEnded(outcome) }
    }

    private func received(_ stream: UInt64, _ bytes: [UInt8]) {
        for frame in listens.frames(stream, bytes, queue.pending, &turn) {
            guard let heard = listens.take(frame, of: stream, queue.pending, &turn) else { break }
            storeValues()
            if let places = heard.places, let feed = listens.feeds[heard.feed] {
                settle(changedAt: places + queue.note(told: feed, isWhole: heard.isWhole))
            }
            if let failure = heard.ending { end(heard.feed, failure) }
        }
        listens.checkRoom(stream, queue.pending, &turn)
    }

    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    public var nextDeadline: Int64? {
        let next = Moment.earlier(queue.nextDeadline(isClear: kept.isClear, turn), listens.nextDeadline(turn))
        return Moment.earlier(next, kept.nextDeadline)
    }

    /// Does what is due.
    public func advance(now: Moment) {
        begin(now)
        listens.advance(queue.pending, &turn)
        storeValues()
        kept.clear(turn)
        listens.connect(&turn)
        sendWrites()
    }

    /// Takes the outputs since the last time, in order.
    public func takeOutputs() -> [DatabaseOutput] { turn.takeOutputs() + listens.takeUntold() }

    // MARK: What concerns several

    /// Sets the time, at the beginning of each call, and ends what is due at this time.
    private func begin(_ now: Moment) {
        turn.now = now
        settle()
        guard let silent = queue.silent(listens.feeds, turn) else { return }
        for id in silent { close(id) }
        listens.connect(&turn)
    }

    /// Forgets writes that streams have told, and tells the listens whose values change without them, or at these
    /// places.
    private func settle(changedAt places: [TreePath] = []) {
        var places = places
        for write in queue.settle(listens.feeds, turn) {
            places += write.writes.map(\.path)
            listens.keepValues(without: write, turn.now)
        }
        if !places.isEmpty { tell(changedAt: places) }
    }

    private func tell(changedAt places: [TreePath]) { listens.tell(changedAt: places, queue.pending, &turn) }

    /// Ends a feed's stream; it is opened again when it is needed.
    private func close(_ feed: UInt64) {
        listens.close(feed, queue.pending, &turn)
        storeValues()
    }

    /// Ends the listens to a feed's place.
    private func end(_ feed: UInt64, _ failure: DatabaseFailure) {
        guard let (place, ended) = listens.end(feed) else { return }
        // A value that may not be read any more must not stay in the cache.
        kept.drop(place, turn)
        release(feed)
        for id in ended { turn.output(.listenEnded(listen: id, failure)) }
        listens.connect(&turn)
    }

    /// Ends a feed that no listen uses any more.
    private func release(_ feed: UInt64) {
        guard let heirs = listens.release(feed, queue.pending, &turn) else { return }
        storeValues()
        queue.move(toldBy: feed, to: heirs)
        listens.tell(feeds: heirs, queue.pending, &turn)
        // Accepted writes may have waited only for this stream to tell them.
        settle()
    }

    /// Keeps the values that streams have told.
    private func storeValues() {
        listens.keepValues(turn.now) { kept.store($0.node, at: $0.place, turn) }
    }
}
