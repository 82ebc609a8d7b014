import SyncBytes
import SyncJSON
import SyncModel

/// A stream's rows as its host has been told of them: every notice is applied here too, so a snapshot equals what a
/// host shows that only applies batches.
public struct DeliveredStream {
    private struct Row {
        let key: String
        let json: [UInt8]
    }

    private let titles: [String]
    /// The number of the first section; the others count on from it.
    private let firstSection: Int
    private var sections: [[Row]]
    public private(set) var isLoaded = false

    public init(_ spec: StreamSpec) {
        titles = spec.titles
        firstSection = spec.section ?? 0
        sections = Array(repeating: [], count: titles.count)
    }

    public mutating func apply(_ notice: StreamNotice) {
        switch notice {
        case .batch(let batch):
            if batch.isReset { sections = sections.map { _ in [] } }
            let left = batch.moved.map { $0.from ?? $0.path }
            remove((batch.deleted.map(\.path) + left).sorted())
            insert((batch.added + batch.moved).sorted { $0.path < $1.path })
            replace(batch.changed)
        case .deleted(let entries): remove(entries.map(\.path))
        case .added(let entries): insert(entries)
        case .changed(let entries): replace(entries)
        case .loaded(let failure): isLoaded = failure == nil
        case .willChange, .didChange: break
        }
    }

    /// Makes one pass over a section, however many rows leave it. The paths ascend.
    private mutating func remove(_ paths: [StreamPath]) {
        for (section, paths) in bySection(paths, { $0 }) {
            var next = 0
            var kept = paths.first?.row ?? 0
            for index in kept..<max(kept, sections[section].count) {
                if next < paths.count, paths[paths.startIndex + next].row == index {
                    next += 1
                } else {
                    sections[section].swapAt(kept, index)
                    kept += 1
                }
            }
            sections[section].removeLast(sections[section].count - min(kept, sections[section].count))
        }
    }

    /// The paths ascend and are those of the list afterwards.
    private mutating func insert(_ entries: [StreamBatch.Entry]) {
        for (section, entries) in bySection(entries, { $0.path }) {
            guard entries.count > 1 else {
                for entry in entries where entry.path.row <= sections[section].count {
                    sections[section].insert(Row(key: entry.key, json: entry.json), at: entry.path.row)
                }
                continue
            }
            let old = sections[section]
            var rows: [Row] = []
            rows.reserveCapacity(old.count + entries.count)
            var next = 0
            for entry in entries {
                while rows.count < entry.path.row, next < old.count {
                    rows.append(old[next])
                    next += 1
                }
                rows.append(Row(key: entry.key, json: entry.json))
            }
            rows += old[next...]
            sections[section] = rows
        }
    }

    private mutating func replace(_ entries: [StreamBatch.Entry]) {
        for entry in entries {
            let section = entry.path.section - firstSection
            guard sections.indices.contains(section), sections[section].indices.contains(entry.path.row) else {
                continue
            }
            sections[section][entry.path.row] = Row(key: entry.key, json: entry.json)
        }
    }

    /// Divides a list that ascends by path into one part for each section.
    private func bySection<Element>(
        _ elements: [Element], _ path: (Element) -> StreamPath
    ) -> [(section: Int, elements: ArraySlice<Element>)] {
        var parts: [(section: Int, elements: ArraySlice<Element>)] = []
        var start = 0
        while start < elements.count {
            let section = path(elements[start]).section
            var end = start + 1
            while end < elements.count, path(elements[end]).section == section { end += 1 }
            if sections.indices.contains(section - firstSection) {
                parts.append((section - firstSection, elements[start..<end]))
            }
            start = end
        }
        return parts
    }

    public func contains(_ key: String) -> Bool { sections.contains { $0.contains { $0.key.isByteEqual(to: key) } } }

    /// Writes the members `count`, `loaded` and `sections` of the stream's info.
    public func describe(_ writer: inout JSONWriter) {
        writer.member("count", sections.reduce(0) { $0 + $1.count })
        writer.member("loaded", isLoaded)
        writer.key("sections")
        writer.beginArray()
        for (title, rows) in zip(titles, sections) {
            writer.beginObject()
            writer.member("title", title)
            writer.member("count", rows.count)
            writer.endObject()
        }
        writer.endArray()
    }

    /// Writes the member `sections` of a snapshot: lists of rows.
    public func write(to writer: inout JSONWriter) {
        writer.key("sections")
        writer.beginArray()
        for (title, rows) in zip(titles, sections) {
            writer.beginObject()
            writer.member("title", title)
            writer.key("rows")
            writer.beginArray()
            for row in rows {
                writer.beginObject()
                writer.member("key", row.key)
                writer.member("item", raw: row.json)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
    }
}
