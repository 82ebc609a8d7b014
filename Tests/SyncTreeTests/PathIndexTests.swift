import TestSupport
import XCTest

@testable import SyncTree

/// What an index finds is what a look at all paths finds.
final class PathIndexTests: XCTestCase {
    private struct Entry: Equatable {
        let number: UInt64
        let path: TreePath
    }

    private func path(_ random: inout SeededGenerator) -> TreePath {
        TreePath((0..<random.below(4)).map { _ in TreeKey(index: Int32(random.below(3))) })
    }

    func testItFindsWhatALookAtAllFinds() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var index = PathIndex()
            var all: [Entry] = []
            for number in 1...40 as ClosedRange<UInt64> {
                // A number may have several paths, and one of them twice.
                for _ in 0..<(1 + random.below(3)) {
                    let entry = Entry(number: number, path: path(&random))
                    all.append(entry)
                    index.insert(entry.number, at: entry.path)
                }
                if random.below(100) < 40 {
                    let entry = all.remove(at: random.below(all.count))
                    index.remove(entry.number, at: entry.path)
                }
                index.remove(1000, at: path(&random))
                check(index, all, at: path(&random), &random, seed)
            }
        }
    }

    private func check(
        _ index: PathIndex, _ all: [Entry], at place: TreePath, _ random: inout SeededGenerator, _ seed: UInt64
    ) {
        func numbers(_ entries: [Entry]) -> [UInt64] { Set(entries.map(\.number)).sorted() }
        let touching = all.filter { $0.path.touches(place) }
        let around = all.filter { $0.path.contains(place) }
        XCTAssertEqual(index.numbers(touching: place), numbers(touching), "seed \(seed)")
        let enough = UInt64(random.below(40))
        let least = numbers(around).last { $0 < enough } ?? 0
        XCTAssertEqual(
            index.numbers(touching: place) { $0 < enough }, numbers(touching).filter { $0 >= least }, "seed \(seed)")
        XCTAssertEqual(
            index.contains(lessThan: enough, touching: place), touching.contains { $0.number < enough }, "seed \(seed)")
        XCTAssertEqual(
            index.widest(around: place), around.map(\.path).min { $0.keys.count < $1.keys.count }, "seed \(seed)")
    }
}
