import SyncJSON
import SyncModel

@testable import SyncEngine
@testable import SyncStreams

/// Streams over everything: what a host does with them, and what must hold.
extension Simulation {
    func streamAct() {
        guard let id = random.pick(streams.keys.sorted()), let stream = streams[id],
            streams.count > 2 || random.chance(50)
        else { return openStream() }
        switch random.below(20) {
        case 0..<4 where streams.count < 7: openStream()
        case 4..<6:
            streams[id] = nil
            close(.host(id))
        case 6..<9:
            set(id, random.chance(30) ? .always : someCondition(stream))
        case 9..<11: set(id, limit: random.chance(30) ? nil : Int(random.below(8)))
        default:
            switch stream.source {
            case .transient: changeRows(id)
            case .channels, .messages:
                let call = fetchMore(id, count: random.chance(50) ? nil : 1 + Int(random.below(30)))
                if random.chance(20) { fetchMore(id, count: 5) }
                if random.chance(20) { cancel(call) }
            case .union, .partition: set(id, limit: random.chance(50) ? nil : Int(random.below(8)))
            }
        }
    }

    // MARK: Opening

    private func openStream() {
        let plain = streams.filter { if case .partition = $0.value.source { false } else { true } }.keys.sorted()
        let lists = plain.filter { if case .union = streams[$0]?.source { false } else { true } }
        switch random.below(10) {
        case 0..<2: openStream(over: someQuery())
        case 2..<5: if let url = random.pick(knowledge.urls) { openStreamOfMessages(url) }
        case 5: open(.transient, StreamSpec(source: .transient))
        case 6..<8 where lists.count > 1:
            var numbers: [UInt64] = []
            for _ in 0..<(2 + random.below(2)) {
                if let number = random.pick(lists), !numbers.contains(number) { numbers.append(number) }
            }
            open(.union(numbers), StreamSpec(source: .union(numbers)))
        case 8..<10 where !plain.isEmpty:
            guard let number = random.pick(plain), let stream = streams[number] else { return }
            var rule = (0..<random.below(3)).map { _ in someCondition(stream) }
            if random.chance(70) || rule.isEmpty { rule.append(.always) }
            let titles = rule.indices.map { "section \($0)" }
            do {
                let conditions = try rule.map { try RowCondition(DocumentValue(parsing: Array($0.json.utf8))) }
                let source = StreamSource.partition(of: number, titles: titles, .conditions(conditions))
                open(.partition(of: number, rule), StreamSpec(source: source))
            } catch { violation = violation ?? Violation(description: "\(error)") }
        default: openStream(over: someQuery())
        }
    }

    private func someQuery() -> ChannelQuery {
        var query = ChannelQuery()
        query.limit = 1 + Int(random.below(4))
        query.includeFrozen = random.chance(80)
        query.order = random.pick([.latestLastMessage, .chronological, .channelNameAlphabetical]) ?? .chronological
        return query
    }

    private func openStream(over query: ChannelQuery) {
        var spec = StreamSpec(source: .external(.channels(query)))
        if random.chance(50) { spec.limit = 1 + Int(random.below(6)) }
        open(.channels(query), spec)
    }

    func openStreamOfMessages(_ url: String) {
        var filter = MessageFilter()
        filter.limit = 1 + Int(random.below(20))
        if random.chance(20) { filter.senderIDs = ["bo"] }
        filter.isReversed = random.chance(20)
        let viewpoint = random.chance(80) ? Int64.max : SimulatedService.start + time - random.below(400_000)
        var spec = StreamSpec(source: .external(.messages(channelURL: ChannelURL(url), filter, viewpoint: viewpoint)))
        if random.chance(50) { spec.limit = 1 + Int(random.below(40)) }
        open(.messages(url: url, filter, isNewest: viewpoint == Int64.max), spec)
    }

    private func open(_ source: ShownStream.Source, _ plain: StreamSpec) {
        var (spec, stream) = (plain, ShownStream(source))
        if random.chance(30) { spec.batchDelay = random.chance(50) ? nil : random.below(2_000) }
        if random.chance(30) { spec.delivery = .delegate }
        if random.chance(25) {
            stream.condition = someCondition(stream)
            spec.predicate = predicate(stream.condition)
        }
        if random.chance(25) {
            stream.limit = Int(random.below(8))
            spec.limitAfterPredicate = stream.limit
        }
        lastCollection += 1
        streams[lastCollection] = stream
        do {
            try host.open(stream: lastCollection, spec)
        } catch {
            violation = Violation(description: "\(error)")
        }
        command(.post(.openStream(id: lastCollection, spec, function: nil)))
    }

    // MARK: Changing

    /// Something that holds of some rows of a stream like this, and not of others.
    private func someCondition(_ stream: ShownStream) -> ShownStream.Condition {
        let key = random.pick(stream.rows.map(\.key)) ?? random.pick(knowledge.urls) ?? "k3"
        switch random.below(4) {
        case 0: return .key(before: key)
        case 1: return .field("unread_message_count", below: random.below(4))
        case 2: return .field("updated_at", below: SimulatedService.start + time - random.below(200_000))
        default: return .field("n", below: random.below(10))
        }
    }

    private func predicate(_ condition: ShownStream.Condition) -> Predicate? {
        do {
            return .expression(try RowCondition(DocumentValue(parsing: Array(condition.json.utf8))))
        } catch {
            violation = violation ?? Violation(description: "\(condition.json): \(error)")
            return nil
        }
    }

