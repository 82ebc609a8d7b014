import SyncModel
import XCTest

@testable import SyncEngine
@testable import SyncRealtime

final class DatabaseReachTests: XCTestCase {
    /// NOT_CONNECTED says that nothing was sent, so a host may repeat the call.
    func testAWriteInDoubtIsNeverOneThatWasNotSent() {
        let lost = DatabaseFailure(status: 0, message: "reset")
        var reach = DatabaseReach()
        XCTAssertEqual(reach.status(of: lost), .network)
        XCTAssertEqual(reach.status(of: .inDoubt(lost)), .network)
        reach.isHeldOffline = true
        XCTAssertEqual(reach.status(of: lost), .notConnected)
        XCTAssertEqual(reach.status(of: .inDoubt(lost)), .network)
        reach = DatabaseReach(isInForeground: false, isTokenNeeded: true)
        XCTAssertEqual(reach.status(of: lost), .tokenRejected)
        XCTAssertEqual(reach.status(of: .inDoubt(lost)), .network)
    }
}
