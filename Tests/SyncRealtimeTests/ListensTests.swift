import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

final class ListensTests: PartCase {
    private var listens = Listens()
    private var pending = PendingWrites()

    override func setUp() {
        super.setUp()
        (listens, pending) = (Listens(), PendingWrites())
    }

    private func listen(_ text: String, kept: String? = nil) throws -> UInt64 {
        let kept = try kept.map { try node($0) }
        return listens.add(try place(text), pending, &turn) { kept }
    }

    /// Gives the stream an event. What comes of it is told.
    @discardableResult
    private func event(_ stream: UInt64, _ name: String, _ data: String) -> Listens.Heard? {
        let bytes = Array("event: \(name)\ndata: \(data)\n\n".utf8)
        var heard: Listens.Heard?
        for frame in listens.frames(stream, bytes, pending, &turn) {
            heard = listens.take(frame, of: stream, pending, &turn)
            listens.tell(changedAt: heard?.places ?? [], pending, &turn)
        }
        return heard
    }

    /// The values that are to be kept.
    private func unkept(isStored: Bool = true) -> [Listens.Told] {
        var all: [Listens.Told] = []
        listens.keepValues(turn.now) { told in
            all.append(told)
            return isStored
        }
        return all
    }

    private func put(_ stream: UInt64, _ path: String, _ value: String) -> Listens.Heard? {
        event(stream, "put", #"{"path":"\#(path)","data":\#(value)}"#)
    }

    func testPlacesWithinShareOneStream() throws {
        let outer = try listen("a")
        let inner = try listen("a/b")
        let stream = outer + 1
        XCTAssertEqual(lines(), ["\(stream) stream db.example/a.json"])
        XCTAssertEqual(
            put(stream, "/", #"{"b":1,"c":2}"#), Listens.Heard(feed: 1, places: [try path("a")], isWhole: true))
        XCTAssertEqual(lines(), [#"\#(outer) = {"b":1,"c":2}"#, "\(inner) = 1"])
        XCTAssertEqual(put(stream, "/c", "3"), Listens.Heard(feed: 1, places: [try path("a/c")]))
        XCTAssertEqual(lines(), [#"\#(outer) = {"b":1,"c":3}"#])
    }

    func testWhatLiesWithinGoesOnWithAFeedOfItsOwn() throws {
        let outer = try listen("a")
        let inner = try listen("a/b")
        _ = put(outer + 1, "/", #"{"b":1}"#)
        _ = lines()
        let feed = try XCTUnwrap(listens.remove(outer))
        let heirs = try XCTUnwrap(listens.release(feed, pending, &turn))
        XCTAssertEqual(lines(), ["\(outer + 1) close"])
        listens.tell(feeds: heirs, pending, &turn)
        listens.connect(&turn)
        XCTAssertEqual(lines(), ["\(inner) ~ 1", "\(inner + 1) stream db.example/a/b.json"])
        XCTAssertEqual(unkept().map(\.node.text), [#"{"b":1}"#])
        let last = try XCTUnwrap(heirs.first)
        XCTAssertNil(listens.release(last, pending, &turn), "it is listened to")
    }

    func testAWriteIsShownUntilTheStreamHasToldIt() throws {
        let listen = try listen("a", kept: #"{"b":0}"#)
        XCTAssertEqual(lines(), [#"\#(listen) ~ {"b":0}"#, "\(listen + 1) stream db.example/a.json"])
        pending.append(try write("a/b", "1"))
        listens.tell(changedAt: [try path("a/b")], pending, &turn)
        XCTAssertEqual(lines(), [#"\#(listen) ~ {"b":1}"#])
        XCTAssertEqual(listens.view(try place("a"), isCurrent: true, pending), nil)
        XCTAssertEqual(listens.view(try place("a"), isCurrent: false, pending)?.text, #"{"b":1}"#)
        _ = put(listen + 1, "/", #"{"b":0}"#)
        XCTAssertEqual(lines(), [#"\#(listen) = {"b":1}"#])
    }

    func testAPartBeforeTheWholeIsIgnored() throws {
        let listen = try listen("a")
        XCTAssertEqual(put(listen + 1, "/b", "1"), Listens.Heard(feed: 1))
        XCTAssertEqual(lines().count, 1)
    }

    func testAnEventThatCannotBeReadOpensTheStreamAgain() throws {
        let listen = try listen("a")
        _ = lines()
        XCTAssertNil(event(listen + 1, "put", "no object"))
        XCTAssertEqual(lines(), ["\(listen + 1) close", "\(listen) unheard"])
        listens.connect(&turn)
        XCTAssertEqual(lines(), [])
        wait(try XCTUnwrap(listens.nextDeadline(turn)) - turn.now.monotonic)
        listens.connect(&turn)
        XCTAssertEqual(lines(), ["\(listen + 2) stream db.example/a.json"])
    }

    func testRefusals() throws {
        let listen = try listen("a")
        _ = try self.listen("a/b")
        let refused = event(listen + 1, "cancel", #""no""#)
        XCTAssertEqual(refused?.ending, DatabaseFailure(status: 401, message: "no"))
        let ended = try XCTUnwrap(listens.end(1))
        XCTAssertEqual(ended.place, KeptPlace(path: try path("a")))
        XCTAssertEqual(ended.listens, [listen])
        XCTAssertEqual(listens.release(1, pending, &turn), [2])
    }

    func testAValueThatGrowsBeyondTheLimitEnds() throws {
        var options = turn.options
        options.valueLimit = 1000
        turn = DatabaseTurn(options, token: nil, seed: 1)
        let listen = try listen("a")
        let text = String(repeating: "x", count: 600)
        XCTAssertNil(put(listen + 1, "/b", "1")?.ending)
        XCTAssertNil(put(listen + 1, "/", #"{"b":"\#(text)"}"#)?.ending)
        // The same once more makes it no larger.
        XCTAssertNil(put(listen + 1, "/b", #""\#(text)""#)?.ending)
        XCTAssertEqual(put(listen + 1, "/c", #""\#(text)""#)?.ending?.limit, .single)
    }

    /// Its text is short, but it takes too much memory, or has too many values.
    func testAValueOfMoreSmallPartsThanMayBeHeldEnds() throws {
        let wide = "{" + (0..<1_200_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        let nulls = "[" + String(repeating: "null,", count: 2_000_000) + "1]"
        for (number, text) in [wide, nulls].enumerated() {
            let listen = try listen("a\(number)")
            XCTAssertEqual(put(listen + 1, "/", text)?.ending?.limit, .single)
        }
        var options = turn.options
        options.valueLimit = 10_000
        turn = DatabaseTurn(options, token: nil, seed: 1)
        let listen = try listen("b")
        XCTAssertNil(put(listen + 1, "/", "{}")?.ending)
        let ending = (0..<1000).lazy.compactMap { self.put(listen + 1, "/\($0)", "1")?.ending }.first
        XCTAssertEqual(ending?.limit, .single)
    }

    func testALargeValueIsToldOnce() throws {
        let listen = try listen("a")
        let text = String(repeating: "x", count: 300 << 10)
        _ = put(listen + 1, "/", #"{"b":"\#(text)"}"#)
        _ = put(listen + 1, "/c", "1")
        XCTAssertEqual(lines().count, 1, "the stream alone")
        XCTAssertEqual(listens.takeUntold().count, 1)
        XCTAssertEqual(listens.takeUntold().count, 0)
    }

    func testASilentStreamIsLostAndItsValueKept() throws {
        let listen = try listen("a")
        _ = put(listen + 1, "/", "1")
        _ = lines()
        let keeping = try XCTUnwrap(listens.nextDeadline(turn))
        XCTAssertEqual(keeping, turn.options.keeping)
        wait(keeping)
        listens.advance(pending, &turn)
        let told = Listens.Told(feed: 1, place: KeptPlace(path: try path("a")), node: try node("1"))
        XCTAssertEqual(unkept(isStored: false), [told])
        XCTAssertEqual(listens.nextDeadline(turn), 2 * keeping)
        wait(turn.options.silence)
        listens.advance(pending, &turn)
        XCTAssertEqual(lines(), ["\(listen + 1) close", "\(listen) ~ 1", "\(listen) unheard"])
        XCTAssertEqual(unkept(), [told])
        XCTAssertEqual(unkept(), [])
    }
}
