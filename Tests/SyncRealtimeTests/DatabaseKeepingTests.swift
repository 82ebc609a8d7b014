import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

/// What is kept and shown after a restart, and which places share a stream.
final class DatabaseKeepingTests: DatabaseMachineCase {
    func testWhatWasToldIsShownAfterARestart() throws {
        fresh()
        let (_, stream) = try listening("a", #"{"x":{".value":1,".priority":"p"},"y":2}"#)
        XCTAssertNil(try kept("a"), "not at once")
        time = try XCTUnwrap(machine.nextDeadline)
        XCTAssertEqual(time, 2000)
        machine.advance(now: now)
        XCTAssertEqual(try kept("a"), #"{"x":{".value":1,".priority":"p"},"y":2}"#)
        event(stream, "put", #"{"path":"/y","data":3}"#)
        machine.finish(now: now)
        _ = outputs()
        start()
        machine.setOnline(false, now: now)
        let all = machine.listen(DatabaseLocation(try path("a")), now: now)
        let part = machine.listen(DatabaseLocation(try path("a/y")), now: now)
        let none = machine.listen(DatabaseLocation(try path("b")), now: now)
        XCTAssertEqual(
            outputs(),
            [
                #"\#(all) ~ {"x":1,"y":3}"#, "\(all) unheard", "\(part) ~ 3", "\(all) unheard", "\(part) unheard",
                "\(none) unheard",
            ])
        let reads = [(try path("a/y"), false), (try path("a"), true), (try path("b"), false)].map { place, isShallow in
            machine.read(DatabaseLocation(place), isShallow: isShallow, now: now)
        }
        XCTAssertEqual(
            outputs(),
            [
                "\(reads[0]) read ~ 3", #"\#(reads[1]) read ~ {"x":true,"y":true}"#,
                "\(reads[2]) unread there is no network",
            ])
        // A write is shown over it; the service's first word is newer than all of it.
        let write = try machine.set(path("a/y"), Array("4".utf8), now: now)
        XCTAssertEqual(outputs(), [#"\#(all) ~ {"x":1,"y":4}"#, "\(part) ~ 4"])
        machine.setOnline(true, now: now)
        let sent = outputs()
        XCTAssertEqual(sent.filter { $0.contains("stream") }.count, 2, "one within the other")
        let opened = try number(sent.first { $0.contains("stream db.example/a.json") })
        answer(try number(sent.last), "4")
        XCTAssertEqual(try kept("a"), #"{"x":{".value":1,".priority":"p"},"y":4}"#)
        XCTAssertEqual(keep.ordered, [], "once it is in what is kept")
        machine.receive(.streamOpened(opened), now: now)
        event(opened, "put", #"{"path":"/","data":{"y":4,"z":5}}"#)
        XCTAssertEqual(
            outputs(), ["\(write) written", #"\#(all) = {"y":4,"z":5}"#, "\(part) = 4"])
        machine.stop(none, now: now)
    }

    /// Places that nobody listens to: a whole value is changed, a query's children may be others now.
    func testAnAcceptedWriteGoesIntoWhatIsKept() throws {
        fresh()
        let first = DatabaseLocation(try path("a"), try DatabaseQuery(.key, limit: .first(1)))
        for (location, value) in [(DatabaseLocation(try path("a")), #"{"x":1}"#), (first, #"{"x":1}"#)] {
            _ = machine.read(location, now: now)
            answer(try number(outputs().last), value)
            _ = outputs()
        }
        XCTAssertEqual(try kept("a", "orderBy=%22%24key%22&limitToFirst=1"), #"{"x":1}"#)
        _ = machine.read(DatabaseLocation(try path("a")), now: now)
        let late = try number(outputs().last)
        _ = try machine.update(path(""), Array(#"{"a/w":0,"b":1}"#.utf8), now: now)
        answer(try number(outputs().last), #"{"a/w":0,"b":1}"#)
        XCTAssertEqual(try kept("a"), #"{"w":0,"x":1}"#)
        XCTAssertNil(try kept("a", "orderBy=%22%24key%22&limitToFirst=1"))
        // What was read before the write came knows nothing of it.
        answer(late, #"{"x":1}"#)
        XCTAssertEqual(try kept("a"), #"{"w":0,"x":1}"#)
        // The inner one of two that are kept is newer.
        _ = machine.read(DatabaseLocation(try path("a/x")), now: now)
        answer(try number(outputs().last), "2")
        start()
        machine.setOnline(false, now: now)
        _ = machine.read(DatabaseLocation(try path("a")), now: now)
        _ = machine.read(first, now: now)
        XCTAssertEqual(outputs().map { $0.drop { $0 != "{" } }, [#"{"w":0,"x":2}"#, #"{"w":0}"#])
    }

    func testADiskThatFails() throws {
        fresh()
        let (listen, _) = try listening("a", "1")
        keep.isFailing = { true }
        let lost = try machine.set(path("a"), Array("2".utf8), now: now)
        XCTAssertEqual(outputs(), ["\(lost) refused the write could not be stored"])
        XCTAssertTrue(machine.queue.pending.isEmpty)
        keep.isFailing = { false }
        let first = try machine.set(path("a"), Array("3".utf8), now: now)
        let request = try number(outputs().last)
        _ = try machine.set(path("a"), Array("4".utf8), now: now)
        keep.isFailing = { true }
        answer(request, "3")
        XCTAssertEqual(outputs(), ["\(listen) = 4", "\(first) written"])
        XCTAssertEqual(keep.ordered.map(\.id), [first, first + 2], "the first is sent again after a restart")
        // So nothing may come behind it before it is gone.
        keep.isFailing = { false }
        time = try XCTUnwrap(machine.nextDeadline)
        machine.advance(now: now)
        XCTAssertEqual(outputs().map { $0.drop { $0 != " " } }, [" PUT db.example/a.json?ns=test 4"])
        XCTAssertEqual(keep.ordered.count, 1)
    }

    /// What could not be kept was told of a wider place than what is kept: that is not true any more (simulation of the
    /// whole, seed 8074).
    func testADiskThatFailsLeavesNothingOlderWithinThePlace() throws {
        fresh()
        let (part, _) = try listening("a/x", "1")
        time = try XCTUnwrap(machine.nextDeadline)
        machine.advance(now: now)
        XCTAssertEqual(try kept("a/x"), "1")
        let (whole, _) = try listening("a", #"{"x":1}"#)
        _ = try machine.set(path("a/x"), Array("2".utf8), now: now)
        let request = try number(outputs().last)
        keep.isFailing = { true }
        answer(request, "2")
        machine.setOnline(false, now: now)
        for listen in [part, whole] { machine.stop(listen, now: now) }
        _ = outputs()
        let read = machine.read(DatabaseLocation(try path("a/x")), now: now)
        XCTAssertEqual(outputs(), ["\(read) unread there is no network"])
        keep.isFailing = { false }
        time = try XCTUnwrap(machine.nextDeadline)
        machine.advance(now: now)
        XCTAssertEqual(keep.ordered, [])
        XCTAssertNil(try kept("a/x"))
    }

    func testARestoredWriteThatIsNoneEnds() throws {
        fresh()
        let writes = [
            QueuedWrite(id: 7, path: try path("a"), kind: .set, body: Array("{".utf8)),
            QueuedWrite(id: 8, path: try path("a"), kind: .count, body: Array("x".utf8)),
            QueuedWrite(id: 9, path: try path("a"), kind: .set, body: Array("1".utf8)),
        ]
        for write in writes { XCTAssertTrue(keep.keep(write)) }
        machine.restore(keep.ordered, now: now)
        let lines = outputs()
        XCTAssertEqual(lines.count, 3)
        XCTAssertTrue(lines[0].hasPrefix("7 refused Invalid data") && lines[1].hasPrefix("8 refused Invalid data"))
        XCTAssertTrue(lines[2].hasSuffix("PUT db.example/a.json?ns=test 1"))
        XCTAssertEqual(keep.ordered, [writes[2]])
    }

    func testSigningOutEndsEverything() throws {
        fresh(token: "T")
        let (listen, stream) = try listening("a", "1")
        let write = try machine.set(path("a"), Array("2".utf8), now: now)
        let request = try number(outputs().last)
        let read = machine.read(DatabaseLocation(try path("b")), now: now)
        let transaction = machine.transaction(try path("c"), now: now)
        _ = outputs()
        machine.signOut(now: now)
        XCTAssertEqual(
            outputs(),
            [
                "\(stream) close", "\(listen) ended signed out", "\(read + 1) cancel", "\(read) unread signed out",
                "\(transaction + 1) cancel", "\(transaction) ended signed out", "\(request) cancel",
                "\(write) refused signed out",
            ])
        answer(request, "2")
        XCTAssertEqual(outputs(), [])
        XCTAssertNil(machine.nextDeadline)
        _ = machine.listen(DatabaseLocation(try path("a")), now: now)
        XCTAssertFalse(try XCTUnwrap(outputs().first).contains("auth"))
    }

    // MARK: Shared streams

    func testAPlaceWithinAnotherHasNoStreamOfItsOwn() throws {
        fresh()
        let (outer, stream) = try listening("a", #"{"b":{"c":1},"d":2}"#)
        let inner = machine.listen(DatabaseLocation(try path("a/b")), now: now)
        let same = machine.listen(DatabaseLocation(try path("a/b/c")), now: now)
        XCTAssertEqual(outputs(), [#"\#(inner) = {"c":1}"#, "\(same) = 1"])
        let query = DatabaseLocation(try path("a/b"), try DatabaseQuery(.key))
        let asked = machine.listen(query, now: now)
        XCTAssertEqual(outputs().count, 1, "a query has its own, and shows nothing of another order")
        machine.stop(asked, now: now)
        _ = outputs()
        event(stream, "patch", #"{"path":"/","data":{"b/c":2,"d":3}}"#)
        XCTAssertEqual(outputs(), [#"\#(outer) = {"b":{"c":2},"d":3}"#, #"\#(inner) = {"c":2}"#, "\(same) = 2"])
        // Reads within are answered by it, by queries too.
        let read = machine.read(query, now: now)
        XCTAssertEqual(outputs(), [#"\#(read) read {"c":2}"#])
        // A write that only that stream has told stays told.
        let write = try machine.set(path("a/b/c"), Array("3".utf8), now: now)
        let request = try number(outputs().last)
        event(stream, "put", #"{"path":"/b/c","data":3}"#)
        event(stream, "put", #"{"path":"/b/c","data":4}"#)
        _ = outputs()
        machine.stop(outer, now: now)
        let lines = outputs()
        XCTAssertEqual(
            lines.prefix(3), ["\(stream) close", #"\#(inner) ~ {"c":4}"#, "\(same) ~ 4"])
        XCTAssertEqual(lines.count, 4)
        XCTAssertTrue(lines[3].hasSuffix("stream db.example/a/b.json?ns=test"), "one for both that are left")
        answer(request, "3")
        XCTAssertEqual(outputs(), ["\(write) written"])
        // Refused there, allowed within.
        let next = try number(lines[3])
        machine.receive(
            .streamRefused(
                next,
                TransportResponse(status: 401, headers: [], body: Array(#"{"error":"Permission denied"}"#.utf8))),
            now: now)
        let ending = outputs()
        XCTAssertEqual(ending.first, "\(inner) ended Permission denied")
        XCTAssertTrue(try XCTUnwrap(ending.last).hasSuffix("stream db.example/a/b/c.json?ns=test"))
        XCTAssertNil(try kept("a/b"))
    }

    /// A place that was kept is shown also when a wider one, of which nothing is known, brings its stream.
    func testAKeptPlaceWithinAnUnknownOne() throws {
        fresh()
        _ = try listening("a/b", "1")
        machine.finish(now: now)
        start()
        machine.setOnline(false, now: now)
        let outer = machine.listen(DatabaseLocation(try path("a")), now: now)
        XCTAssertEqual(outputs(), ["\(outer) unheard"])
        let inner = machine.listen(DatabaseLocation(try path("a/b")), now: now)
        XCTAssertEqual(outputs(), ["\(inner) ~ 1", "\(outer) unheard", "\(inner) unheard"])
        machine.stop(outer, now: now)
        XCTAssertEqual(outputs(), [])
        let read = machine.read(DatabaseLocation(try path("a/b")), now: now)
        XCTAssertEqual(outputs(), ["\(read) read ~ 1"])
    }

    func testShallowReads() throws {
        fresh()
        let location = DatabaseLocation(try path("a"))
        let read = machine.read(location, isShallow: true, now: now)
        XCTAssertEqual(outputs(), ["\(read + 1) GET db.example/a.json?ns=test&shallow=true"])
        answer(read + 1, #"{"x":true,"y":true}"#)
        XCTAssertEqual(outputs(), [#"\#(read) read {"x":true,"y":true}"#])
        let query = DatabaseLocation(try path("a"), try DatabaseQuery(.key))
        let refused = machine.read(query, isShallow: true, now: now)
        XCTAssertEqual(outputs(), ["\(refused) unread a shallow read goes without a query"])
        machine.setOnline(false, now: now)
        _ = try machine.set(path("a/z/zz"), Array("1".utf8), now: now)
        _ = try machine.set(path("a/y"), Array("null".utf8), now: now)
        let later = machine.read(location, isShallow: true, now: now)
        XCTAssertEqual(outputs(), [#"\#(later) read ~ {"x":true,"z":true}"#])
        let (whole, lines) = (machine.read(location, now: now), outputs())
        XCTAssertEqual(lines, ["\(whole) unread there is no network"], "names are no values")
    }

    func testTransactionsNeedANetwork() throws {
        fresh()
        let reading = machine.transaction(try path("a"), now: now)
        let request = try number(outputs().last)
        machine.setOnline(false, now: now)
        XCTAssertEqual(outputs(), ["\(request) cancel", "\(reading) ended there is no network"])
        answer(request, 200, "1", [TransportHeader("ETag", "t")])
        try machine.transformed(reading, Array("2".utf8), now: now)
        XCTAssertEqual(outputs(), [])
        let offline = machine.transaction(try path("a"), now: now)
        XCTAssertEqual(outputs(), ["\(offline) ended there is no network"])
    }
}
