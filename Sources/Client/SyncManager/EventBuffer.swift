import SyncEngine
import SyncModel
import SyncStreams

/// The events of one client that wait for the host: bounded, in order, and always leading to the correct lists of a
/// collection.
///
/// When the host lags, changes of its collections are dropped; once it has caught up by half, the engine is asked to
/// resync those collections: it answers with `overflow` and their full lists. Results of calls are never dropped: the
/// calls are bounded (`CallTable`).
///
/// The buffer has neither lock nor thread. `EventQueue` keeps one under its lock; the simulator drives one directly.
final class EventBuffer {
    /// What is done with a collection's changes.
    private enum Delivery {
        /// Each is told.
        case following
        /// `dropped` changes were dropped because the buffer was full; a resync is due.
        case lagging(dropped: Int)
        /// A resync was asked for. Until it comes everything is dropped, since the full lists will contain it.
        case resyncing(dropped: Int)
    }

    private struct Collection {
        let lists: DeliveredLists
        var delivery = Delivery.following
    }

    /// Events of which the host needs only the latest: when the buffer is full, a new one replaces the one that waits.
    private enum StateNotice: Hashable {
        case connection, syncState, unreadCounts, tokenNeeded, storageError, cacheFull, searchProgress
        case hugeGap(CollectionID), channelRemoved(CollectionID), streamLoaded(CollectionID)
        case databaseValue(CallID), databaseTokenNeeded
        case upload(RequestID, Int), file(of: CallID)
        case trimmed(ChannelURL)
    }

    private struct Waiting {
        let output: HostOutput
        let time: Int64
        let bytes: Int

        init(_ output: HostOutput, _ time: Int64) {
            self.output = output
            self.time = time
            bytes = output.estimatedBytes
        }
    }

    /// How many bytes of lists and values may wait. Results are bounded by the calls.
    private static let byteLimit = 32 << 20
    /// From so many bytes on only the latest event of a state waits, even when the buffer is not full. Otherwise a host
    /// that drains more slowly than a large value changes would get all its versions before the result of a call.
    private static let largeState = 1 << 20

    private let limit: Int
    private var waiting = Fifo<Waiting>()
    private var waitingBytes = 0
    private var sequence: Int64 = 0
    private var collections: [CollectionID: Collection] = [:]
    private var mayLag = false
    private var positions: [StateNotice: Int] = [:]
    /// Messages that the host took since the engine was told so.
    private var tookMessages = 0

    /// `limit`: how many events may wait.
    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { waiting.isEmpty }

    // MARK: Collections

    /// From now on events of this collection are accepted.
    func add(_ lists: DeliveredLists) { collections[lists.id] = Collection(lists: lists) }

    /// Drops the events of a collection, also those that wait.
    func remove(collection id: CollectionID) {
        collections[id] = nil
        positions[.hugeGap(id)] = nil
        positions[.channelRemoved(id)] = nil
        positions[.streamLoaded(id)] = nil
    }

    func removeAll() {
        collections = [:]
        positions = [:]
        waiting = Fifo()
        waitingBytes = 0
    }

    func contains(collection id: CollectionID) -> Bool { collections[id] != nil }

    func stream(_ id: CollectionID) -> StreamHandle? { collections[id]?.lists.stream }

    func info(of id: CollectionID) -> [UInt8]? { collections[id]?.lists.infoJSON() }

    /// `nil`: there is no such collection.
    func contains(_ item: String, in id: CollectionID) -> Bool? { collections[id]?.lists.contains(item) }

    func snapshot(of id: CollectionID) -> [UInt8]? { collections[id]?.lists.snapshotJSON(sequence: sequence) }

    // MARK: In

