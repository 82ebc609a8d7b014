import SyncJSON
import SyncModel
import SyncTree

/// All streams of a client: sorted, filtered, limited lists over any source, told in batches.
///
/// A machine: inputs come with the time, effects go out (`takeEffects`), and the owner calls `advance` at
/// `nextDeadline`. It knows no chat, no database and no thread; what an external source is, only its feeder knows.
public struct Streams {
    private var nodes: [UInt64: StreamNode] = [:]
    private var effects: [StreamEffect] = []

    public init() {}

    public mutating func takeEffects() -> [StreamEffect] {
        defer { effects = [] }
        return effects
    }

    /// When the next batch is due, by the monotonic clock; `nil` when nothing waits.
    public var nextDeadline: Int64? {
        // No key path: Swift 6.0.3 crashes where it inlines one of two steps into another module.
        nodes.values.compactMap { $0.timer.due }.min()
    }

    public func contains(_ id: UInt64) -> Bool { nodes[id]?.isOpen ?? false }

    /// The stream of which this call fetches more rows; `nil`: it fetches none, or is answered.
    public func stream(fetching call: CallID) -> UInt64? { nodes.values.first { $0.fetch == call }?.id }

    public func spec(_ id: UInt64) -> StreamSpec? { nodes[id]?.spec }

    // MARK: Opening and closing

    /// `function`: the host's function, when the spec has `"$host"`.
    public mutating func open(_ id: UInt64, _ spec: StreamSpec, _ function: (any RowFunction)? = nil, now: Int64) {
        guard nodes[id] == nil else { return }
        let sources = spec.source.streams.compactMap { nodes[$0] }
        let node = StreamNode(id, spec, sources: sources, function)
        nodes[id] = node
        guard sources.count == spec.source.streams.count else {
            return finish(node, StreamFailure(.removed, "a stream that this one is made of was removed"), now)
        }
        switch spec.source {
        case .transient: finish(node, nil, now)
        case .external(let source): effects.append(.open(stream: id, source, limit: spec.limit))
        case .union, .partition:
            sourceFinished(node, now)
            schedule(node, now)
        }
    }

    public mutating func close(_ id: UInt64) {
        guard let node = nodes[id], node.isOpen else { return }
        node.isOpen = false
        for call in node.waiting + [node.fetch].compactMap({ $0 }) {
            effects.append(.complete(call: call, StreamReply(.removed)))
        }
        node.waiting = []
        node.fetch = nil
        dispose(node)
    }

    /// Removes a stream when neither the host nor another stream uses it.
    private mutating func dispose(_ node: StreamNode) {
        guard !node.isOpen, node.users.isEmpty, nodes.removeValue(forKey: node.id) != nil else { return }
        if case .external = node.spec.source { effects.append(.close(stream: node.id)) }
        for source in node.sources {
            source.forget(user: node.id)
            dispose(source)
        }
    }

    /// The client closes: every call is completed.
    public mutating func end() {
        for node in sorted {
            for call in node.waiting + [node.fetch].compactMap({ $0 }) {
                effects.append(.complete(call: call, StreamReply(.closed)))
            }
        }
        nodes = [:]
    }

    /// All rows of a stream, for a host that missed events.
    public func whole(_ id: UInt64) -> StreamBatch? {
        guard let node = nodes[id], node.isOpen else { return nil }
        return told(node.whole(), of: node)
    }

    // MARK: Sources

    /// Takes an input of the feeder of an external source.
    public mutating func feed(_ id: UInt64, _ input: StreamInput, now: Int64) {
        guard let node = nodes[id] else { return }
        switch input {
        case .put(let items): node.put(items)
        case .removed(let keys): node.remove(keys)
        case .reset(let items): node.reset(items)
        case .loaded: return finish(node, nil, now)
        case .failed(let failure):
            finish(node, failure, now)
            return flush(node, now)
        case .fetched(let hasMore, let short, let failure):
            // The rows are told before the call completes.
            flush(node, now)
            guard let call = node.fetch else { return }
            if hasMore, short == nil, failure == nil, case let missing = node.missing(), missing > 0 {
                return effects.append(.fetchMore(stream: id, count: missing, nil))
            }
            node.fetch = nil
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("has_more", hasMore)
            if let short { writer.member("short", short) }
            writer.endObject()
            return effects.append(.complete(call: call, StreamReply(
                failure?.status ?? .ok, result: writer.bytes, explanation: failure?.message)))
        }
        schedule(node, now)
    }

    // MARK: Requests

