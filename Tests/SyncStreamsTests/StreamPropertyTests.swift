import SyncModel
import TestSupport
import XCTest

@testable import SyncStreams

/// Replaying a stream's events gives its snapshot, and the snapshot is what the documentation says: under any mixture
/// of sources, predicates, limits and batches. `SM_SEEDS` sets the number of seeds, `SM_SEED` runs one.
final class StreamPropertyTests: XCTestCase {
    private static let keys = ["1", "2", "02", "10", "-3", "a", "ab", "b", "B", "é", "z9", "2147483648", "q", "r", "s"]

    func testReplayGivesTheSnapshot() throws {
        for seed in Seeds.chosen(usual: 2000) {
            try run(seed)
            if testRun?.failureCount ?? 0 > 0 { return XCTFail("SM_SEED=\(seed) repeats it") }
        }
    }

    private struct Run {
        var random: SeededGenerator
        var world = StreamWorld()
        var model = StreamModel()
        var feeds: [UInt64: ListFeed] = [:]
        var kinds: [UInt64: StreamSource.Kind] = [:]
        /// Open streams; what one is made of may be closed and lives on.
        var open: [UInt64] = []

        mutating func value() -> StreamModel.Value {
            switch random.below(6) {
            case 0: .missing
            case 1: random.below(2) == 0 ? .no : .yes
            case 2: .text(["x", "y", "é"][random.below(3)])
            default: .number(random.below(7) - 3)
            }
        }

        mutating func row() -> StreamModel.Row {
            StreamModel.Row(key: keys[random.below(keys.count)], a: value(), b: random.below(6))
        }

        mutating func rows() -> [StreamModel.Row] {
            var rows: [StreamModel.Row] = []
            for _ in 0...random.below(5) {
                let new = row()
                if !rows.contains(where: { $0.key == new.key }) { rows.append(new) }
            }
            return rows
        }
    }

    private func run(_ seed: UInt64) throws {
        var run = Run(random: SeededGenerator(seed: seed))
        try openRows(&run)
        for _ in 0..<(20 + run.random.below(40)) {
            try step(&run)
            check(run, seed, "in between")
        }
        run.world.rest()
        check(run, seed, "at the end")
        for id in run.open {
            XCTAssertEqual(run.world.shown[id]?.sections, run.model.shown(id), "seed \(seed), stream \(id): the model")
            XCTAssertEqual(run.world.shown[id]?.loads, 1, "seed \(seed), stream \(id): loaded once")
        }
    }

    /// At any moment: what was replayed is what the stream says it has told.
    private func check(_ run: Run, _ seed: UInt64, _ moment: String) {
        for id in run.open {
            guard let shown = run.world.shown[id] else { return XCTFail("seed \(seed): stream \(id) is gone") }
            XCTAssertEqual(shown.faults, [], "seed \(seed), stream \(id), \(moment)")
            XCTAssertEqual(shown.sections, run.world.whole(id), "seed \(seed), stream \(id), \(moment)")
        }
    }

    private func step(_ run: inout Run) throws {
        switch run.random.below(12) {
        case 0 where run.kinds.count < 9: try openRows(&run)
        case 1 where run.kinds.count < 9: try openUnion(&run)
        case 2 where run.kinds.count < 9: try openPartition(&run)
        case 3 where run.open.count > 2 && run.random.below(3) == 0:
            run.world.close(run.open.remove(at: run.random.below(run.open.count)))
        case 4: try setPredicate(&run)
        case 5: try setLimit(&run)
        case 6, 7: run.world.pass(Int64(run.random.below(60)))
        default: try changeRows(&run)
        }
    }

    // MARK: Opening

    private static let delays = ["null", "0", "20", "100"]

    private func common(_ run: inout Run, _ stream: inout StreamModel.Stream) -> String {
        var spec = ",\"batch_delay\":" + StreamPropertyTests.delays[run.random.below(4)]
        if run.random.below(3) == 0 {
            stream.below = run.random.below(6)
            spec += ",\"predicate\":{\"<\":[\"b\",\(stream.below ?? 0)]}"
        }
        if run.random.below(3) == 0 {
            stream.limit = run.random.below(6)
            spec += ",\"limit_after_predicate\":\(stream.limit ?? 0)"
        }
        return spec
    }

    private func openRows(_ run: inout Run) throws {
        var stream = StreamModel.Stream(source: .rows)
        let isList = run.random.below(3) == 0
        stream.order = StreamModel.Order.allCases[run.random.below(isList ? 4 : 3)]
        stream.isDescending = run.random.below(2) == 0
        var spec = isList ? "{\"source\":{\"channels\":{}}" : "{\"source\":\"transient\""
        spec += ",\"order_by\":\"\(stream.order.rawValue)\",\"descending\":\(stream.isDescending)"
        if stream.order == .a, run.random.below(3) == 0 {
            stream.start = run.random.below(5) - 2
            spec += ",\"start\":\(stream.start ?? 0)"
        }
        spec += common(&run, &stream) + "}"
        let id = try run.world.open(spec)
        run.model.streams[id] = stream
        run.kinds[id] = isList ? .channels : .transient
        run.open.append(id)
        guard isList else { return }
        run.feeds[id] = ListFeed()
        for _ in 0..<2 { changeList(id, &run) }
        run.world.feed(id, .loaded)
    }

    private func plain(_ run: Run) -> [UInt64] { run.open.filter { run.kinds[$0] != .partition } }

