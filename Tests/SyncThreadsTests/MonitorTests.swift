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

    /// Each look in vain doubles the waits that do not look, up to a limit.
    func testLookingOnGetsRareWhereItIsInVain() {
        let monitor = Monitor()
        func waitInVain() -> Int {
            monitor.locked {
                _ = monitor.wait(until: 0, looksOn: true)
                return monitor.sleepsLeft
            }
        }
        XCTAssertEqual((0..<12).map { _ in waitInVain() }, [1, 0, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2])
        var longest = 0
        for _ in 0..<5000 { longest = max(longest, waitInVain()) }
        XCTAssertEqual(longest, 1023)
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
