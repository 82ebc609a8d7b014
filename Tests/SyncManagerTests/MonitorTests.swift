import XCTest

@testable import SyncManager

final class MonitorTests: XCTestCase {
    private final class Ball: @unchecked Sendable {
        let monitor = Monitor()
        /// Guarded by the monitor.
        var turn = 0
        var isLate = false
    }

    /// Two threads that wait for each other's every step: a signal that got lost would stop them.
    func testNoSignalIsLostWhoeverLooksOn() {
        for (first, second) in [(false, false), (true, false), (true, true)] {
            let ball = Ball()
            let rounds = 20_000
            let done = expectation(description: "\(first) \(second)")
            Thread.detachNewThread {
                MonitorTests.play(ball, side: 0, rounds, looksOn: first)
                done.fulfill()
            }
            MonitorTests.play(ball, side: 1, rounds, looksOn: second)
            wait(for: [done], timeout: 60)
            XCTAssertEqual(ball.turn, 2 * rounds)
            XCTAssertFalse(ball.isLate)
        }
    }

    private static func play(_ ball: Ball, side: Int, _ rounds: Int, looksOn: Bool) {
        for _ in 0..<rounds {
            ball.monitor.locked {
                while ball.turn % 2 != side, !ball.isLate {
                    ball.isLate = !ball.monitor.wait(until: Clock.monotonic + 30_000, looksOn: looksOn)
                }
                ball.turn += 1
                ball.monitor.signalAll()
            }
        }
    }

    func testAWaitEndsAtItsDeadlineAndNotBefore() {
        let monitor = Monitor()
        for looksOn in [false, true] {
            for _ in 0..<3 {
                let deadline = Clock.monotonic + 5
                var isSignalled = true
                monitor.locked {
                    while isSignalled { isSignalled = monitor.wait(until: deadline, looksOn: looksOn) }
                }
                XCTAssertGreaterThanOrEqual(Clock.monotonic, deadline)
            }
        }
    }

    /// A signal given under the same lock before the wait is for others, not for the waiting thread.
    func testOnesOwnSignalDoesNotEndTheWait() {
        let monitor = Monitor()
        monitor.locked {
            monitor.signalAll()
            XCTAssertFalse(monitor.wait(until: Clock.monotonic + 5, looksOn: true))
        }
    }
}