    private func set(_ id: UInt64, _ condition: ShownStream.Condition) {
        streams[id]?.condition = condition
        command(.call(newCall("stream_call"), .stream(.setPredicate(predicate(condition)), of: id)))
    }

    private func set(_ id: UInt64, limit: Int?) {
        streams[id]?.limit = limit ?? Int.max
        command(.call(newCall("stream_call"), .stream(.setLimit(limit), of: id)))
    }

    private func changeRows(_ id: UInt64) {
        var items: [StreamItem] = []
        for _ in 0..<(1 + random.below(5)) {
            // Some have the keys of channels, so that unions have rows in common.
            let key = random.chance(20) ? random.pick(knowledge.urls) ?? "k0" : "k\(random.below(12))"
            guard !items.contains(where: { $0.key == key }) else { continue }
            items.append(StreamItem(key: key, json: Array("{\"n\":\(random.below(10))}".utf8), rank: nil))
        }
        let request: StreamRequest
        switch random.below(6) {
        case 0: request = .reset(items)
        case 1, 2: request = .remove(keys: items.map(\.key))
        default: request = .add(items)
        }
        if case .reset = request { streams[id]?.given = [:] }
        let isRemoval = if case .remove = request { true } else { false }
        for item in items {
            streams[id]?.given[item.key] = isRemoval ? nil : item.json
        }
        command(.call(newCall("stream_call"), .stream(request, of: id)))
    }

    @discardableResult
    private func fetchMore(_ id: UInt64, count: Int?) -> CallID {
        let call = newCall("stream_call")
        command(.call(call, .stream(.fetchMore(count: count, nil), of: id)))
        return call
    }

    // MARK: Checks

    /// What was told is what the stream has told; and at rest that is what the lists and streams it is made of make it.
    func checkStreams() throws {
        for (id, stream) in streams {
            let told = stream.sections
            guard let whole = engine.shownStream(id) else { throw Violation(description: "stream \(id) is gone") }
            var sections = told.map { _ in [ShownStream.Row]() }
            for entry in whole.added { sections[entry.path.section].append(.init(key: entry.key, json: entry.json)) }
            guard told == sections else { throw difference(id, told, sections, "was told, not") }
            guard engine.isAtRest else { continue }
            let feed = engine.feed(of: id)?.map { ShownStream.Row(key: $0.id, json: $0.json) }
            guard let expected = stream.expected(feed ?? [], among: streams) else { continue }
            guard told == expected else { throw difference(id, told, expected, "is shown, and is to be") }
            if !stream.rows.isEmpty { seen.insert("rows of \(stream.source.name)") }
        }
    }

    private func difference(
        _ id: UInt64, _ one: [[ShownStream.Row]], _ other: [[ShownStream.Row]], _ what: String
    ) -> Violation {
        Violation(
            description: "stream \(id) (\(streams[id]?.source as Any)): \(one.map { $0.map(\.key) }) \(what) "
                + "\(other.map { $0.map(\.key) }), else the items differ")
    }

    /// Asked for everything, a stream shows the channels or messages that the service's own answer has.
    func convergeStreams() throws {
        for id in streams.keys.sorted() {
            set(id, .always)
            set(id, limit: nil)
        }
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) {
            let there: [String]
            switch stream.source {
            case .channels(let query):
                try fetchAll(id)
                there = service.channels(query).compactMap { $0["channel_url"]?.string }
            case .messages(let url, let filter, _):
                guard service.channel(url) != nil, service.messageIDs(url).count < 900 else { continue }
                try fetchAll(id)
                let all = (service.history(url, filter) ?? []).compactMap { $0["message_id"]?.int }.map(String.init)
                there = Array(all.suffix(max(traits.capacity, filter.limit(.previous), filter.limit(.next))))
            case .transient, .union, .partition: continue
            }
            let here = streams[id]?.rows.map(\.key) ?? []
            guard Set(here) == Set(there), here.count == there.count else {
                throw Violation(description: "stream \(id) shows \(here), not \(there) (\(stream.source))")
            }
        }
        try advance(5_000)
        drain()
        try checkStreams()
        for (id, stream) in streams {
            let sections = try JSON.parse(host.snapshot(.host(id)) ?? [])["sections"]?.array ?? []
            let keys = sections.map { ($0["rows"]?.array ?? []).compactMap { $0["key"]?.string } }
            guard keys == stream.sections.map({ $0.map(\.key) }) else {
                throw Violation(description: "the host shows another stream \(id) than was told: \(keys)")
            }
        }
    }

    private func fetchAll(_ id: UInt64) throws {
        // Twice: when it found a gap it began again at the newest.
        for direction in [PageDirection.previous, .next, .previous, .next] {
            for _ in 0..<200 {
                if case .channels? = streams[id]?.source, direction == .previous { break }
                let call = newCall("stream_call")
                command(.call(call, .stream(.fetchMore(count: 50, direction), of: id)))
                for _ in 0..<600 where results[call] == nil { try advance(100) }
                guard let result = results[call] else { throw Violation(description: "stream call \(call) is lost") }
                if result.status == .duplicatedFetch { continue }
                guard result.status == .ok, let text = result.result else {
                    throw Violation(description: "fetch_more of \(id) gave \(result.status)")
                }
                if try JSON.parse(text)["has_more"]?.bool == false { break }
            }
        }
        try advance(5_000)
    }
}
