import SyncModel
import SyncTree

/// The writes of this client: they are sent one after another, and shown until streams have told them.
///
/// A write is sent when those before it have been answered, and again until it is answered. It is shown until the
/// stream has told the same value, or the service has refused it, or some time has passed since the service accepted
/// it.
struct WriteQueue {
    /// What an answer means for a write.
    enum Outcome {
        /// It is sent again.
        case waits
        /// `shown`: as it was before.
        case accepted(PendingWrite, shown: PendingWrite)
        /// It is not shown any more.
        case refused(PendingWrite, DatabaseFailure)
        /// A count has another sum.
        case counted(TreePath)
    }

    /// In the order of their ids.
    private(set) var pending = PendingWrites()
    private var gate = RetryGate()

    // MARK: Sending

    mutating func append(_ write: PendingWrite) { pending.append(write) }

    /// Whether a write that touches a place has not been answered.
    func isBusy(at path: TreePath) -> Bool {
        pending.contains { !$0.isAccepted && $0.touches(path) }
    }

    /// Ends a pause.
    mutating func tryNow() { gate.succeed() }

    /// Sends the next write, if it may go.
    ///
    /// - Parameter isClear: no write that has ended is still kept; a restart would send that one again, after later
    ///   ones.
    mutating func sendNext(isClear: Bool, _ turn: inout DatabaseTurn) {
        if let index = next(isClear, turn), gate.isOpen(at: turn.now.monotonic) { send(index, &turn) }
    }

    /// The first write that waits; `nil` while one is in flight.
    private func next(_ isClear: Bool, _ turn: DatabaseTurn) -> Int? {
        let index = pending.firstIndex { !$0.isAccepted } ?? pending.count
        guard turn.access.mayAsk, isClear, index < pending.count, pending[index].state == .waiting else { return nil }
        return index
    }

    private mutating func send(_ index: Int, _ turn: inout DatabaseTurn) {
        let record = pending[index].record
        let location = DatabaseLocation(record.path)
        let access = turn.access
        let request =
            switch record.kind {
            case .set: access.request("PUT", location, body: record.body)
            case .update: access.request("PATCH", location, body: record.body)
            case .count:
                if let condition = pending[index].count?.condition {
                    access.conditionalWrite(location, condition.sum.json(), ifMatch: condition.tag)
                } else {
                    access.taggedRead(location)
                }
            }
        pending[index].state = .sent(request: turn.send(request))
    }

    // MARK: Answers

    /// Takes an answer that has the value of a count; `nil` for every other answer.
    mutating func counted(_ request: UInt64, _ response: TransportResponse, _ turn: inout DatabaseTurn) -> Outcome? {
        guard let index = index(of: request), var count = pending[index].count, count.hasValue(response.status) else {
            return nil
        }
        let path = pending[index].record.path
        let read = Result { () throws(TreeError) in
            try TreeReader.value(response.body, at: path, time: turn.now.wall)
        }
        if case .failure(let error) = read, error.reason == .size {
            return .refused(pending.remove(at: index), .tooLarge(TreeReader.sizeLimit))
        }
        guard case .success(let node) = read, !response.entityTag.isEmpty else {
            pending[index].count?.readAgain()
            pause(index, response, &turn)
            return .waits
        }
        switch count.take(node, tag: response.entityTag) {
        case .isDone: return accept(index, response.body, &turn)
        case .isTooLarge: return .refused(pending.remove(at: index), .sumTooLarge)
        case .write(let sum, let pauses):
            // The sum that streams have told was an earlier one.
            pending[index].told = [:]
            pending.put([TreeWrite(path: path, node: sum)], at: index)
            pending[index].count = count
            if pauses { pause(index, response, &turn) } else { send(index, &turn) }
            return .counted(path)
        }
    }

    /// Takes an answer; `nil` when the request was no write's.
    mutating func answered(_ request: UInt64, _ response: TransportResponse, _ turn: inout DatabaseTurn) -> Outcome? {
        guard let index = index(of: request) else { return nil }
        switch turn.access.judge(response) {
        case .done:
            turn.access.reached()
            gate.succeed()
            return accept(index, response.body, &turn)
        case .redirected: pending[index].state = .waiting
        case .tokenRejected:
            pending[index].state = .waiting
            turn.needToken()
        case .refused(let failure): return .refused(pending.remove(at: index), failure)
        case .ill: pause(index, response, &turn)
        }
        return .waits
    }

    /// A request got no answer: if it was a write's, that is sent again later, except a count whose value is too large
    /// to be read. `nil` when the request was no write's.
    mutating func failed(
        _ request: UInt64, _ failure: DatabaseFailure, _ turn: inout DatabaseTurn
    ) -> Outcome? {
        guard let index = index(of: request) else { return nil }
        if failure.limit == .single, pending[index].count?.isWriting == false {
            return .refused(pending.remove(at: index), failure)
        }
        pause(index, nil, &turn)
        return .waits
    }

    private func index(of request: UInt64) -> Int? {
        pending.firstIndex { $0.state == .sent(request: request) }
    }

    private mutating func pause(_ index: Int, _ response: TransportResponse?, _ turn: inout DatabaseTurn) {
        pending[index].count?.lose()
        pending[index].state = .waiting
        gate.fail(DatabaseAccess.retryAfter(response), at: turn.now.monotonic, turn.random)
        turn.access.returnToStart()
    }

