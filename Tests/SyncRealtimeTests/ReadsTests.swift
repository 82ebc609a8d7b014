import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

final class ReadsTests: PartCase {
    private var reads = Reads()

    override func setUp() {
        super.setUp()
        reads = Reads()
    }

    private func send(_ text: String, isShallow: Bool = false) throws -> (read: Read, request: UInt64) {
        let read = Read(id: turn.nextNumber(), location: try place(text), isShallow: isShallow)
        reads.send(read, &turn)
        return (read, read.id + 1)
    }

    private func value(_ request: UInt64, _ body: String) throws -> (read: Read, node: TreeNode) {
        guard case .value(let read, let node)? = reads.answered(request, response(200, body), &turn) else {
            throw Unexpected(what: "no value")
        }
        return (read, node)
    }

    func testTheAnswerMayLackWhatWasAcceptedMeanwhile() throws {
        let request = try send("a").request
        XCTAssertEqual(lines(), ["\(request) GET db.example/a.json"])
        reads.note(accepted: accepted(try write("a/b", "2")))
        reads.note(accepted: accepted(try write("x", "2")))
        let (read, node) = try value(request, #"{"b":1,"c":1}"#)
        XCTAssertTrue(read.isOutdated)
        // One that waits is on top, one that was accepted before is in the answer.
        let pending = writes(accepted(try write("a/c", "5")), try write("a/d", "3"))
        XCTAssertEqual(read.shown(node, pending).text, #"{"b":2,"c":1,"d":3}"#)
    }

    func testALaterReadIsNewer() throws {
        let first = try send("a").request
        let second = try send("a/b").request
        XCTAssertFalse(try value(second, "1").read.isOutdated)
        XCTAssertTrue(try value(first, "{}").read.isOutdated)
    }

    func testNamesOfChildren() throws {
        let (_, request) = try send("a", isShallow: true)
        XCTAssertEqual(lines(), ["\(request) GET db.example/a.json?shallow=true"])
        let (read, node) = try value(request, #"{"b":true}"#)
        XCTAssertEqual(read.shown(node, writes(try write("a/c/d", "1"))).text, #"{"b":true,"c":true}"#)
        XCTAssertEqual(read.keeping(node).place.query, "shallow=true")
    }

    func testWhatIsKnownStandsForAMissingAnswerButNotForOneThatIsTooLarge() throws {
        let lost = try send("a").request
        guard case .unanswered? = reads.failed(lost, .offline) else { return XCTFail("it has an answer") }
        let large = try send("a").request
        let wide = "{" + (0..<1_200_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        let answer = reads.answered(try send("a").request, response(200, wide), &turn)
        guard case .refused(_, let refusal, isCurrent: false)? = answer else { return XCTFail("it is taken") }
        XCTAssertEqual(refusal.limit, .single)
        let failure = DatabaseFailure(status: 0, message: "too large", limit: .single)
        guard case .refused(_, failure, isCurrent: false)? = reads.failed(large, failure) else {
            return XCTFail("it is not refused")
        }
        XCTAssertNil(reads.failed(large, failure))
    }

    func testARedirectedReadIsSentToTheOtherHost() throws {
        let request = try send("a").request
        _ = lines()
        let moved = TransportResponse(
            status: 307, headers: [TransportHeader("Location", "https://other.example/a.json")], body: [])
        guard case .sentAgain? = reads.answered(request, moved, &turn) else { return XCTFail("it has ended") }
        XCTAssertEqual(lines(), ["\(request + 1) GET other.example/a.json"])
    }

    func testReadsThatNobodyWaitsFor() throws {
        let (read, request) = try send("a")
        let other = try send("b").read
        _ = lines()
        reads.giveUp([read.id], &turn)
        XCTAssertEqual(lines(), ["\(request) cancel"])
        reads.signOut(&turn)
        XCTAssertEqual(lines(), ["\(other.id + 1) cancel", "\(other.id) unread signed out"])
    }
}
