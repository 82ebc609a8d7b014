import SyncEngine
import SyncModel
import SyncRealtime
import SyncTree
import XCTest

@testable import SyncManager

/// What waits for the engine: whose turn it is, and when there is too much of it.
final class InboxTests: XCTestCase {
    private func text(_ input: Inbox.Input?) -> String {
        switch input {
        case .command(.call(let call, .connect)): "call \(call)"
        case .transport(.streamBytes(let stream, _), _): "stream \(stream)"
        default: "\(String(describing: input))"
        }
    }

    func testHostAndNetworkTakeTurns() {
        var inbox = Inbox()
        for number in UInt64(1)...4 { inbox.append(.streamBytes(number, []), of: .service, at: Int64(number) * 10) }
        inbox.append(.call(1, .connect))
        inbox.append(.call(2, .connect))
        XCTAssertEqual(inbox.oldestArrival, 10)
        XCTAssertEqual(
            (0..<6).map { _ in text(inbox.popFirst()) },
            ["stream 1", "call 1", "stream 2", "call 2", "stream 3", "stream 4"])
        XCTAssertTrue(inbox.isEmpty)
        XCTAssertNil(inbox.popFirst())
        XCTAssertNil(inbox.oldestArrival)
    }

    /// However many commands wait, the network has its turn too.
    func testManyCommandsDoNotHoldTheNetworkUp() {
        var inbox = Inbox()
        for call in UInt64(1)...100 { inbox.append(.call(.host(call), .connect)) }
        inbox.append(.streamBytes(7, []), of: .service, at: 1)
        let first = (0..<2).map { _ in text(inbox.popFirst()) }
        XCTAssertTrue(first.contains("stream 7"), "\(first)")
    }

    func testItIsFullByTheBytesOfTheNetwork() {
        var inbox = Inbox()
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        var count = 0
        while !inbox.isFull {
            XCTAssertEqual(inbox.isLow, count < 16)
            inbox.append(.socketText(1, piece), of: .service, at: 0)
            count += 1
        }
        XCTAssertEqual(count, 64, "4 MiB")
        var left = count
        while !inbox.isLow {
            _ = inbox.popFirst()
            left -= 1
        }
        XCTAssertEqual(left, 15, "below 1 MiB")
    }

    /// Small ones keep memory of their own.
    func testItIsFullByTheNumberOfInputsToo() {
        var inbox = Inbox()
        for _ in 0..<20_000 where !inbox.isFull { inbox.append(.streamBytes(1, [1]), of: .service, at: 0) }
        XCTAssertTrue(inbox.isFull)
    }

    /// What a sign-out behind it erases is canceled, and the host is told why as when it was under way already.
    func testWhatASignOutErasesIsNotCarriedOut() throws {
        var inbox = Inbox()
        let set = DatabaseRequest(.databaseSet, .set(try TreePath("a"), Array("1".utf8)))
        let unlisten = DatabaseRequest(.databaseUnlisten, .unlisten(7))
        let write = HostCommand.call(1, .database(set))
        XCTAssertNil(inbox.resultBeforeSignOut(of: write))
        inbox.append(.call(2, .signOut))
        let result = try XCTUnwrap(inbox.resultBeforeSignOut(of: write))
        XCTAssertEqual(result.call, 1)
        XCTAssertEqual(result.status, .canceled)
        XCTAssertEqual(result.explanation, "the user has signed out")
        let react = ActionCall(action: .message(.addReaction), arguments: [:])
        XCTAssertEqual(inbox.resultBeforeSignOut(of: .call(3, .action(react)))?.status, .notConnected)
        XCTAssertEqual(inbox.resultBeforeSignOut(of: .call(3, .clearCache(channelURL: nil)))?.status, .canceled)
        let rekey = ActionCall(action: .library(.rekey), arguments: [:])
        XCTAssertNil(inbox.resultBeforeSignOut(of: .call(3, .action(rekey))))
        XCTAssertNil(inbox.resultBeforeSignOut(of: .call(3, .connect)))
        XCTAssertNil(inbox.resultBeforeSignOut(of: .call(3, .database(unlisten))))
        _ = inbox.popFirst()
        XCTAssertNil(inbox.resultBeforeSignOut(of: write))
    }
}
