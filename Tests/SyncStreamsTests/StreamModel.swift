import TestSupport

/// Streams by the letter of the documentation and without any cleverness: every list is made again from all rows.
struct StreamModel {
    /// A value of field `a`, and the text it has in JSON.
    enum Value: Equatable {
        case missing, no, yes
        case number(Int)
        case text(String)

        var json: String? {
            switch self {
            case .missing: nil
            case .no: "false"
            case .yes: "true"
            case .number(let number): "\(number)"
            case .text(let text): "\"\(text)\""
            }
        }

        var sortKey: (Int, Int, String) {
            switch self {
            case .missing: (0, 0, "")
            case .no: (1, 0, "")
            case .yes: (2, 0, "")
            case .number(let number): (3, number, "")
            case .text(let text): (4, 0, text)
            }
        }
    }

    struct Row {
        var key: String
        var a: Value
        var b: Int
        /// The place in the source's own list; `nil` in one that has none.
        var place: Int?

        var json: String {
            "{" + [a.json.map { "\"a\":\($0)" }, "\"b\":\(b)"].compactMap { $0 }.joined(separator: ",") + "}"
        }
    }

    enum Order: String, CaseIterable { case key = "$key", a, b, source = "$source" }
    enum Source {
        case rows
        case union([UInt64])
        case partition(UInt64, count: Int)
    }

    struct Stream {
        var source: Source
        var order = Order.key
        var isDescending = false
        /// Only rows of which `b` is less are shown.
        var below: Int?
        var limit: Int?
        /// What `a` begins with: numbers only.
        var start: Int?
        var rows: [Row] = []
    }

    var streams: [UInt64: Stream] = [:]

    func shown(_ id: UInt64) -> [[ReplayedStream.Row]] {
        sections(id).map { $0.map { ReplayedStream.Row(key: $0.key, json: $0.json) } }
    }

    private func sections(_ id: UInt64) -> [[Row]] {
        guard let stream = streams[id] else { return [] }
        func passes(_ row: Row) -> Bool { stream.below.map { row.b < $0 } ?? true }
        func cut(_ rows: [Row]) -> [Row] { Array(rows.prefix(stream.limit ?? Int.max)) }
        switch stream.source {
        case .rows:
            let rows = stream.rows.filter { row in
                guard let start = stream.start, stream.order == .a else { return passes(row) }
                let bound = Value.number(start).sortKey
                return passes(row) && (stream.isDescending ? row.a.sortKey <= bound : row.a.sortKey >= bound)
            }
            return [cut(sorted(rows, like: stream))]
        case .union(let sources):
            var rows: [Row] = []
            for source in sources {
                for row in sections(source).first ?? [] where !rows.contains(where: { $0.key == row.key }) {
                    var row = row
                    if source != sources[0] { row.place = nil }
                    rows.append(row)
                }
            }
            return [cut(sorted(rows.filter(passes), like: root(id)))]
        case .partition(let source, let count):
            let rows = (sections(source).first ?? []).filter(passes)
            return (0..<count).map { section in cut(rows.filter { $0.b % 4 == section }) }
        }
    }

    /// The stream whose order holds.
    private func root(_ id: UInt64) -> Stream {
        guard let stream = streams[id] else { return Stream(source: .rows) }
        if case .union(let sources) = stream.source { return root(sources[0]) }
        return stream
    }

    private func sorted(_ rows: [Row], like stream: Stream) -> [Row] {
        let ascending = rows.sorted { left, right in
            func byKey() -> Bool { StreamModel.keySort(left.key) < StreamModel.keySort(right.key) }
            switch stream.order {
            case .key: return byKey()
            case .a: return left.a == right.a ? byKey() : left.a.sortKey < right.a.sortKey
            case .b: return left.b == right.b ? byKey() : left.b < right.b
            case .source:
                let (one, two) = (left.place ?? Int.max, right.place ?? Int.max)
                return one == two ? byKey() : one < two
            }
        }
        return stream.isDescending ? ascending.reversed() : ascending
    }

    /// Numbers of 32 bits first, then the others; shorter ones before longer ones of the same value.
    static func keySort(_ key: String) -> (Int, Int, Int, String) {
        guard let number = Int32(key), !key.hasPrefix("+") else { return (1, 0, 0, key) }
        return (0, Int(number), key.count, key)
    }
}