    /// The service has accepted a write; `echo` is the value that it has stored.
    private mutating func accept(_ index: Int, _ echo: [UInt8], _ turn: inout DatabaseTurn) -> Outcome {
        let shown = pending[index]
        let record = shown.record
        // The server values are known now, unless the user may not read there: then the answer has the body that was
        // sent.
        if record.kind != .count, echo == record.body {
            // Nothing new.
        } else if record.kind == .update {
            if let writes = try? TreeReader.update(echo, at: record.path, time: turn.now.wall) {
                pending.put(writes.map { TreeWrite(path: record.path + $0.path, node: $0.node) }, at: index)
            }
        } else if let node = try? TreeReader.value(echo, at: record.path, time: turn.now.wall) {
            pending.put([TreeWrite(path: record.path, node: node)], at: index)
        }
        let sum = pending[index].writes.first?.node
        pending[index].count?.finish(sum)
        let until = turn.now.monotonic + turn.options.settling
        pending[index].state = .accepted(until: until, stamp: turn.nextNumber())
        return .accepted(pending[index], shown: shown)
    }

    // MARK: What streams have told

    /// A write is accepted, and its value is known now: notes which streams have told it already. Gives the places
    /// whose values may change because of the answer.
    mutating func note(accepted write: PendingWrite, shown: PendingWrite, _ feeds: FeedTable) -> [TreePath] {
        guard let index = pending.index(of: write.record.id) else { return [] }
        for feed in feeds.values where feed.isCurrent {
            if let node = feed.server { pending[index].notice(node, at: feed.location.path, of: feed.id) }
        }
        let isSame = pending[index].writes == shown.writes && pending[index].told == shown.told
        return isSame ? [] : (shown.writes + pending[index].writes).map(\.path)
    }

    /// A stream has told values: notes which writes they are. Gives the places of those writes.
    ///
    /// - Parameter isWhole: whether this is the first event of the stream, with the whole value.
    mutating func note(told feed: Feed, isWhole: Bool) -> [TreePath] {
        guard let node = feed.server, let stream = feed.stream else { return [] }
        let before = pending.map { $0.told[feed.id]?.count }
        for index in pending.indices {
            switch pending[index].state {
            case .waiting: continue
            case .accepted(_, let stamp) where isWhole && stamp < stream: pending[index].noticeAll(of: feed.id)
            case .sent, .accepted: pending[index].notice(node, at: feed.location.path, of: feed.id)
            }
        }
        // A stream that was opened before a write was accepted may begin with a value from after it.
        var later: [TreePath] = []
        for index in pending.indices.reversed() {
            if !later.isEmpty { pending[index].notice(laterAt: later, of: feed.id) }
            later += pending[index].toldPaths(of: feed.id)
        }
        let noticed = pending.indices.filter { pending[$0].told[feed.id]?.count != before[$0] }
        return noticed.flatMap { pending[$0].writes.map(\.path) }
    }

    /// A feed is gone: its notes of what it has told are passed to the feeds that go on from its value.
    mutating func move(toldBy feed: UInt64, to others: [UInt64]) {
        for index in pending.indices {
            for other in others { pending[index].told[other] = pending[index].told[feed] }
            pending[index].told[feed] = nil
        }
    }

    /// Forgets accepted writes that all streams have told, or that were accepted long enough ago; gives them.
    mutating func settle(_ feeds: FeedTable, _ turn: DatabaseTurn) -> [PendingWrite] {
        var settled: [PendingWrite] = []
        var left: [PendingWrite] = []
        for write in pending.accepted {
            // A later write stays as long as an earlier one that it touches.
            guard isSettled(write, feeds, turn), !left.contains(where: { $0.touches(write) }) else {
                left.append(write)
                continue
            }
            settled.append(pending.remove(at: left.count))
        }
        return settled
    }

    private func isSettled(_ write: PendingWrite, _ feeds: FeedTable, _ turn: DatabaseTurn) -> Bool {
        guard case .accepted(let until, _) = write.state else { return false }
        return feeds.values.allSatisfy { feed in
            // That the time has passed counts only for an open stream: the value of a lost stream may be older than the
            // write, however long ago the write was accepted.
            until <= turn.now.heard && feed.isHeard(since: until - turn.options.settling / 2)
                || write.isTold(by: feed.id, at: feed.location.path)
        }
    }

    /// Streams that have told neither an accepted write nor anything else since: their connections may be dead without
    /// an error. `nil` when no write is accepted.
    func silent(_ feeds: FeedTable, _ turn: DatabaseTurn) -> [UInt64]? {
        let accepted = pending.accepted
        guard !accepted.isEmpty else { return nil }
        return feeds.ids.filter { id in
            guard let feed = feeds[id], feed.isCurrent else { return false }
            return accepted.contains { write in
                guard case .accepted(let until, _) = write.state, until <= turn.now.heard else { return false }
                return !write.isTold(by: feed.id, at: feed.location.path)
                    && !feed.isHeard(since: until - turn.options.settling / 2)
            }
        }
    }

    // MARK: The world

    /// When there is something to do without an input, by the monotonic clock.
    func nextDeadline(isClear: Bool, _ turn: DatabaseTurn) -> Int64? {
        // Now, when no pause holds it back: a removal that had to come first may have succeeded meanwhile.
        var deadline = next(isClear, turn) == nil ? nil : gate.pausedUntil ?? turn.now.monotonic
        for write in pending.accepted {
            // When that time has passed already, the write waits for a stream.
            guard case .accepted(let until, _) = write.state, until > turn.now.heard else { continue }
            deadline = Moment.earlier(deadline, until)
        }
        return deadline
    }

    /// The host has signed out: no write is left.
    mutating func signOut(_ turn: inout DatabaseTurn) {
        for write in pending where !write.isAccepted {
            // Else it might arrive after a write of the next login, and replace that.
            if case .sent(let request) = write.state { turn.output(.transport(.cancel(request))) }
            turn.output(.writeEnded(id: write.record.id, .signedOut))
        }
        pending = PendingWrites()
    }
}
