import SyncModel
import XCTest

@testable import SyncEngine

/// How soon it connects again when the service lets it in and ends the session at once.
final class SessionPauseTests: EngineTestCase {
    private var pauses: [Int64] {
        host.events.compactMap {
            if case .client(.connection(.waiting, let pause, _)) = $0 { pause } else { nil }
        }
    }

    private func logIn() {
        event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall)))
    }

    private func refuse() {
        event(.disconnected(
            ServiceFailure(kind: .refused, code: 400_920, message: "no more"), retryAfter: nil))
    }

    func testASessionThatTheServiceEndsAtOnceIsMadeAgainWithGrowingPauses() {
        start()
        connect()
        for _ in 0..<5 {
            refuse()
            wait(pauses.last ?? 0)
            logIn()
        }
        XCTAssertEqual(pauses.count, 5)
        // Half of a pause is random: 2, 4, 8, 16 s and the limit of 20 s.
        for (pause, most) in zip(pauses, [2_000, 4_000, 8_000, 16_000, 20_000] as [Int64]) {
            XCTAssertTrue((most / 2...most).contains(pause), "\(pauses)")
        }
    }

    func testALostConnectionIsMadeAgainAtOnceButNotOverAndOver() {
        start()
        connect()
        wait(60_000)
        loseConnection()
        XCTAssertEqual(pauses, [0])
        wait(0)
        logIn()
        loseConnection()
        XCTAssertEqual(pauses.count, 2)
        XCTAssertTrue((2_000...4_000).contains(pauses[1]), "\(pauses)")
    }

    func testASessionThatLastedEndsTheRow() {
        start()
        connect()
        for _ in 0..<3 {
            refuse()
            wait(pauses.last ?? 0)
            logIn()
        }
        wait(60_000)
        loseConnection()
        XCTAssertEqual(pauses.last, 0)
    }

    /// A service that is busy and names no pause, or one that asks for none, is not asked without end.
    func testPausesGrowWhateverTheServiceSays() {
        let policies = [
            ReconnectPolicy(base: 0, limit: 0, factor: 1), ReconnectPolicy(base: 1, limit: 1, factor: 1),
            ReconnectPolicy(base: 5_000, limit: 0, factor: 1),
        ]
        for policy in policies {
            start()
            connect()
            for retryAfter in [nil, 0, nil, 1, nil, 0, nil, nil, 0, nil] as [Int64?] {
                event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall, reconnect: policy)))
                event(.disconnected(
                    ServiceFailure(kind: .unavailable, code: 800_221, message: "busy"), retryAfter: retryAfter))
                wait(pauses.last ?? 0)
            }
            XCTAssertTrue(pauses.suffix(3).allSatisfy { $0 >= 500 }, "\(pauses)")
        }
    }

    /// The login with the old one is refused only then.
    func testATokenThatIsGivenDuringALoginIsTried() {
        func reject() {
            event(.disconnected(
                ServiceFailure(kind: .tokenRejected, code: 400_302, message: "wrong"), retryAfter: nil))
        }
        var isAskedFor: Bool {
            host.events.contains { if case .client(.tokenNeeded) = $0 { true } else { false } }
        }
        start()
        let call = newCall()
        command(.call(call, .connect))
        command(.post(.setToken("new")))
        reject()
        XCTAssertNil(host.status(call))
        XCTAssertFalse(isAskedFor)
        wait(0)
        reject()
        XCTAssertEqual(host.status(call), .tokenRejected)
        XCTAssertTrue(isAskedFor)
        command(.post(.setToken("newest")))
        logIn()
        XCTAssertTrue(
            host.events.contains { if case .client(.connection(.connected, _, _)) = $0 { true } else { false } })
    }
}