    /// Adds an event or a result. `time`: milliseconds since the epoch.
    func push(_ output: HostOutput, time: Int64) {
        switch output {
        case .completion: append(output, time)
        case .event(.change(let change)): if admits(change) { append(output, time) }
        case .event(.collection(let id, let notice)): push(notice, of: id, time: time)
        case .event(.client(let notice)):
            switch notice {
            case .connection: push(output, as: .connection, time: time)
            case .syncState: push(output, as: .syncState, time: time)
            case .tokenNeeded: push(output, as: .tokenNeeded, time: time)
            // Lost messages are told only once, when a client begins, so this is not replaced.
            case .storageError(_, lost: _?): append(output, time)
            case .storageError: push(output, as: .storageError, time: time)
            case .unreadCounts: push(output, as: .unreadCounts, time: time)
            case .cacheFull: push(output, as: .cacheFull, onlyLatest: true, time: time)
            case .searchProgress: push(output, as: .searchProgress, onlyLatest: true, time: time)
            case .uploadProgress(let progress):
                push(output, as: .upload(progress.requestID, progress.file), onlyLatest: true, time: time)
            case .callProgress(let progress):
                push(output, as: .file(of: progress.call), onlyLatest: true, time: time)
            case .syncProgress: if !isFull { append(output, time) }
            // The engine tells only a few of these before it hears that they were taken.
            case .messageReceived: append(output, time)
            case .cacheTrimmed(let url, let messages, let bytes):
                push(trimmed: messages, bytes, of: url, time: time)
            case .database(.value(let listen, _, _)): push(output, as: .databaseValue(listen), time: time)
            case .database(.tokenNeeded): push(output, as: .databaseTokenNeeded, time: time)
            // Their number is bounded by what the host has asked for.
            case .database(.listenEnded), .database(.transform), .database(.writeRefused), .resource, .cacheReset,
                .closed:
                append(output, time)
            }
        }
    }

    private var isFull: Bool { waiting.count >= limit || waitingBytes >= EventBuffer.byteLimit }

    /// Appends an event and gives the position by which it can be replaced while it waits.
    @discardableResult
    private func append(_ output: HostOutput, _ time: Int64) -> Int { append(Waiting(output, time)) }

    private func append(_ new: Waiting) -> Int {
        waitingBytes += new.bytes
        return waiting.append(new)
    }

    private func admits(_ change: CollectionChange) -> Bool {
        guard let collection = collections[change.collection] else { return false }
        // The lists that come with a resync are never dropped. Their number is bounded: one set for each time that the
        // host has drained half.
        if case .following = collection.delivery, !isFull || change.cause.source == .overflow { return true }
        drop(from: change.collection)
        return false
    }

    private func drop(from id: CollectionID) {
        switch collections[id]?.delivery {
        case nil: break
        case .following:
            collections[id]?.delivery = .lagging(dropped: 1)
            mayLag = true
        case .lagging(let dropped): collections[id]?.delivery = .lagging(dropped: dropped + 1)
        case .resyncing(let dropped): collections[id]?.delivery = .resyncing(dropped: dropped + 1)
        }
    }

    private func push(_ notice: CollectionNotice, of id: CollectionID, time: Int64) {
        guard let collection = collections[id] else { return }
        let output = HostOutput.event(.collection(id, notice))
        switch (notice, collection.delivery) {
        case (.overflow, .resyncing(let dropped)):
            collections[id]?.delivery = .following
            append(.event(.collection(id, .overflow(dropped: dropped))), time)
        // Told even when the collection lags, since the lists that follow an overflow do not show it.
        case (.hugeGap, _): push(output, as: .hugeGap(id), time: time)
        case (.channelRemoved, _): push(output, as: .channelRemoved(id), time: time)
        case (.stream(.loaded), _): push(output, as: .streamLoaded(id), time: time)
        // The whole list, which comes with a resync.
        case (.stream(.batch(let batch)), .following) where batch.isReset: append(output, time)
        case (_, .following) where !isFull: append(output, time)
        default: drop(from: id)
        }
    }

    /// `onlyLatest`: an earlier one that waits is replaced even when the buffer has room.
    private func push(_ output: HostOutput, as state: StateNotice, onlyLatest: Bool = false, time: Int64) {
        let new = Waiting(output, time)
        let replaces = onlyLatest || isFull || new.bytes >= EventBuffer.largeState
        if replaces, let position = positions[state], let old = waiting[position] {
            waitingBytes += new.bytes - old.bytes
            waiting.replace(at: position, with: new)
        } else {
            positions[state] = append(new)
        }
    }

