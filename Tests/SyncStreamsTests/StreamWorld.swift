import SyncModel

@testable import SyncStreams

/// Streams with their hosts: what a test does to them, and what it sees.
struct StreamWorld {
    var streams = Streams()
    var now: Int64 = 1000
    var shown: [UInt64: ReplayedStream] = [:]
    /// What was told of streams and calls, in order: `batch 1`, `loaded 1`, `done 7`.
    var log: [String] = []
    var replies: [CallID: StreamReply] = [:]
    var opened: [UInt64: Int?] = [:]
    var fetches: [(stream: UInt64, count: Int?)] = []
    var closed: [UInt64] = []
    private var lastID: UInt64 = 0
    private var lastCall: UInt64 = 0

    @discardableResult
    mutating func open(_ spec: String, _ function: (any RowFunction)? = nil) throws -> UInt64 {
        let parsed = try StreamSpec(parsing: Array(spec.utf8))
        lastID += 1
        shown[lastID] = ReplayedStream(sections: max(parsed.titles.count, (parsed.section ?? 0) + 1))
        streams.open(lastID, parsed, function, now: now)
        take()
        return lastID
    }

    @discardableResult
    mutating func ask(_ id: UInt64, _ request: String, kind: StreamSource.Kind = .transient) throws -> CallID {
        lastCall += 1
        let parsed = try StreamRequest(parsing: Array(request.utf8), for: kind)
        streams.handle(parsed, of: id, call: .host(lastCall), now: now)
        take()
        return .host(lastCall)
    }

    mutating func feed(_ id: UInt64, _ input: StreamInput) {
        streams.feed(id, input, now: now)
        take()
    }

    mutating func close(_ id: UInt64) {
        streams.close(id)
        shown[id] = nil
        take()
    }

    mutating func pass(_ milliseconds: Int64) {
        now += milliseconds
        streams.advance(now: now)
        take()
    }

    /// Until nothing waits.
    mutating func rest() { while let deadline = streams.nextDeadline { pass(max(0, deadline - now)) } }

    mutating func take() {
        for effect in streams.takeEffects() {
            switch effect {
            case .batch(let stream, let batch, _):
                log.append("batch \(stream)")
                shown[stream]?.apply(batch)
            case .loaded(let stream, let failure):
                log.append("loaded \(stream)" + (failure.map { ": \($0.message)" } ?? ""))
                shown[stream]?.loaded()
            case .open(let stream, _, let limit): opened[stream] = limit
            case .close(let stream): closed.append(stream)
            case .fetchMore(let stream, let count, _): fetches.append((stream, count))
            case .complete(let call, let reply):
                log.append("done \(call)")
                replies[call] = reply
            }
        }
    }

    func keys(_ id: UInt64, _ section: Int = 0) -> [String] { shown[id]?.sections[section].map(\.key) ?? [] }

    func result(_ call: CallID) -> String {
        replies[call].flatMap { $0.result }.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The stream as it knows itself.
    func whole(_ id: UInt64) -> [[ReplayedStream.Row]]? {
        guard let batch = streams.whole(id), let count = shown[id]?.sections.count else { return nil }
        var list = ReplayedStream(sections: count)
        if !batch.added.isEmpty { list.apply(batch) }
        return list.sections
    }
}

extension StreamItem {
    init(_ key: String, _ json: String, rank: String? = nil) { self.init(key: key, json: Array(json.utf8), rank: rank) }
}
