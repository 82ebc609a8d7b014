import SyncBytes
import XCTest

final class RandomSourceTests: XCTestCase {
    /// Runs of the simulator and generated accounts are told by their seeds, so these numbers must never change.
    func testASeedGivesTheSameNumbersForEver() {
        var numbers = SeededRandom(seed: 1)
        XCTAssertEqual(
            [numbers.next(), numbers.next()], [0x910A_2DEC_8902_5CC1, 0xBEEB_8DA1_658E_EC67])
        XCTAssertEqual(RandomSource(seed: 1).bytes(2), [0xC1, 0x67])
        XCTAssertEqual(RandomSource(seed: 1).hex(2), "17eb")
        XCTAssertEqual(RandomSource(seed: 1).below(1000), Int64(0x910A_2DEC_8902_5CC1 % UInt64(1000)))
    }

    func testANumberIsBelowItsBound() {
        for source in [RandomSource(seed: 7), RandomSource()] {
            XCTAssertEqual([source.below(0), source.below(-5), source.below(1)], [0, 0, 0])
            XCTAssertEqual(Set((0..<500).map { _ in source.below(5) }), [0, 1, 2, 3, 4])
        }
    }

    func testWithoutASeedNoTwoAreAlike() {
        XCTAssertNotEqual(RandomSource().bytes(16), RandomSource().bytes(16))
        XCTAssertEqual(RandomSource().hex(16).utf8.count, 32)
    }
}