    /// When a trim of the same channel waits already, the numbers are added to it.
    private func push(trimmed messages: Int64, _ bytes: Int64, of url: ChannelURL, time: Int64) {
        func output(_ messages: Int64, _ bytes: Int64) -> HostOutput {
            .event(.client(.cacheTrimmed(channelURL: url, messages: messages, bytes: bytes)))
        }
        if let position = positions[.trimmed(url)], let old = waiting[position],
            case .event(.client(.cacheTrimmed(_, let before, let bytesBefore))) = old.output
        {
            let sum = Waiting(output(before &+ messages, bytesBefore &+ bytes), old.time)
            waiting.replace(at: position, with: sum)
        } else if !isFull {
            positions[.trimmed(url)] = append(output(messages, bytes), time)
        }
    }

    // MARK: Out

    /// The next event; it counts as delivered.
    func take() -> TakenEvent? {
        while let next = waiting.popFirst() {
            let (output, time) = (next.output, next.time)
            waitingBytes -= next.bytes
            var collection: CollectionID?
            var cleared: [DeliveredLists.Row] = []
            switch output {
            case .completion(let completion):
                if let info = completion.info { collections[info.collection]?.lists.set(info) }
            case .event(.client(.messageReceived)): tookMessages += 1
            case .event(.client): break
            case .event(.collection(let id, let notice)):
                guard let lists = collections[id]?.lists else { continue }
                switch notice {
                case .newMessage(_, _, _, let info): lists.mayHaveMore(info)
                case .hugeGap: lists.hugeGapOpened()
                case .channelUpdated(let json, _): lists.set(channel: json)
                case .channelRemoved: lists.channelIsGone()
                case .stream(let notice): lists.apply(notice)
                default: break
                }
                collection = id
            case .event(.change(let change)):
                guard let lists = collections[change.collection]?.lists else { continue }
                cleared = lists.apply(change)
                collection = change.collection
            }
            sequence += 1
            // Nothing waits, so nothing can be replaced.
            if waiting.isEmpty { positions = [:] }
            return TakenEvent(
                output: output, time: time, sequence: sequence, collection: collection, cleared: cleared)
        }
        return nil
    }

    /// What the engine has to hear of now; to be called after each `take`. Each lag is given once; messages that were
    /// taken are given only when so many were taken that there is room for others.
    func takeWants() -> DrainWants {
        var wants = DrainWants(resyncs: takeResyncs())
        if tookMessages >= EventBuffer.messagesAtOnce(limit: limit) / 2 {
            wants.tookMessages = tookMessages
            tookMessages = 0
        }
        return wants
    }

    /// How many of the messages that `notify` tells may wait at once: few, so that the host does not lose other events
    /// to them.
    static func messagesAtOnce(limit: Int) -> Int { min(16, max(2, limit / 4)) }

    private func takeResyncs() -> [CollectionID: Int] {
        guard mayLag, waiting.count <= limit / 2, waitingBytes <= EventBuffer.byteLimit / 2 else { return [:] }
        mayLag = false
        var resyncs: [CollectionID: Int] = [:]
        for (id, collection) in collections {
            guard case .lagging(let dropped) = collection.delivery else { continue }
            collections[id]?.delivery = .resyncing(dropped: dropped)
            resyncs[id] = dropped
        }
        return resyncs
    }
}

extension HostOutput {
    /// About how many bytes of lists and values it holds.
    fileprivate var estimatedBytes: Int {
        switch self {
        case .event(.change(let change)): change.items.reduce(0) { $0 + $1.json.count }
        case .event(.collection(_, .stream(let notice))): notice.estimatedBytes
        case .event(.client(.messageReceived(let message))): message.json.count + (message.channel?.count ?? 0)
        // No value has more bytes, but an estimate may be higher.
        case .event(.client(.database(.value(_, let node, _)))): min(node.estimatedBytes, TransportRequest.answerLimit)
        case .event, .completion: 0
        }
    }
}

extension StreamNotice {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .batch(let batch): StreamNotice.bytes(batch.added + batch.moved + batch.changed)
        case .deleted(let rows), .added(let rows), .changed(let rows): StreamNotice.bytes(rows)
        case .willChange, .didChange, .loaded: 0
        }
    }

    private static func bytes(_ rows: [StreamBatch.Entry]) -> Int { rows.reduce(0) { $0 + $1.json.count } }
}
