import SyncBytes
import SyncJSON
import SyncModel

/// The place of a row: its section, and its index in it. Both count from 0.
public struct StreamPath: Comparable, Sendable {
    public var section: Int
    public var row: Int

    public init(_ section: Int, _ row: Int) {
        self.section = section
        self.row = row
    }

    public static func < (left: StreamPath, right: StreamPath) -> Bool {
        (left.section, left.row) < (right.section, right.row)
    }
}

/// What one batch did to a stream.
///
/// To replay it on the list as it was: take out what is deleted and what moved, at the old places; put in what is added
/// and what moved, in the order of the new places; then replace what changed. The list then equals the stream's.
public struct StreamBatch: Equatable, Sendable {
    public struct Entry: Equatable, Sendable {
        /// The old place of a deleted row, the new place of any other.
        public var path: StreamPath
        /// The old place of a row that moved.
        public var from: StreamPath?
        public var key: String
        /// The row; empty for a deleted one.
        public var json: [UInt8]

        init(_ path: StreamPath, from: StreamPath? = nil, _ row: StreamRow, isDeleted: Bool = false) {
            self.path = path
            self.from = from
            key = row.place.key
            json = isDeleted ? [] : row.json
        }

        init(_ path: StreamPath, key: String, json: [UInt8]) {
            self.path = path
            self.key = key
            self.json = json
        }
    }

    /// The host missed events: its list begins again, empty, and the batch adds every row.
    public var isReset = false
    /// Each list ascends by path.
    public var deleted: [Entry] = []
    public var added: [Entry] = []
    public var moved: [Entry] = []
    public var changed: [Entry] = []

    public init() {}

    public var isEmpty: Bool {
        !isReset && deleted.isEmpty && added.isEmpty && moved.isEmpty && changed.isEmpty
    }

    /// What happened in the sections, in their order, and what is shown in them now. A row that left one section for
    /// another has moved.
    init(_ diffs: [RowDiff], _ sections: [LimitedWindow]) {
        var left: [TextKey: StreamPath] = [:]
        if diffs.count > 1 {
            for (section, diff) in diffs.enumerated() {
                for entry in diff.deleted { left[entry.row.id] = StreamPath(section, entry.from) }
            }
        }
        var crossed: Set<TextKey> = []
        for (section, (diff, window)) in zip(diffs, sections).enumerated() {
            let rows = window.shown.rows
            added.reserveCapacity(added.count + diff.added.count)
            for index in diff.added {
                let path = StreamPath(section, index)
                if let from = left[rows[index].id] {
                    crossed.insert(rows[index].id)
                    moved.append(Entry(path, from: from, rows[index]))
                } else {
                    added.append(Entry(path, rows[index]))
                }
            }
            for (from, index) in diff.moved {
                moved.append(Entry(StreamPath(section, index), from: StreamPath(section, from), rows[index]))
            }
            for index in diff.changed { changed.append(Entry(StreamPath(section, index), rows[index])) }
        }
        moved.sort { $0.path < $1.path }
        for (section, diff) in diffs.enumerated() {
            for entry in diff.deleted where !crossed.contains(entry.row.id) {
                deleted.append(Entry(StreamPath(section, entry.from), entry.row, isDeleted: true))
            }
        }
    }

    /// The keys of all rows in it.
    var keys: [TextKey] {
        [deleted, added, moved, changed].flatMap { $0.map { TextKey($0.key) } }
    }
}

extension StreamBatch {
    /// The same batch with another section number, for a stream that the host shows as one of several.
    func inSection(_ section: Int) -> StreamBatch {
        var batch = self
        batch.deleted = deleted.map { $0.inSection(section) }
        batch.added = added.map { $0.inSection(section) }
        batch.moved = moved.map { $0.inSection(section) }
        batch.changed = changed.map { $0.inSection(section) }
        return batch
    }
}

extension StreamBatch.Entry {
    func inSection(_ section: Int) -> StreamBatch.Entry {
        var entry = self
        entry.path.section = section
        entry.from?.section = section
        return entry
    }

    /// `{"path":[0,3],"key":"k","item":…}`, with `from` for a row that moved; a deleted one has no item.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("path")
        path.write(to: &writer)
        if let from {
            writer.key("from")
            from.write(to: &writer)
        }
        writer.member("key", key)
        if !json.isEmpty { writer.member("item", raw: json) }
        writer.endObject()
    }
}

extension StreamPath {
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.int(Int64(section))
        writer.int(Int64(row))
        writer.endArray()
    }
}
