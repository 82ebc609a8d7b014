import SyncJSON
import SyncModel
import SyncTree

@testable import SyncStreams

/// A stream as somebody shows it who only replays what the engine told; and by the letter of the documentation, what it
/// is to show.
struct ShownStream {
    struct Row: Equatable {
        let key: String
        var json: [UInt8]
    }

    enum Source {
        case channels(ChannelQuery)
        /// `isNewest`: from the newest one on, not from a viewpoint in between.
        case messages(url: String, MessageFilter, isNewest: Bool)
        case transient
        case union([UInt64])
        /// The first condition that holds is the section.
        case partition(of: UInt64, [Condition])

        var name: String {
            switch self {
            case .channels: "channels"
            case .messages: "messages"
            case .transient: "transient"
            case .union: "union"
            case .partition: "partition"
            }
        }
    }

    /// A condition as the host gave it, evaluated by other means than the library's.
    enum Condition {
        case always
        /// Keys before this one, by their bytes.
        case key(before: String)
        /// Rows with a number in this field that is less.
        case field(String, below: Int64)

        var json: String {
            switch self {
            case .always: "true"
            case .key(let before): "{\"<\":[\"$key\",\"\(before)\"]}"
            case .field(let name, let below): "{\"<\":[\"\(name)\",\(below)]}"
            }
        }

        func holds(_ row: Row) -> Bool {
            switch self {
            case .always: true
            case .key(let before): row.key.utf8.lexicographicallyPrecedes(before.utf8)
            case .field(let name, let below): (try? JSON.parse(row.json))?[name]?.int.map { $0 < below } ?? false
            }
        }
    }

    let source: Source
    var condition = Condition.always
    var limit = Int.max
    /// Of a transient stream, what the host gave it.
    var given: [String: [UInt8]] = [:]
    private(set) var sections: [[Row]]

    init(_ source: Source) {
        self.source = source
        if case .partition(_, let rule) = source {
            sections = Array(repeating: [], count: rule.count)
        } else {
            sections = [[]]
        }
    }

    var rows: [Row] { sections.flatMap { $0 } }

    // MARK: What was told

    mutating func apply(_ notice: StreamNotice) throws {
        switch notice {
        case .batch(let batch):
            if batch.isReset { sections = sections.map { _ in [] } }
            try remove(batch.deleted + batch.moved)
            try insert(batch.added + batch.moved)
            try replace(batch.changed)
        case .deleted(let entries): try remove(entries)
        case .added(let entries): try insert(entries)
        case .changed(let entries): try replace(entries)
        case .loaded, .willChange, .didChange: break
        }
    }

    private func bad(_ entry: StreamBatch.Entry) -> Violation {
        Violation(description: "a change of \(entry.key) at \(entry.path) in a stream of \(sections.map(\.count)) rows")
    }

    private mutating func remove(_ entries: [StreamBatch.Entry]) throws {
        for entry in entries.sorted(by: { ($0.from ?? $0.path) > ($1.from ?? $1.path) }) {
            let path = entry.from ?? entry.path
            guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.row),
                sections[path.section][path.row].key == entry.key
            else { throw bad(entry) }
            sections[path.section].remove(at: path.row)
        }
    }

    private mutating func insert(_ entries: [StreamBatch.Entry]) throws {
        for entry in entries.sorted(by: { $0.path < $1.path }) {
            guard sections.indices.contains(entry.path.section), !rows.contains(where: { $0.key == entry.key }),
                (0...sections[entry.path.section].count).contains(entry.path.row)
            else { throw bad(entry) }
            sections[entry.path.section].insert(Row(key: entry.key, json: entry.json), at: entry.path.row)
        }
    }

    private mutating func replace(_ entries: [StreamBatch.Entry]) throws {
        for entry in entries {
            guard sections.indices.contains(entry.path.section),
                sections[entry.path.section].indices.contains(entry.path.row),
                sections[entry.path.section][entry.path.row].key == entry.key
            else { throw bad(entry) }
            sections[entry.path.section][entry.path.row].json = entry.json
        }
    }

    // MARK: What is to be shown

    /// What it is to show when nothing waits; `nil` when that cannot be known, since a stream it is made of is closed.
    ///
    /// - Parameter feed: what the list shows that feeds it.
    func expected(_ feed: [Row], among streams: [UInt64: ShownStream]) -> [[Row]]? {
        switch source {
        case .channels, .messages: return [cut(feed)]
        case .transient: return [cut(ShownStream.byKey(given.map { Row(key: $0.key, json: $0.value) }))]
        case .union(let numbers):
            guard let first = numbers.first.flatMap({ streams[$0] }) else { return nil }
            var others: [Row] = []
            for number in numbers.dropFirst() {
                guard let stream = streams[number] else { return nil }
                others += stream.rows.filter { row in !(first.rows + others).contains { $0.key == row.key } }
            }
            // A list has an order of its own, in which rows of other streams have no place.
            if case .transient = first.source { return [cut(ShownStream.byKey(first.rows + others))] }
            return [cut(first.rows + ShownStream.byKey(others))]
        case .partition(let number, let rule):
            guard let rows = streams[number]?.rows else { return nil }
            return rule.indices.map { section in
                cut(rows.filter { row in rule.firstIndex { $0.holds(row) } == section })
            }
        }
    }

    private func cut(_ rows: [Row]) -> [Row] { Array(rows.filter(condition.holds).prefix(limit)) }

    private static func byKey(_ rows: [Row]) -> [Row] {
        rows.sorted { TreeKey(anyText: $0.key) < TreeKey(anyText: $1.key) }
    }
}