    public mutating func handle(_ request: StreamRequest, of id: UInt64, call: CallID, now: Int64) {
        guard let node = nodes[id], node.isOpen else {
            return effects.append(.complete(call: call, StreamReply(.removed)))
        }
        switch request {
        case .setPredicate(.host?) where node.function == nil:
            return effects.append(.complete(call: call, StreamReply(
                .invalidArgument, explanation: "$.predicate: the stream was opened without a function")))
        case .setPredicate(let predicate): node.set(predicate)
        case .setLimit(let limit): node.set(limit: limit ?? Int.max)
        case .add(let items): node.put(items)
        case .remove(let keys): node.remove(keys)
        case .reset(let items): node.reset(items)
        case .fetchMore(let count, let direction, let start):
            return fetchMore(count, direction, start, node, call)
        case .find(let key): return answer(call, node, node.find(key))
        case .item(let path): return answer(call, node, node.entry(StreamPath(ownSection(path, of: node), path.row)))
        case .slice(let section, let from, let count):
            let section = ownSection(StreamPath(section, 0), of: node)
            var entries: [StreamBatch.Entry] = []
            var index = from
            while entries.count < count, let entry = node.entry(StreamPath(section, index)) {
                entries.append(entry)
                index += 1
            }
            return answer(call, node, entries)
        case .neighbour(let item, let isAfter): return answer(call, node, node.neighbour(of: item, isAfter: isAfter))
        }
        // Completes after the batch that shows the change.
        node.waiting.append(call)
        schedule(node, now)
    }

    /// With a `start` the source is asked until the wanted rows are loaded, and at least once, since only the source
    /// knows whether there is more.
    private mutating func fetchMore(
        _ count: Int?, _ direction: PageDirection?, _ start: TreeRank?, _ node: StreamNode, _ call: CallID
    ) {
        guard node.fetch == nil else {
            return effects.append(.complete(call: call, StreamReply(.duplicatedFetch)))
        }
        node.reach = nil
        if let start {
            do throws(DocumentError) {
                let bound = try node.order.bound(start, path: "$.start")
                node.reach = (bound, count ?? StreamRequest.usualPage)
            } catch {
                return effects.append(.complete(call: call, StreamReply(
                    .invalidArgument, explanation: "\(error.path): \(error.message)")))
            }
        }
        node.fetch = call
        effects.append(.fetchMore(stream: node.id, count: start == nil ? count : node.missing(), direction))
    }

    private mutating func answer(_ call: CallID, _ node: StreamNode, _ entry: StreamBatch.Entry?) {
        var writer = JSONWriter()
        if let entry { told(entry, of: node).write(to: &writer) } else { writer.null() }
        effects.append(.complete(call: call, StreamReply(.ok, result: writer.bytes)))
    }

    private mutating func answer(_ call: CallID, _ node: StreamNode, _ entries: [StreamBatch.Entry]) {
        var writer = JSONWriter()
        writer.beginArray()
        for entry in entries { told(entry, of: node).write(to: &writer) }
        writer.endArray()
        effects.append(.complete(call: call, StreamReply(.ok, result: writer.bytes)))
    }

    // MARK: Time

    public mutating func advance(now: Int64) {
        // Streams come before those made of them, since those were opened later.
        for node in sorted where (node.timer.due ?? Int64.max) <= now { flush(node, now) }
    }

    private var sorted: [StreamNode] { nodes.values.sorted { $0.id < $1.id } }

    private mutating func schedule(_ node: StreamNode, _ now: Int64) {
        node.changed(at: now)
        if node.spec.batchDelay == nil { flush(node, now) }
    }

    /// The first rows are loaded, or cannot be loaded.
    private mutating func finish(_ node: StreamNode, _ failure: StreamFailure?, _ now: Int64) {
        guard case .waiting = node.load else { return }
        node.load = .finished(failure)
        schedule(node, now)
    }

    /// A stream made of others is loaded when the last of them is, and has the first failure among them.
    private mutating func sourceFinished(_ node: StreamNode, _ now: Int64) {
        var failure: StreamFailure?
        for source in node.sources {
            guard case .told(let other) = source.load else { return }
            failure = failure ?? other
        }
        finish(node, failure, now)
    }

    private mutating func flush(_ node: StreamNode, _ now: Int64) {
        let (batch, touched) = node.flush()
        if !batch.isEmpty, node.isOpen {
            effects.append(.batch(stream: node.id, told(batch, of: node), node.spec.delivery))
        }
        if case .finished(let failure) = node.load {
            node.load = .told(failure)
            if node.isOpen { effects.append(.loaded(stream: node.id, failure)) }
        }
        // Calls complete after their changes were told, also by those streams made of this one that have no delay.
        defer {
            for call in node.waiting { effects.append(.complete(call: call, StreamReply(.ok))) }
            node.waiting = []
        }
        for user in node.users.compactMap({ nodes[$0] }) {
            user.touch(touched)
            sourceFinished(user, now)
            if !touched.isEmpty { schedule(user, now) }
        }
    }

    // MARK: Sections

    /// A plain stream's rows are in section 0, unless the host shows it as one of several.
    private func told(_ batch: StreamBatch, of node: StreamNode) -> StreamBatch {
        guard let section = node.spec.section else { return batch }
        return batch.inSection(section)
    }

    private func told(_ entry: StreamBatch.Entry, of node: StreamNode) -> StreamBatch.Entry {
        guard let section = node.spec.section else { return entry }
        return entry.inSection(section)
    }

    /// The section by the stream's own count; -1 when the stream has no such section.
    private func ownSection(_ path: StreamPath, of node: StreamNode) -> Int {
        guard let section = node.spec.section else { return path.section }
        return path.section == section ? 0 : -1
    }
}
