import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

/// What the machine asks for and what it tells, input by input.
final class DatabaseMachineTests: DatabaseMachineCase {
    func testRequestsSayWhatIsAsked() throws {
        fresh(token: "a b&c")
        let query = try DatabaseQuery(
            .child(try path("a/ü")), from: .init(.integer(5), key: "k"), to: .init(.text("x\"y"), isInclusive: false),
            limit: .last(3))
        _ = machine.listen(DatabaseLocation(try path("p q/r"), query), now: now)
        XCTAssertEqual(
            outputs(),
            [
                "2 stream db.example/p%20q/r.json?ns=test&orderBy=%22a%2F%C3%BC%22&startAt=5,%22k%22"
                    + "&endBefore=%22x%5C%22y%22&limitToLast=3&auth=a%20b%26c"
            ])
        _ = machine.read(DatabaseLocation(TreePath()), now: now)
        XCTAssertEqual(outputs(), ["4 GET db.example/.json?ns=test&auth=a%20b%26c"])
        answer(4, #"{"x":1}"#)
        XCTAssertEqual(outputs(), [#"3 read {"x":1}"#])
    }

    func testWritesAreShownAtOnceAndSentOneByOne() throws {
        fresh()
        let (listen, stream) = try listening("a", #"{"x":1}"#)
        let first = try machine.set(try path("a/x"), Array("2".utf8), now: now)
        XCTAssertEqual(
            outputs(), [#"\#(listen) = {"x":2}"#, "\(first + 1) PUT db.example/a/x.json?ns=test 2"])
        let second = try machine.update(path("a"), Array(#"{"x":3,"y/z":4}"#.utf8), now: now)
        XCTAssertEqual(outputs(), [#"\#(listen) = {"x":3,"y":{"z":4}}"#])
        answer(first + 1, "2")
        XCTAssertEqual(
            outputs(), ["\(first) written", #"\#(second + 2) PATCH db.example/a.json?ns=test {"x":3,"y/z":4}"#])
        // Both are told by the stream, the second one before its answer; somebody else writes meanwhile.
        event(stream, "put", #"{"path":"/x","data":2}"#)
        event(stream, "patch", #"{"path":"/","data":{"x":3,"y/z":4}}"#)
        XCTAssertEqual(outputs(), [])
        event(stream, "put", #"{"path":"/x","data":9}"#)
        XCTAssertEqual(outputs(), [#"\#(listen) = {"x":9,"y":{"z":4}}"#])
        answer(second + 2, #"{"x":3,"y/z":4}"#)
        XCTAssertEqual(outputs(), ["\(second) written"])
        XCTAssertEqual(machine.queue.pending.count, 0)
    }

    func testALargeValueIsToldOnceForAllThatCameTogether() throws {
        fresh()
        let text = String(repeating: "x", count: 300 << 10)
        let (listen, stream) = try listening("a", #"{"large":"\#(text)","n":0}"#)
        let events = (1...3).map { "event: put\ndata: {\"path\":\"/n\",\"data\":\($0)}\n\n" }.joined()
        machine.receive(.streamBytes(stream, Array(events.utf8)), now: now)
        XCTAssertEqual(outputs(), [#"\#(listen) = {"large":"\#(text)","n":3}"#])
        XCTAssertEqual(outputs(), [])
        // A small one is told for each event.
        event(stream, "put", #"{"path":"/large","data":null}"#)
        machine.receive(.streamBytes(stream, Array(events.utf8)), now: now)
        XCTAssertEqual(outputs(), [3, 1, 2, 3].map { #"\#(listen) = {"n":\#($0)}"# })
    }

    func testALargeValueThatBecomesSmallIsToldOnce() throws {
        fresh()
        let text = String(repeating: "x", count: 300 << 10)
        let (listen, stream) = try listening("a", #"{"large":"\#(text)","n":0}"#)
        let datas = [#"{"path":"/n","data":4}"#, #"{"path":"/large","data":null}"#]
        let events = datas.map { "event: put\ndata: \($0)\n\n" }.joined()
        machine.receive(.streamBytes(stream, Array(events.utf8)), now: now)
        XCTAssertEqual(outputs(), [#"\#(listen) = {"n":4}"#])
    }

    func testAPlaceThatGrowsWithoutEndIsNotFollowed() throws {
        fresh()
        start(valueLimit: 2 << 20)
        let inner = machine.listen(DatabaseLocation(try path("a/k1")), now: now)
        _ = outputs()
        let (listen, stream) = try listening("a", "null")
        let text = String(repeating: "x", count: 1 << 15)
        // What is put in the place of something else does not count twice.
        for number in 1...100 { event(stream, "put", #"{"path":"/k\#(number % 50)","data":"\#(text)"}"#) }
        XCTAssertNotNil(machine.listens.all[listen])
        _ = machine.takeOutputs()
        for number in 50...70 { event(stream, "put", #"{"path":"/k\#(number)","data":"\#(text)"}"#) }
        var lines: [String] = []
        for output in machine.takeOutputs() {
            switch output {
            case .transport(.closeStream(let id)): lines.append("\(id) close")
            case .listenEnded(let id, let failure): lines.append("\(id) ended \(failure.message)")
            default: break
            }
        }
        XCTAssertEqual(lines, ["\(stream) close", "\(listen) ended the value takes more than 2 MiB"])
        // A place within goes on by a stream of its own.
        XCTAssertNil(machine.listens.all[listen])
        XCTAssertNotNil(machine.listens.all[inner])
    }

    func testAReadThatAnOwnWriteOvertakesHasThatWrite() throws {
        fresh()
        let read = machine.read(DatabaseLocation(try path("a")), now: now)
        let write = try machine.set(path("a/x"), Array("2".utf8), now: now)
        _ = outputs()
        answer(write + 1, "2")
        XCTAssertEqual(outputs(), ["\(write) written"])
        // The service had read it before it took the write.
        answer(read + 1, #"{"x":1,"y":1}"#)
        XCTAssertEqual(outputs(), [#"\#(read) read {"x":2,"y":1}"#])
    }

    /// A listen that will not tell of the write keeps it for some time. A read that was asked afterwards is newer.
    func testAReadAfterAnAcceptedWriteIsWhatTheServiceSays() throws {
        fresh()
        _ = machine.listen(DatabaseLocation(try path("a"), try DatabaseQuery(.key, limit: .first(1))), now: now)
        let stream = try number(outputs().first { $0.contains("stream") })
        machine.receive(.streamOpened(stream), now: now)
        event(stream, "put", #"{"path":"/","data":{"b":1}}"#)
        let write = try machine.set(path("a/z"), Array("2".utf8), now: now)
        _ = outputs()
        answer(write + 1, "2")
        XCTAssertEqual(outputs(), ["\(write) written"])
        // Somebody else has written 3 since.
        let read = machine.read(DatabaseLocation(try path("a")), now: now)
        answer(read + 1, #"{"b":1,"z":3}"#)
        XCTAssertEqual(outputs().last, #"\#(read) read {"b":1,"z":3}"#)
    }

    func testARefusedWriteIsTakenBack() throws {
        fresh()
        let (listen, _) = try listening("a", "1")
        let write = try machine.set(path("a"), Array("2".utf8), now: now)
        _ = outputs()
        answer(write + 1, 401, #"{"error":"Permission denied"}"#)
        XCTAssertEqual(outputs(), ["\(write) refused Permission denied", "\(listen) = 1"])
        XCTAssertThrowsError(try machine.set(path("a"), Array("{".utf8), now: now))
        XCTAssertEqual(outputs(), [], "what is no value is not queued")
    }

    func testAnAcceptedWriteThatSomebodyHasOverwrittenGivesWay() throws {
        fresh()
        let (listen, stream) = try listening("a", "1")
        let write = try machine.set(path("a"), Array("2".utf8), now: now)
        // 2 and then 3 were written before the stream, which was slow, said anything: it tells the last value only.
        event(stream, "put", #"{"path":"/","data":3}"#)
        answer(write + 1, "2")
        XCTAssertEqual(outputs().filter { $0.hasPrefix("\(listen) ") }, ["\(listen) = 2"])
        time = 2500
        event(stream, "keep-alive", "null")
        XCTAssertEqual(outputs(), [])
        time = try XCTUnwrap(machine.nextDeadline)
        XCTAssertEqual(time, 5000)
        machine.advance(now: now)
        XCTAssertEqual(outputs(), ["\(listen) = 3"])
    }

    /// Streams tell no priorities.
    func testAWriteWithPrioritiesIsTold() throws {
        fresh()
        let (listen, stream) = try listening("a", "1")
        let json = #"{"b":{".value":2,".priority":3},".priority":"p"}"#
        let write = try machine.set(path("a"), Array(json.utf8), now: now)
        event(stream, "put", #"{"path":"/","data":{"b":2}}"#)
        answer(write + 1, json)
        XCTAssertEqual(outputs().filter { $0.hasPrefix("\(listen) ") }.first, #"\#(listen) = {"b":2}"#)
        XCTAssertTrue(machine.queue.pending.isEmpty)
    }

    /// A connection that died without a sign must not bring an old value back.
    func testAnAcceptedWriteThatASilentStreamHasNotToldStays() throws {
        fresh()
        let (listen, stream) = try listening("a", "1")
        let write = try machine.set(path("a"), Array("2".utf8), now: now)
        answer(write + 1, "2")
        _ = outputs()
        time = 5000
        machine.advance(now: now)
        let lines = outputs()
        XCTAssertEqual(lines.prefix(2), ["\(stream) close", "\(listen) ~ 2"])
        let next = try number(lines.last)
        machine.receive(.streamOpened(next), now: now)
        event(next, "put", #"{"path":"/","data":2}"#)
        XCTAssertEqual(outputs(), ["\(listen) = 2"])
        XCTAssertTrue(machine.queue.pending.isEmpty)
    }

    /// What the stream has told may still wait to be taken in; nothing is judged by its silence until then.
    func testAStreamIsNotSilentWhileWhatItSaidWaits() throws {
        fresh()
        let (_, stream) = try listening("a", "1")
        let write = try machine.set(path("a"), Array("2".utf8), now: now)
        answer(write + 1, "2")
        _ = outputs()
        var late = now
        late.monotonic = 500_000
        late.unheardSince = 1
        machine.advance(now: late)
        XCTAssertEqual(outputs(), [], "neither as one that lost a write nor as one that died")
        let told = #"{"path":"/","data":2}"#
        machine.receive(.streamBytes(stream, Array("event: put\ndata: \(told)\n\n".utf8)), now: late)
        XCTAssertEqual(outputs(), [], "it is shown already")
        XCTAssertTrue(machine.queue.pending.isEmpty)
    }

    func testAStreamThatBeginsAfterAWriteWasAcceptedKnowsIt() throws {
        fresh()
        let (listen, stream) = try listening("a", "1")
        let write = try machine.set(path("a"), Array("2".utf8), now: now)
        machine.receive(.streamEnded(stream, nil), now: now)
        answer(write + 1, "2")
        XCTAssertEqual(outputs().last, "\(write) written")
        time = try XCTUnwrap(machine.nextDeadline)
        machine.advance(now: now)
        let next = try XCTUnwrap(outputs().first.flatMap { UInt64($0.prefix { $0 != " " }) })
        machine.receive(.streamOpened(next), now: now)
        // Somebody else has written 3 over it: that is newer, and nothing has to be waited for.
        event(next, "put", #"{"path":"/","data":3}"#)
        XCTAssertEqual(outputs(), ["\(listen) = 3"])
        XCTAssertTrue(machine.queue.pending.isEmpty)
    }

    func testServerValuesAreEstimatedThenCertain() throws {
        fresh()
        let (listen, stream) = try listening("a", #"{"n":5}"#)
        let write = try machine.update(
            path("a"), Array(#"{"n":{".sv":{"increment":2}},"t":{".sv":"timestamp"}}"#.utf8), now: now)
        XCTAssertTrue(outputs().contains(#"\#(listen) = {"n":7,"t":1700000000000}"#))
        event(stream, "patch", #"{"path":"/","data":{"n":7,"t":1600000000000}}"#)
        XCTAssertEqual(outputs(), [], "the service's own time is not taken for another value before it has answered")
        answer(write + 1, #"{"n":7,"t":1600000000000}"#)
        XCTAssertEqual(outputs(), ["\(write) written", #"\#(listen) = {"n":7,"t":1600000000000}"#])
    }

    /// Who may not read a place is told no sum: the answer is what was sent, and says nothing of what was there.
    func testAnAnswerWithoutTheSumLeavesTheEstimate() throws {
        fresh()
        let (listen, _) = try listening("a", #"{"n":5}"#)
        let one = #"{"n":{".sv":{"increment":2}}}"#
        for (kind, shown) in [("set", 7), ("update", 9)] {
            let body = Array(one.utf8)
            let write = try kind == "set"
                ? machine.set(path("a"), body, now: now) : machine.update(path("a"), body, now: now)
            XCTAssertTrue(outputs().contains(#"\#(listen) = {"n":\#(shown)}"#), kind)
            answer(write + 1, one)
            XCTAssertEqual(outputs(), ["\(write) written"], kind)
        }
    }

    func testALostStreamIsOpenedAgainAfterAPause() throws {
        fresh()
        let (listen, stream) = try listening("a", "1")
        machine.receive(.streamEnded(stream, nil), now: now)
        XCTAssertEqual(outputs(), ["\(listen) ~ 1", "\(listen) unheard"])
        let due = try XCTUnwrap(machine.nextDeadline)
        XCTAssertTrue((500...1000).contains(due))
        time = due
        machine.advance(now: now)
        let line = try XCTUnwrap(outputs().first)
        let next = try XCTUnwrap(UInt64(line.prefix { $0 != " " }))
        machine.receive(.streamOpened(next), now: now)
        // What still comes of the first one is nothing to us.
        event(stream, "put", #"{"path":"/","data":"old"}"#)
        event(next, "put", #"{"path":"/b","data":"a part before the whole"}"#)
        XCTAssertEqual(outputs(), [])
        event(next, "put", #"{"path":"/","data":2}"#)
        XCTAssertEqual(outputs(), ["\(listen) = 2"])
        // No sign of life: it is as good as lost.
        time += 74_999
        machine.advance(now: now)
        XCTAssertEqual(outputs(), [])
        event(next, "keep-alive", "null")
        time += 75_000
        machine.advance(now: now)
        XCTAssertEqual(outputs(), ["\(next) close", "\(listen) ~ 2", "\(listen) unheard"])
        // A broken frame is no reason to go on guessing.
        time += 60_000
        machine.advance(now: now)
        let third = try XCTUnwrap(outputs().first.flatMap { UInt64($0.prefix { $0 != " " }) })
        machine.receive(.streamOpened(third), now: now)
        event(third, "put", "{")
        XCTAssertEqual(outputs(), ["\(third) close", "\(listen) unheard"])
    }

    func testTheServiceCancelsAndRevokes() throws {
        fresh(token: "T")
        let (first, stream) = try listening("a", "1")
        let (second, other) = try listening("b", "2")
        event(stream, "cancel", "null")
        XCTAssertEqual(outputs(), ["\(stream) close", "\(first) ended the rules do not allow it any more"])
        event(other, "auth_revoked", "credential is no longer valid")
        XCTAssertEqual(outputs(), ["\(other) close", "\(second) ~ 2", "token"])
        _ = try machine.set(path("b"), Array("3".utf8), now: now)
        XCTAssertEqual(outputs().count, 1, "shown, not sent")
        XCTAssertNil(machine.nextDeadline, "nothing goes on before there is a token")
        machine.setToken("U", now: now)
        let sent = outputs()
        XCTAssertEqual(sent.count, 2)
        XCTAssertTrue(sent.allSatisfy { $0.contains("auth=U") })
    }

    func testATokenThatHasRunOutIsAskedForOnce() throws {
        fresh(token: "T")
        let write = try machine.set(path("a"), Array("1".utf8), now: now)
        let listen = machine.listen(DatabaseLocation(try path("a")), now: now)
        let expired = Array(#"{"error":"Auth token is expired"}"#.utf8)
        _ = outputs()
        answer(write + 1, 401, String(decoding: expired, as: UTF8.self))
        XCTAssertEqual(outputs(), ["token"])
        machine.receive(
            .streamRefused(listen + 1, TransportResponse(status: 401, headers: [], body: expired)), now: now)
        XCTAssertEqual(outputs(), [])
        machine.setToken("U", now: now)
        XCTAssertEqual(outputs().filter { $0.contains("auth=U") }.count, 2)
    }

    func testAnIllServiceIsLeftAlone() throws {
        fresh()
        let write = try machine.set(path("a"), Array("1".utf8), now: now)
        _ = outputs()
        answer(write + 1, 503, "", [TransportHeader("Retry-After", "20")])
        XCTAssertEqual(machine.nextDeadline, 20_000)
        _ = try machine.set(path("b"), Array("2".utf8), now: now)
        XCTAssertEqual(outputs().filter { $0.contains("PUT") }, [], "new work does not end a pause")
        time = 20_000
        machine.advance(now: now)
        XCTAssertEqual(outputs().filter { $0.contains("PUT") }.count, 1, "the first one, alone")
    }

    func testRedirections() throws {
        fresh(token: "T")
        let write = try machine.set(path("a"), Array("1".utf8), now: now)
        _ = outputs()
        answer(write + 1, 307, "", [TransportHeader("location", "https://shard.example:81/a.json?ns=test")])
        XCTAssertEqual(outputs(), ["\(write + 2) PUT shard.example:81/a.json?ns=test&auth=T 1"])
        // Not off encryption, and not in circles.
        answer(write + 2, 307, "", [TransportHeader("Location", "http://evil.example/a.json")])
        XCTAssertEqual(outputs(), [])
        XCTAssertNotNil(machine.nextDeadline)
        for _ in 0..<5 {
            time = try XCTUnwrap(machine.nextDeadline ?? time)
            machine.advance(now: now)
        }
        var hops = 0
        while let line = outputs().first(where: { $0.contains("PUT") }) {
            XCTAssertTrue(line.contains("db.example") || hops > 0)
            hops += 1
            let id = try XCTUnwrap(UInt64(line.prefix { $0 != " " }))
            answer(id, 307, "", [TransportHeader("Location", "https://circle.example/")])
        }
        XCTAssertEqual(hops, 6)
    }

    func testTransactions() throws {
        fresh()
        let write = try machine.set(path("a/b"), Array("1".utf8), now: now)
        let id = machine.transaction(try path("a"), now: now)
        XCTAssertEqual(outputs().filter { $0.contains("GET") }, [], "a write of the place goes first")
        answer(write + 1, "1")
        let read = try XCTUnwrap(UInt64(try XCTUnwrap(outputs().last).prefix { $0 != " " }))
        answer(read, 200, #"{"b":1}"#, [TransportHeader("ETag", "one")])
        XCTAssertEqual(outputs(), [#"\#(id) transform {"b":1}"#])
        XCTAssertThrowsError(try machine.transformed(id, Array("{".utf8), now: now))
        try machine.transformed(id, Array("2".utf8), now: now)
        guard case .transport(.send(let sent, let put))? = machine.takeOutputs().first else {
            return XCTFail("nothing is sent")
        }
        XCTAssertTrue(sent.headers.contains(TransportHeader("if-match", "one")))
        answer(put, 412, "5", [TransportHeader("etag", "two")])
        XCTAssertEqual(outputs(), ["\(id) transform 5"])
        try machine.transformed(id, Array("6".utf8), now: now)
        answer(put + 1, 200, "6")
        XCTAssertEqual(outputs().last, "\(id) ended 6")
        // Left alone; refused; with an answer that is lost; and never in peace.
        func begin() throws -> (id: UInt64, read: UInt64) {
            let id = machine.transaction(try path("c"), now: now)
            _ = outputs()
            answer(id + 1, 200, "0", [TransportHeader("ETag", "t")])
            _ = outputs()
            return (id, id + 1)
        }
        let left = try begin().id
        try machine.transformed(left, nil, now: now)
        XCTAssertEqual(outputs(), ["\(left) ended left as it is"])
        let refused = machine.transaction(try path("c"), now: now)
        answer(refused + 1, 401, #"{"error":"Permission denied"}"#)
        XCTAssertEqual(outputs().last, "\(refused) ended Permission denied")
        let lost = try begin()
        try machine.transformed(lost.id, Array("1".utf8), now: now)
        let failure = TransportFailure(kind: .timedOut, message: "late")
        machine.receive(.requestFailed(id: lost.read + 1, failure), now: now)
        XCTAssertEqual(outputs().last, "\(lost.id) ended it is not known whether it was done: late")
        let disturbed = try begin()
        var request = disturbed.read
        for _ in 0..<25 {
            try machine.transformed(disturbed.id, Array("1".utf8), now: now)
            request += 1
            answer(request, 412, "2", [TransportHeader("ETag", "n")])
        }
        XCTAssertEqual(outputs().last, "\(disturbed.id) ended others have changed it too often")
        XCTAssertTrue(machine.transactions.isEmpty)
    }

    func testWhatNobodyWaitsForEnds() throws {
        fresh()
        let read = machine.read(DatabaseLocation(try path("a")), now: now)
        let other = machine.read(DatabaseLocation(try path("b")), now: now)
        let transaction = machine.transaction(try path("c"), now: now)
        _ = outputs()
        machine.giveUp(reads: [read], transactions: [transaction], now: now)
        XCTAssertEqual(outputs(), ["\(read + 1) cancel", "\(transaction + 1) cancel"])
        answer(read + 1, 200, "1")
        answer(transaction + 1, 200, "1", [TransportHeader("ETag", "t")])
        XCTAssertEqual(outputs(), [], "what comes all the same is not taken")
        // What is being written is not cut off, nor what the host has.
        let shown = machine.transaction(try path("c"), now: now)
        answer(shown + 1, 200, "1", [TransportHeader("ETag", "t")])
        _ = outputs()
        machine.giveUp(reads: [], transactions: [shown], now: now)
        try machine.transformed(shown, Array("2".utf8), now: now)
        XCTAssertEqual(outputs().count, 1)
        machine.giveUp(reads: [], transactions: [shown], now: now)
        XCTAssertEqual(outputs(), [])
        let offline = machine.transaction(try path("d"), now: now)
        _ = outputs()
        machine.setOnline(false, now: now)
        XCTAssertEqual(outputs(), ["\(offline + 1) cancel", "\(offline) ended there is no network"])
        machine.signOut(now: now)
        XCTAssertEqual(
            outputs(),
            ["\(other + 1) cancel", "\(other) unread signed out", "\(shown) ended signed out"])
    }

    /// What is known is better than no answer, but not where the service has one that is too large.
    func testAnswersThatAreTooLarge() throws {
        fresh()
        try machine.set(path("a"), Array("1".utf8), now: now)
        _ = outputs()
        for (kind, told) in [(TransportFailure.Kind.tooLarge, "unread why"), (.crowded, "read ~ 1")] {
            let read = machine.read(DatabaseLocation(try path("a")), now: now)
            _ = outputs()
            machine.receive(
                .requestFailed(id: read + 1, TransportFailure(kind: kind, message: "why")), now: now)
            XCTAssertEqual(outputs(), ["\(read) \(told)"])
        }
    }

    func testEventsThatNeverEnd() throws {
        fresh()
        var streams: [UInt64] = []
        for name in ["a", "b", "c"] {
            let listen = machine.listen(DatabaseLocation(try path(name)), now: now)
            streams.append(listen + 1)
            machine.receive(.streamOpened(listen + 1), now: now)
        }
        _ = outputs()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 20)
        func feed(_ index: Int, _ count: Int) -> [String] {
            for _ in 0..<count { machine.receive(.streamBytes(streams[index], piece), now: now) }
            return outputs()
        }
        XCTAssertEqual(feed(0, 3) + feed(1, 3) + feed(2, 2), [], "128 MiB together")
        XCTAssertEqual(feed(2, 1), ["\(streams[2]) close", "\(streams[2] - 1) unheard"])
        XCTAssertEqual(feed(1, 1), [], "what it held is gone")
        XCTAssertEqual(
            feed(1, 1), ["\(streams[1]) close", "\(streams[1] - 1) unheard"], "64 MiB alone")
    }

    func testOfflineAndRestored() throws {
        fresh()
        machine.setOnline(false, now: now)
        let listen = machine.listen(DatabaseLocation(try path("a")), now: now)
        XCTAssertEqual(outputs(), ["\(listen) unheard"])
        let write = try machine.set(path("a"), Array(#"{"b":1}"#.utf8), now: now)
        XCTAssertEqual(outputs(), [#"\#(listen) ~ {"b":1}"#])
        let read = machine.read(DatabaseLocation(try path("a")), now: now)
        let other = machine.read(DatabaseLocation(try path("c")), now: now)
        XCTAssertEqual(outputs(), [#"\#(read) read ~ {"b":1}"#, "\(other) unread there is no network"])
        XCTAssertNil(machine.nextDeadline)
        start()
        machine.restore(keep.ordered, now: now)
        XCTAssertEqual(outputs(), [#"\#(write + 1) PUT db.example/a.json?ns=test {"b":1}"#])
        XCTAssertGreaterThan(try machine.set(path("a"), Array("2".utf8), now: now), write)
    }

    /// Each write that is made, told and answered looks into those alone that it shares a place with.
    func testManyWaitingWritesAreNotLaidOverTheValueForEachAnswer() throws {
        for places in [1, 200] {
            fresh()
            let (listen, stream) = try listening("a", #"{"x":{"y":1}}"#)
            let count = 200
            for number in 0..<count {
                try machine.set(path("a/k\(number % places)"), Array("{\"n\":\(number)}".utf8), now: now)
            }
            var told = outputs()
            for number in 0..<count {
                let line = try XCTUnwrap(told.last { $0.contains("PUT") })
                // Half of them are answered before they are told.
                let tell = {
                    self.event(stream, "put", #"{"path":"/k\#(number % places)","data":{"n":\#(number)}}"#)
                }
                if number.isMultiple(of: 2) { tell() }
                answer(try self.number(line), "{\"n\":\(number)}")
                told = outputs()
                if !number.isMultiple(of: 2) { tell() }
                XCTAssertEqual(told.filter { $0.hasPrefix("\(listen) ") } + outputs(), [])
            }
            XCTAssertEqual(machine.queue.pending.count, 0)
            XCTAssertLessThan(machine.listens.laid, 8 * count)
            XCTAssertGreaterThan(machine.listens.laid, count)
        }
    }

    func testALeafThatAWriteBelowItHidComesBack() throws {
        fresh()
        let (listen, _) = try listening("a", #"{"p":5}"#)
        let write = try machine.set(path("a/p/k"), Array("1".utf8), now: now)
        XCTAssertEqual(outputs().first, #"\#(listen) = {"p":{"k":1}}"#)
        answer(write + 1, 400, #"{"error":"no"}"#)
        XCTAssertEqual(outputs(), ["\(write) refused no", #"\#(listen) = {"p":5}"#])
    }
}
