import XCTest

@testable import SyncThreads

final class MonitorTests: XCTestCase {
    private final class Ball: @unchecked Sendable {
        let conditions: Int
        let monitor: Monitor
        /// Guarded by the monitor.
        var turn = 0
        var isLate = false

        init(_ conditions: Int) {
            self.conditions = conditions
            monitor = Monitor(conditions: conditions)
        }
    }

    /// Two threads that wait for each other's every step, with a condition for both or one for each: a signal that got
    /// lost would stop them.
    func testNoSignalIsLost() {
        for conditions in 1...2 {
            let ball = Ball(conditions)
            let rounds = 20_000
            let done = expectation(description: "\(conditions) conditions")
            Thread.detachNewThread {
                MonitorTests.play(ball, side: 0, rounds)
                done.fulfill()
            }
            MonitorTests.play(ball, side: 1, rounds)
            wait(for: [done], timeout: 60)
            XCTAssertEqual(ball.turn, 2 * rounds)
            XCTAssertFalse(ball.isLate)
        }
    }

    private static func play(_ ball: Ball, side: Int, _ rounds: Int) {
        for _ in 0..<rounds {
            ball.monitor.locked {
                while ball.turn % 2 != side, !ball.isLate {
                    ball.isLate = !ball.monitor.wait(for: side % ball.conditions, until: Clock.monotonic + 30_000)
                }
                ball.turn += 1
                ball.monitor.signalAll((1 - side) % ball.conditions)
            }
        }
    }

    func testAWaitEndsAtItsDeadlineAndNotBefore() {
        let monitor = Monitor()
        for _ in 0..<3 {
            let deadline = Clock.monotonic + 5
            var isSignalled = true
            monitor.locked { while isSignalled { isSignalled = monitor.wait(until: deadline) } }
            XCTAssertGreaterThanOrEqual(Clock.monotonic, deadline)
        }
    }

    /// A signal given under the same lock before the wait is for others, not for the waiting thread.
    func testOnesOwnSignalDoesNotEndTheWait() {
        let monitor = Monitor()
        monitor.locked {
            monitor.signalAll()
            XCTAssertFalse(monitor.wait(until: Clock.monotonic + 5))
        }
    }
}
