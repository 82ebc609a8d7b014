import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

final class WriteQueueTests: PartCase {
    private var queue = WriteQueue()
    private var feeds = FeedTable()

    override func setUp() {
        super.setUp()
        (queue, feeds) = (WriteQueue(), FeedTable())
    }

    private func append(_ place: String, _ json: String, _ kind: QueuedWrite.Kind = .set) throws -> UInt64 {
        let write = try write(place, json, kind)
        queue.append(write)
        return write.record.id
    }

    private func send() -> [String] {
        queue.sendNext(isClear: true, &turn)
        return lines()
    }

    /// The write in flight is accepted.
    private func accept(_ body: String) throws -> PendingWrite {
        guard case .sent(let request) = try XCTUnwrap(queue.pending.first { !$0.isAccepted }).state,
            case .accepted(let write, _)? = queue.answered(request, response(200, body), &turn)
        else { throw Unexpected(what: "no write is in flight") }
        return write
    }

    /// A feed whose stream is open and has told a value.
    private func tell(_ place: String, _ json: String) throws -> Feed {
        var feed = Feed(id: 1, location: try self.place(place), server: try node(json))
        feed.connection = .open(stream: turn.nextNumber(), heardAt: turn.now.monotonic)
        feed.isCurrent = true
        feeds[1] = feed
        return feed
    }

    func testOneIsSentAtATime() throws {
        let first = try append("a", "1")
        let second = try append("b", "2")
        XCTAssertEqual(send(), ["\(second + 1) PUT db.example/a.json 1"])
        XCTAssertEqual(send(), [])
        XCTAssertTrue(queue.isBusy(at: try path("a/x")))
        XCTAssertEqual(try accept("1").record.id, first)
        XCTAssertFalse(queue.isBusy(at: try path("a/x")))
        XCTAssertEqual(send().first?.hasSuffix(" PUT db.example/b.json 2"), true)
    }

    func testNoneIsSentWhileOneThatHasEndedIsKept() throws {
        _ = try append("a", "1")
        queue.sendNext(isClear: false, &turn)
        XCTAssertEqual(lines(), [])
        XCTAssertNil(queue.nextDeadline(isClear: false, turn))
        XCTAssertEqual(queue.nextDeadline(isClear: true, turn), turn.now.monotonic)
        XCTAssertEqual(send().count, 1)
    }

    func testWhatGotNoAnswerIsSentAgainAfterAPause() throws {
        let write = try append("a", "1")
        _ = send()
        _ = queue.failed(write + 1, .offline, &turn)
        XCTAssertEqual(send(), [])
        let until = try XCTUnwrap(queue.nextDeadline(isClear: true, turn))
        wait(until - turn.now.monotonic)
        XCTAssertEqual(send(), ["\(write + 2) PUT db.example/a.json 1"])
        _ = queue.failed(write + 2, .offline, &turn)
        queue.tryNow()
        XCTAssertEqual(send(), ["\(write + 3) PUT db.example/a.json 1"])
    }

    func testARefusalEndsTheWrite() throws {
        let write = try append("a", "1")
        _ = send()
        guard case .refused(let refused, let failure)? = queue.answered(write + 1, response(403, ""), &turn) else {
            return XCTFail("it is not refused")
        }
        XCTAssertEqual(refused.record.id, write)
        XCTAssertEqual(failure.message, "HTTP status 403")
        XCTAssertTrue(queue.pending.isEmpty)
        XCTAssertNil(queue.answered(write + 1, response(200, "1"), &turn))
    }

    func testAnAcceptedWriteStaysUntilTheStreamHasToldIt() throws {
        var feed = try tell("a", "0")
        _ = try append("a", "1")
        _ = send()
        let write = try accept("1")
        XCTAssertEqual(queue.note(accepted: write, shown: write, feeds), [])
        XCTAssertEqual(queue.settle(feeds, turn).count, 0)
        feed.server = try node("1")
        XCTAssertEqual(queue.note(told: feed, isWhole: false), [try path("a")])
        XCTAssertEqual(queue.settle(feeds, turn).map(\.record.id), [write.record.id])
        XCTAssertTrue(queue.pending.isEmpty)
    }

    /// A stream that was opened after the answer begins with what was written, or with something newer.
    func testTheFirstValueOfALaterStreamHasTheWrite() throws {
        _ = try append("a", "1")
        _ = send()
        _ = try accept("1")
        XCTAssertEqual(queue.note(told: try tell("a", "2"), isWhole: true), [try path("a")])
        XCTAssertEqual(queue.settle(feeds, turn).count, 1)
    }

    func testTimeEndsAWriteOnlyForAStreamThatIsHeard() throws {
        var feed = try tell("a", "0")
        _ = try append("a", "1")
        _ = send()
        _ = try accept("1")
        XCTAssertEqual(queue.nextDeadline(isClear: true, turn), turn.now.monotonic + turn.options.settling)
        wait(turn.options.settling)
        XCTAssertEqual(queue.settle(feeds, turn).count, 0)
        XCTAssertEqual(queue.silent(feeds, turn), [1])
        feed.connection = .open(stream: 7, heardAt: turn.now.monotonic)
        feeds[1] = feed
        XCTAssertEqual(queue.silent(feeds, turn), [])
        XCTAssertEqual(queue.settle(feeds, turn).count, 1)
        XCTAssertNil(queue.silent(feeds, turn))
    }

    /// Those that go on from the value of a feed do not tell again what it has told.
    func testWhatAFeedHasToldPassesToItsHeirs() throws {
        let feed = try tell("a", #"{"b":1}"#)
        _ = try append("a/b", "1")
        _ = send()
        _ = try accept("1")
        _ = queue.note(told: feed, isWhole: false)
        queue.move(toldBy: 1, to: [2])
        var heir = Feed(id: 2, location: try place("a/b"), server: try node("1"))
        heir.isCurrent = true
        feeds = FeedTable()
        feeds[2] = heir
        XCTAssertEqual(queue.settle(feeds, turn).count, 1)
    }

    func testACountIsReadAndWritten() throws {
        let write = try append("a", "2", .count)
        XCTAssertEqual(send(), ["\(write + 1) GET db.example/a.json"])
        guard case .counted(let place)? = queue.counted(write + 1, response(200, "5", tag: "x"), &turn) else {
            return XCTFail("the value is not taken")
        }
        XCTAssertEqual(place, try path("a"))
        XCTAssertEqual(lines(), ["\(write + 2) PUT db.example/a.json 7"])
        XCTAssertNil(queue.counted(write + 2, response(200, "7"), &turn))
        XCTAssertEqual(try accept("7").writes.first?.node, try node("7"))
    }

    func testASignOutLeavesNoWrite() throws {
        let first = try append("a", "1")
        let second = try append("b", "2")
        _ = send()
        queue.signOut(&turn)
        XCTAssertEqual(lines(), ["\(second + 1) cancel", "\(first) refused signed out", "\(second) refused signed out"])
        XCTAssertTrue(queue.pending.isEmpty)
    }
}