    private func openUnion(_ run: inout Run) throws {
        var candidates = plain(run)
        var sources: [UInt64] = []
        for _ in 0...run.random.below(3) where !candidates.isEmpty {
            sources.append(candidates.remove(at: run.random.below(candidates.count)))
        }
        guard !sources.isEmpty else { return }
        var stream = StreamModel.Stream(source: .union(sources))
        let id = try run.world.open("{\"source\":{\"union\":\(sources)}" + common(&run, &stream) + "}")
        run.model.streams[id] = stream
        run.kinds[id] = .union
        run.open.append(id)
    }

    private func openPartition(_ run: inout Run) throws {
        let candidates = plain(run)
        guard !candidates.isEmpty else { return }
        let source = candidates[run.random.below(candidates.count)]
        let count = 1 + run.random.below(4)
        var stream = StreamModel.Stream(source: .partition(source, count: count))
        let titles = (0..<count).map { "\"t\($0)\"" }.joined(separator: ",")
        // Sections 0 to 3 by the rest of b: what is 4 or 5 goes round.
        let rule = (0..<count).map { "{\"in\":[\"b\",[\($0),\($0 + 4)]]}" }.joined(separator: ",")
        let id = try run.world.open(
            "{\"source\":{\"partition\":{\"stream\":\(source),\"titles\":[\(titles)],\"rule\":[\(rule)]}}"
                + common(&run, &stream) + "}")
        run.model.streams[id] = stream
        run.kinds[id] = .partition
        run.open.append(id)
    }

    // MARK: Changing

    private func setPredicate(_ run: inout Run) throws {
        guard !run.open.isEmpty else { return }
        let id = run.open[run.random.below(run.open.count)]
        let below = run.random.below(3) == 0 ? nil : run.random.below(7)
        run.model.streams[id]?.below = below
        let predicate = below.map { "{\"not\":{\">=\":[\"b\",\($0)]}}" } ?? "null"
        try run.world.ask(
            id, "{\"action\":\"set_predicate\",\"predicate\":\(predicate)}", kind: run.kinds[id] ?? .transient)
    }

    private func setLimit(_ run: inout Run) throws {
        guard !run.open.isEmpty else { return }
        let id = run.open[run.random.below(run.open.count)]
        let limit = run.random.below(4) == 0 ? nil : run.random.below(8)
        run.model.streams[id]?.limit = limit
        try run.world.ask(
            id, "{\"action\":\"set_limit\",\"limit_after_predicate\":\(limit.map { "\($0)" } ?? "null")}",
            kind: run.kinds[id] ?? .transient)
    }

    private func changeRows(_ run: inout Run) throws {
        let candidates = run.open.filter { run.kinds[$0] == .transient || run.kinds[$0] == .channels }
        guard !candidates.isEmpty else { return }
        let id = candidates[run.random.below(candidates.count)]
        guard run.kinds[id] == .transient else { return changeList(id, &run) }
        let rows = run.rows()
        let texts = rows.map { "{\"key\":\"\($0.key)\",\"item\":\($0.json)}" }.joined(separator: ",")
        switch run.random.below(5) {
        case 0:
            run.model.streams[id]?.rows = rows
            try run.world.ask(id, "{\"action\":\"reset\",\"rows\":[\(texts)]}")
        case 1:
            run.model.streams[id]?.rows.removeAll { row in rows.contains { $0.key == row.key } }
            let keys = rows.map { "\"\($0.key)\"" }.joined(separator: ",")
            try run.world.ask(id, "{\"action\":\"remove\",\"keys\":[\(keys)]}")
        default:
            run.model.streams[id]?.rows.removeAll { row in rows.contains { $0.key == row.key } }
            run.model.streams[id]?.rows += rows
            try run.world.ask(id, "{\"action\":\"add\",\"rows\":[\(texts)]}")
        }
    }

    /// A change of a list with positions, as collections tell them.
    private func changeList(_ id: UInt64, _ run: inout Run) {
        guard var list = run.model.streams[id]?.rows else { return }
        var changes: [WindowChange] = []
        func item(_ index: Int, _ row: StreamModel.Row, from: Int = -1) -> WindowChange.Item {
            WindowChange.Item(from: from, index: index, id: row.key, json: Array(row.json.utf8))
        }
        switch run.random.below(6) {
        case 0 where list.count > 1:
            let from = run.random.below(list.count)
            var row = list.remove(at: from)
            if run.random.below(2) == 0 { row.b = run.random.below(6) }
            let to = run.random.below(list.count + 1)
            list.insert(row, at: to)
            changes = [WindowChange(.move, [item(to, row, from: from)])]
        case 1 where !list.isEmpty:
            let index = run.random.below(list.count)
            list[index].b = run.random.below(6)
            changes = [WindowChange(.update, [item(index, list[index])])]
        case 2 where !list.isEmpty:
            let index = run.random.below(list.count)
            changes = [WindowChange(.remove, [WindowChange.Item(index: index, id: list[index].key)])]
            list.remove(at: index)
        case 3 where run.random.below(5) == 0:
            list = []
            changes = [WindowChange(.clear, [])]
        default:
            let new = run.rows().filter { row in !list.contains { $0.key == row.key } }
            var items: [WindowChange.Item] = []
            let start = run.random.below(list.count + 1)
            let isTogether = run.random.below(2) == 0
            for row in new {
                let next = (items.last?.index ?? -1) + 1 + run.random.below(2)
                let index = isTogether ? start + items.count : min(list.count, next)
                list.insert(row, at: index)
                items.append(item(index, row))
            }
            if !items.isEmpty { changes = [WindowChange(.insert, items)] }
        }
        for index in list.indices { list[index].place = index }
        run.model.streams[id]?.rows = list
        for change in changes {
            if let input = run.feeds[id]?.apply(change) { run.world.feed(id, input) }
        }
    }
}
