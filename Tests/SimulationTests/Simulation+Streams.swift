import SyncJSON
import SyncModel

@testable import SyncEngine
@testable import SyncStreams

/// Streams over channels: what a host does with them, and what must hold.
extension Simulation {
    /// A stream as somebody shows it who only replays what the engine told.
    struct ShownStream {
        let query: ChannelQuery
        var rows: [(key: String, json: [UInt8])] = []

        mutating func apply(_ notice: StreamNotice) throws {
            guard case .batch(let batch) = notice else { return }
            if batch.isReset { rows = [] }
            func bad(_ entry: StreamBatch.Entry) -> Violation {
                Violation(description: "a change of \(entry.key) at \(entry.path) in a stream of \(rows.count) rows")
            }
            let gone = (batch.deleted + batch.moved).sorted { ($0.from ?? $0.path) > ($1.from ?? $1.path) }
            for entry in gone {
                let index = (entry.from ?? entry.path).row
                guard rows.indices.contains(index), rows[index].key == entry.key else { throw bad(entry) }
                rows.remove(at: index)
            }
            for entry in (batch.added + batch.moved).sorted(by: { $0.path < $1.path }) {
                guard entry.path.row <= rows.count, !rows.contains(where: { $0.key == entry.key }) else {
                    throw bad(entry)
                }
                rows.insert((entry.key, entry.json), at: entry.path.row)
            }
            for entry in batch.changed {
                guard rows.indices.contains(entry.path.row), rows[entry.path.row].key == entry.key else {
                    throw bad(entry)
                }
                rows[entry.path.row].json = entry.json
            }
        }
    }

    func streamAct() {
        guard let id = random.pick(streams.keys.sorted()), streams.count > 1 || random.chance(60) else {
            return openStream()
        }
        if random.chance(25) {
            streams[id] = nil
            return close(id)
        }
        fetchMore(id, count: random.chance(50) ? nil : 1 + Int(random.below(5)))
    }

    private func openStream() {
        var query = ChannelQuery()
        query.limit = 1 + Int(random.below(4))
        query.includeFrozen = random.chance(80)
        query.order = random.pick([.latestLastMessage, .chronological, .channelNameAlphabetical]) ?? .chronological
        var spec = StreamSpec(source: .external(.channels(query)))
        if random.chance(50) { spec.limit = 1 + Int(random.below(6)) }
        if random.chance(30) { spec.batchDelay = random.chance(50) ? nil : random.below(2_000) }
        lastCollection += 1
        streams[lastCollection] = ShownStream(query: query)
        do {
            try host.open(stream: lastCollection, spec)
        } catch {
            violation = Violation(description: "\(error)")
        }
        command(.openStream(id: lastCollection, spec, function: nil))
    }

    @discardableResult
    private func fetchMore(_ id: UInt64, count: Int?) -> UInt64 {
        let call = newCall("stream_call")
        command(.stream(.fetchMore(count: count, nil), of: id, call: call))
        return call
    }

    /// What was told is what the stream has told, and at rest that is what the list shows that feeds it.
    func checkStreams() throws {
        for (id, shown) in streams {
            let here = shown.rows.map(\.key)
            guard let whole = engine.shownStream(id) else { throw Violation(description: "stream \(id) is gone") }
            guard here == whole.added.map(\.key), shown.rows.map(\.json) == whole.added.map(\.json) else {
                throw Violation(description: "stream \(id): \(here) was told, not \(whole.added.map(\.key))")
            }
            guard engine.isAtRest, let window = engine.feed(of: id)?.window else { continue }
            guard here == window.rows.map(\.id), shown.rows.map(\.json) == window.rows.map(\.json) else {
                throw Violation(
                    description: "stream \(id): \(here) is not what feeds it, \(window.rows.map(\.id))")
            }
        }
    }

    /// Asked for everything, a stream shows the channels that the service's own answer has.
    func convergeStreams() throws {
        for (id, plan) in streams.sorted(by: { $0.key < $1.key }) {
            for _ in 0..<200 {
                let call = fetchMore(id, count: 50)
                for _ in 0..<600 where results[call] == nil { try advance(100) }
                guard let result = results[call] else { throw Violation(description: "stream call \(call) is lost") }
                if result.status == .duplicatedFetch { continue }
                guard result.status == .ok, let text = result.result else {
                    throw Violation(description: "fetch_more of \(id) gave \(result.status)")
                }
                if try JSON.parse(text)["has_more"]?.bool == false { break }
            }
            try advance(5_000)
            let there = Set(service.channels(plan.query).compactMap { $0["channel_url"]?.string })
            let here = streams[id]?.rows.map(\.key) ?? []
            guard Set(here) == there, here.count == there.count else {
                throw Violation(description: "stream \(id) shows \(here), not \(there) (\(plan.query))")
            }
            drain()
            let rows = try JSON.parse(host.snapshot(id) ?? [])["sections"]?[0]?["rows"]?.array ?? []
            guard rows.compactMap({ $0["key"]?.string }) == here else {
                throw Violation(description: "the host shows another stream \(id) than \(here)")
            }
        }
        try checkStreams()
    }
}
