@testable import SyncStreams

/// What a host shows that only replays batches; and what it finds wrong in them.
struct ReplayedStream {
    struct Row: Equatable {
        var key: String
        var json: String
    }

    private(set) var sections: [[Row]]
    private(set) var batches = 0
    private(set) var loads = 0
    private(set) var faults: [String] = []

    init(sections: Int = 1) { self.sections = Array(repeating: [], count: sections) }

    mutating func loaded() { loads += 1 }

    mutating func apply(_ batch: StreamBatch) {
        batches += 1
        if batch.isEmpty { faults.append("an empty batch") }
        if batch.isReset { sections = sections.map { _ in [] } }
        check(batch.deleted.map(\.path), "deleted")
        check(batch.added.map(\.path), "added")
        check(batch.moved.map(\.path), "moved")
        check(batch.changed.map(\.path), "changed")
        let before = sections
        let gone = batch.deleted.map { ($0.path, $0.key) } + batch.moved.map { ($0.from ?? $0.path, $0.key) }
        for (path, key) in gone.sorted(by: { $0.0 > $1.0 }) {
            guard row(path, in: before)?.key == key else {
                faults.append("\(key) is taken out at \(path), where \(String(describing: row(path, in: before))) is")
                continue
            }
            sections[path.section].remove(at: path.row)
        }
        for entry in (batch.added + batch.moved).sorted(by: { $0.path < $1.path }) {
            guard sections.indices.contains(entry.path.section),
                entry.path.row <= sections[entry.path.section].count
            else {
                faults.append("\(entry.key) is put in at \(entry.path)")
                continue
            }
            sections[entry.path.section].insert(Row(entry), at: entry.path.row)
        }
        for entry in batch.changed {
            guard let old = row(entry.path, in: sections), old.key == entry.key else {
                faults.append("\(entry.key) changed at \(entry.path)")
                continue
            }
            if old == Row(entry) { faults.append("\(entry.key) is said to have changed and has not") }
            sections[entry.path.section][entry.path.row] = Row(entry)
        }
    }

    private mutating func check(_ paths: [StreamPath], _ name: String) {
        if zip(paths, paths.dropFirst()).contains(where: { $0 >= $1 }) {
            faults.append("the paths of \(name) do not ascend: \(paths)")
        }
    }

    private func row(_ path: StreamPath, in sections: [[Row]]) -> Row? {
        guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.row) else {
            return nil
        }
        return sections[path.section][path.row]
    }
}

extension ReplayedStream.Row {
    init(_ entry: StreamBatch.Entry) { self.init(key: entry.key, json: String(decoding: entry.json, as: UTF8.self)) }
}
