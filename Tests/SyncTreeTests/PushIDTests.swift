import SyncTree
import TestSupport
import XCTest

final class PushIDTests: XCTestCase {
    private let zeros = { [UInt8](repeating: 0, count: PushIDs.randomCount) }

    func testTheTimeIsInFront() {
        let vectors: [(Int64, String)] = [
            (1, "-------0"), (64, "------0-"), (1_447_506_000_000, "-K354AX-"), (1_700_000_000_000, "-NjEtLV-"),
            (1_423_088_131_153, "-JhLeOlG"), (1_331_866_477_696, "-INOQPH-"), ((1 << 48) - 1, "zzzzzzzz"),
        ]
        for (time, front) in vectors {
            var ids = PushIDs()
            let id = ids.next(at: time, random: zeros)
            XCTAssertEqual(id, front + "------------")
        }
    }

    func testIDsOfOneMillisecondFollowEachOther() {
        var ids = PushIDs()
        let random = { [UInt8](repeating: 0xFF, count: 11) + [0xFE] }
        XCTAssertEqual(ids.next(at: 5, random: random), "-------4zzzzzzzzzzzy")
        XCTAssertEqual(ids.next(at: 5, random: zeros), "-------4zzzzzzzzzzzz")
        // They have run out, and the clock may run back: the next one is still a later one.
        XCTAssertEqual(ids.next(at: 5, random: zeros), "-------5------------")
        XCTAssertEqual(ids.next(at: 4, random: zeros), "-------5-----------0")
        XCTAssertEqual(ids.next(at: 7, random: zeros), "-------6------------")
    }

    func testTheyRiseWhateverTheClockDoes() {
        for seed in UInt64(1)...50 {
            var random = SeededGenerator(seed: seed)
            var ids = PushIDs()
            var last = ""
            var time: Int64 = 1_700_000_000_000
            for _ in 0..<500 {
                time += Int64.random(in: -2...2, using: &random)
                let chance = (0..<PushIDs.randomCount).map { _ in UInt8.random(in: 0...255, using: &random) }
                let id = ids.next(at: time) { chance }
                XCTAssertEqual(id.utf8.count, 20)
                XCTAssertTrue(last.utf8.lexicographicallyPrecedes(id.utf8), "seed \(seed): \(last) \(id)")
                last = id
            }
        }
    }
}
