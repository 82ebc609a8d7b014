import SyncBytes
import SyncModel
import XCTest

final class RetryGateTests: XCTestCase {
    private let random = RandomSource(seed: 7)

    /// How long each failure pauses, one right behind the end of the other's pause.
    private func pauses(_ gate: inout RetryGate, _ count: Int, from start: Int64) -> [Int64] {
        var now = start
        return (0..<count).map { _ in
            gate.fail(nil, at: now, random)
            let pause = (gate.pausedUntil ?? now) - now
            now += pause
            XCTAssert(gate.isOpen(at: now))
            return pause
        }
    }

    func testPausesGrowToAMinute() {
        var gate = RetryGate()
        var longest: Int64 = 1000
        for pause in pauses(&gate, 9, from: 50) {
            XCTAssert((longest / 2...longest).contains(pause), "\(pause) of \(longest)")
            longest = min(longest * 2, 60_000)
        }
        gate.succeed()
        XCTAssertLessThanOrEqual(pauses(&gate, 1, from: 0)[0], 1000)
    }

    func testWhatFailsInAPauseMakesItNoLonger() {
        var gate = RetryGate()
        gate.fail(nil, at: 0, random)
        let end = gate.pausedUntil
        for time in 1..<100 { gate.fail(nil, at: Int64(time), random) }
        XCTAssertEqual(gate.pausedUntil, end)
        XCTAssert(gate.isOpen(at: 1000))
        XCTAssertLessThanOrEqual(pauses(&gate, 1, from: 1000)[0], 2000)
    }

    /// A service that asks for more time gets it, also in a pause.
    func testAPauseIsAsLongAsTheServiceAsked() {
        var gate = RetryGate()
        gate.fail(ServiceFailure(kind: .rateLimited(retryAfter: 5000), code: 0, message: ""), at: 0, random)
        XCTAssertEqual(gate.pausedUntil, 5000)
        gate.fail(ServiceFailure(kind: .rateLimited(retryAfter: 9000), code: 0, message: ""), at: 100, random)
        gate.fail(ServiceFailure(kind: .rateLimited(retryAfter: 10), code: 0, message: ""), at: 200, random)
        XCTAssertEqual(gate.pausedUntil, 9100)
        XCTAssertFalse(gate.isOpen(at: 9099))
    }
}
