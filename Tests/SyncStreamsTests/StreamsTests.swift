import SyncModel
import XCTest

@testable import SyncStreams

final class StreamsTests: XCTestCase {
    private var world = StreamWorld()

    override func setUp() { world = StreamWorld() }

    private func add(_ id: UInt64, _ rows: (String, String)...) throws {
        let texts = rows.map { "{\"key\":\"\($0.0)\",\"item\":\($0.1)}" }.joined(separator: ",")
        try world.ask(id, "{\"action\":\"add\",\"rows\":[\(texts)]}")
    }

    private func assertNoFaults(_ id: UInt64, line: UInt = #line) {
        XCTAssertEqual(world.shown[id]?.faults, [], line: line)
    }

    // MARK: Batches

    func testChangesOfOneDelayAreOneBatch() throws {
        let id = try world.open(#"{"source":"transient","batch_delay":100}"#)
        world.rest()
        XCTAssertEqual(world.log, ["loaded 1"], "nothing was there, and that is known")
        try add(id, ("b", "1"))
        world.pass(99)
        try add(id, ("a", "1"))
        world.pass(99)
        XCTAssertEqual(world.log, ["loaded 1"], "each change starts the delay again")
        world.pass(1)
        XCTAssertEqual(world.log, ["loaded 1", "batch 1", "done 1", "done 2"], "calls are answered behind the batch")
        XCTAssertEqual(world.keys(id), ["a", "b"])
    }

    func testASourceThatNeverRestsIsToldAfterTheLongestWait() throws {
        let id = try world.open(#"{"source":"transient","batch_delay":100,"batch_max_wait":250}"#)
        world.rest()
        for number in 0..<4 {
            try add(id, ("\(number)", "1"))
            world.pass(70)
        }
        XCTAssertEqual(world.keys(id), ["0", "1", "2", "3"])
        XCTAssertEqual(world.shown[id]?.batches, 1)
    }

    func testWithoutADelayABatchIsToldAtOnce() throws {
        let id = try world.open(#"{"source":"transient"}"#)
        try add(id, ("a", "1"), ("b", "2"))
        XCTAssertEqual(world.log, ["loaded 1", "batch 1", "done 1"])
        XCTAssertNil(world.streams.nextDeadline)
    }

    func testWhatComesAndGoesInOneBatchIsNotTold() throws {
        let id = try world.open(#"{"source":"transient","batch_delay":50}"#)
        try add(id, ("a", "1"))
        try world.ask(id, #"{"action":"remove","keys":["a","unknown"]}"#)
        world.rest()
        XCTAssertEqual(world.shown[id]?.batches, 0)
        XCTAssertEqual(world.replies.values.map(\.status), [.ok, .ok])
    }

    // MARK: The noted defects of the original

    func testAChangeOfTheOrderIsAMove() throws {
        let id = try world.open(#"{"source":"transient","order_by":"n"}"#)
        try add(id, ("a", #"{"n":1}"#), ("b", #"{"n":2}"#), ("c", #"{"n":3}"#))
        world.streams.handle(.add([StreamItem("a", #"{"n":9}"#)]), of: id, call: 99, now: world.now)
        guard case .batch(_, let batch, _)? = world.streams.takeEffects().first else { return XCTFail("no batch") }
        XCTAssertEqual(batch.moved.map { [$0.from, $0.path] }, [[StreamPath(0, 0), StreamPath(0, 2)]])
        XCTAssertTrue(batch.changed.isEmpty && batch.added.isEmpty && batch.deleted.isEmpty)
    }

    func testAChangeThatLeavesARowBetweenItsNeighboursIsNoMove() throws {
        let id = try world.open(#"{"source":"transient","order_by":"n"}"#)
        try add(id, ("a", #"{"n":1}"#), ("b", #"{"n":5}"#), ("c", #"{"n":9}"#))
        world.streams.handle(.add([StreamItem("b", #"{"n":7}"#)]), of: id, call: 99, now: world.now)
        guard case .batch(_, let batch, _)? = world.streams.takeEffects().first else { return XCTFail("no batch") }
        XCTAssertEqual(batch.changed.map(\.path), [StreamPath(0, 1)])
        XCTAssertTrue(batch.moved.isEmpty)
    }

    func testRoomBehindTheLimitIsFilled() throws {
        let id = try world.open(#"{"source":"transient","limit_after_predicate":2}"#)
        try add(id, ("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"))
        XCTAssertEqual(world.keys(id), ["a", "b"])
        try world.ask(id, #"{"action":"remove","keys":["a"]}"#)
        XCTAssertEqual(world.keys(id), ["b", "c"])
        try world.ask(id, #"{"action":"set_limit","limit_after_predicate":null}"#)
        XCTAssertEqual(world.keys(id), ["b", "c", "d"])
        try world.ask(id, #"{"action":"set_limit","limit_after_predicate":0}"#)
        XCTAssertEqual(world.keys(id), [])
        assertNoFaults(id)
    }

    func testAddingAKnownKeyIsAChange() throws {
        let id = try world.open(#"{"source":"transient"}"#)
        try add(id, ("a", "1"))
        try add(id, ("a", "2"))
        XCTAssertEqual(world.shown[id]?.sections, [[.init(key: "a", json: "2")]])
        try add(id, ("a", "2"))
        XCTAssertEqual(world.shown[id]?.batches, 2, "the same once more is nothing")
    }

    func testFetchMoreCompletesAndDoesNotStack() throws {
        let id = try world.open(#"{"source":{"channels":{}},"limit":20,"batch_delay":100}"#)
        XCTAssertEqual(world.opened[id], 20)
        world.feed(id, .put([StreamItem("a", "1", rank: "1")]))
        world.feed(id, .loaded)
        world.rest()
        let first = try world.ask(id, #"{"action":"fetch_more","count":5}"#, kind: .channels)
        let second = try world.ask(id, #"{"action":"fetch_more"}"#, kind: .channels)
        XCTAssertEqual(world.replies[second]?.status, .duplicatedFetch)
        XCTAssertEqual(world.fetches.map(\.count), [5])
        world.feed(id, .put([StreamItem("b", "1", rank: "2")]))
        world.feed(id, .fetched(hasMore: false, short: nil, nil))
        XCTAssertEqual(world.keys(id), ["a", "b"], "told before the call is answered, whatever the delay")
        XCTAssertEqual(world.result(first), #"{"has_more":false}"#)
        let third = try world.ask(id, #"{"action":"fetch_more"}"#, kind: .channels)
        world.feed(id, .fetched(hasMore: true, short: nil, StreamFailure(.network, "no answer")))
        XCTAssertEqual(world.replies[third]?.status, .network)
        XCTAssertEqual(world.replies[third]?.explanation, "no answer")
    }

    func testFetchMoreFromAPlaceAsksUntilEnoughIsThere() throws {
        let id = try world.open(#"{"source":{"database":{"path":"p"}},"limit":2,"batch_delay":null}"#)
        world.feed(id, .put(["a", "b"].map { StreamItem($0, "1") }))
        world.feed(id, .loaded)
        let far = try world.ask(id, #"{"action":"fetch_more","count":2,"start":"g"}"#, kind: .database)
        XCTAssertEqual(world.fetches.map(\.count), [2])
        world.feed(id, .put(["c", "d"].map { StreamItem($0, "1") }))
        world.feed(id, .fetched(hasMore: true, short: nil, nil))
        XCTAssertNil(world.replies[far], "it is not there yet")
        XCTAssertEqual(world.fetches.map(\.count), [2, 4], "twice as many, since none of it is there")
        world.feed(id, .put(["e", "f", "g"].map { StreamItem($0, "1") }))
        world.feed(id, .fetched(hasMore: true, short: nil, nil))
        XCTAssertEqual(world.fetches.map(\.count), [2, 4, 1], "one of two is")
        world.feed(id, .put([StreamItem("h", "1")]))
        world.feed(id, .fetched(hasMore: true, short: nil, nil))
        XCTAssertEqual(world.result(far), #"{"has_more":true}"#)
        let held = try world.ask(id, #"{"action":"fetch_more","count":1,"start":"h"}"#, kind: .database)
        XCTAssertEqual(world.fetches.map(\.count), [2, 4, 1, 0], "only whether there is more")
        world.feed(id, .fetched(hasMore: true, short: nil, nil))
        XCTAssertEqual(world.result(held), #"{"has_more":true}"#)
        let short = try world.ask(id, #"{"action":"fetch_more","start":"z"}"#, kind: .database)
        world.feed(id, .fetched(hasMore: true, short: "offline", nil))
        XCTAssertEqual(world.result(short), #"{"has_more":true,"short":"offline"}"#)
        try world.ask(id, #"{"action":"fetch_more","count":3}"#, kind: .database)
        XCTAssertEqual(world.fetches.map(\.count), [2, 4, 1, 0, 50, 3])
        world.feed(id, .fetched(hasMore: true, short: nil, nil))
        XCTAssertEqual(world.fetches.count, 6, "the start was that of another fetch")
    }

    func testFetchMoreFromWhatIsNoPlaceIsRefused() throws {
        let keys = try world.open(#"{"source":{"database":{"path":"p"}}}"#)
        let ages = try world.open(#"{"source":{"database":{"path":"p"}},"order_by":"age"}"#)
        let own = try world.open(#"{"source":{"database":{"path":"p","order_by":"age"}}}"#)
        for (id, start) in [(keys, "7"), (keys, "{}"), (ages, "[1]"), (own, "7")] {
            let call = try world.ask(id, #"{"action":"fetch_more","start":\#(start)}"#, kind: .database)
            XCTAssertEqual(world.replies[call]?.status, .invalidArgument)
            XCTAssertEqual(world.replies[call]?.explanation?.hasPrefix("$.start: "), true, start)
        }
        XCTAssertTrue(world.fetches.isEmpty)
        XCTAssertThrowsError(try world.ask(keys, #"{"action":"fetch_more","start":7}"#, kind: .messages)) {
            XCTAssertEqual(($0 as? DocumentError)?.path, "$.start")
        }
    }

    // MARK: Loading

    func testLoadedIsToldOnceAfterTheFirstBatch() throws {
        let id = try world.open(#"{"source":{"channels":{}},"batch_delay":10}"#)
        world.feed(id, .put([StreamItem("a", "1", rank: "1")]))
        world.feed(id, .loaded)
        world.feed(id, .loaded)
        world.rest()
        XCTAssertEqual(world.log, ["batch 1", "loaded 1"])
    }

    func testAFailedLoadIsToldAtOnce() throws {
        let id = try world.open(#"{"source":{"channels":{}},"batch_delay":1000}"#)
        world.feed(id, .put([StreamItem("a", "1", rank: "1")]))
        world.feed(id, .failed(StreamFailure(.storage, "disk")))
        XCTAssertEqual(world.log, ["batch 1", "loaded 1: disk"])
    }

    func testAUnionIsLoadedWhenTheLastSourceIsAndKeepsTheFirstFailure() throws {
        let one = try world.open(#"{"source":{"channels":{}},"batch_delay":null}"#)
        let two = try world.open(#"{"source":{"channels":{}},"batch_delay":null}"#)
        let union = try world.open(#"{"source":{"union":[1,2]},"batch_delay":null}"#)
        world.feed(two, .failed(StreamFailure(.network, "two")))
        XCTAssertFalse(world.log.contains { $0.hasPrefix("loaded \(union)") })
        world.feed(one, .loaded)
        XCTAssertEqual(world.log.filter { $0.hasPrefix("loaded \(union)") }, ["loaded 3: two"])
    }

    // MARK: Union and partition

    func testAUnionKeepsTheFirstOrderAndTheFirstRow() throws {
        let one = try world.open(#"{"source":"transient","order_by":"n","descending":true}"#)
        let two = try world.open(#"{"source":"transient"}"#)
        let union = try world.open(#"{"source":{"union":[1,2]},"batch_delay":null}"#)
        try add(two, ("a", #"{"n":1}"#), ("b", #"{"n":5}"#))
        XCTAssertEqual(world.log.suffix(3), ["batch 2", "batch 3", "done 1"], "a call is answered behind what it did")
        try add(one, ("c", #"{"n":3}"#), ("b", #"{"n":4}"#))
        XCTAssertEqual(world.keys(union), ["b", "c", "a"])
        XCTAssertEqual(world.shown[union]?.sections[0].first?.json, #"{"n":4}"#)
        try world.ask(one, #"{"action":"remove","keys":["b"]}"#)
        XCTAssertEqual(world.shown[union]?.sections[0].first?.json, #"{"n":5}"#, "the other one's shows up")
        assertNoFaults(union)
    }

    func testARowThatChangesItsSectionMoves() throws {
        let rows = try world.open(#"{"source":"transient"}"#)
        let partition = try world.open(
            #"""
            {"source":{"partition":{"stream":1,"titles":["organizers","participants"],
            "rule":[{"==":["is_organizer",true]},true]}}}
            """#)
        try add(rows, ("a", #"{"is_organizer":true}"#), ("b", "{}"), ("c", "{}"))
        XCTAssertEqual(world.shown[partition]?.sections.map { $0.map(\.key) }, [["a"], ["b", "c"]])
        world.streams.handle(.add([StreamItem("b", #"{"is_organizer":true}"#)]), of: rows, call: 9, now: world.now)
        let batches = world.streams.takeEffects().compactMap { effect -> StreamBatch? in
            if case .batch(partition, let batch, _) = effect { batch } else { nil }
        }
        XCTAssertEqual(batches.first?.moved.map { [$0.from, $0.path] }, [[StreamPath(1, 0), StreamPath(0, 1)]])
    }

    func testSeveralRowsLeaveAPartitionTogether() throws {
        let rows = try world.open(#"{"source":"transient"}"#)
        let partition = try world.open(#"{"source":{"partition":{"stream":1,"titles":["x","y"],"rule":"t"}}}"#)
        try add(
            rows, ("a", #"{"t":"x"}"#), ("b", #"{"t":"y"}"#), ("c", #"{"t":"x"}"#), ("d", #"{"t":1}"#),
            ("e", #"{"t":"x"}"#), ("f", #"{"t":2}"#))
        try world.ask(rows, #"{"action":"remove","keys":["a","c","d"]}"#)
        XCTAssertEqual(world.shown[partition]?.sections.map { $0.map(\.key) }, [["e"], ["b"]])
        assertNoFaults(partition)
    }

    func testAStreamThatOthersAreMadeOfLivesOnWhenItIsClosed() throws {
        let list = try world.open(#"{"source":{"channels":{}},"batch_delay":null}"#)
        let union = try world.open(#"{"source":{"union":[1]},"batch_delay":null}"#)
        world.close(list)
        XCTAssertEqual(world.closed, [])
        world.feed(list, .put([StreamItem("a", "1", rank: "1")]))
        XCTAssertEqual(world.keys(union), ["a"])
        world.close(union)
        XCTAssertEqual(world.closed, [list])
        let late = try world.open(#"{"source":{"union":[1]}}"#)
        world.rest()
        XCTAssertEqual(world.log.last, "loaded \(late): a stream that this one is made of was removed")
    }

    func testAClosedStreamAnswersWhatWaits() throws {
        let id = try world.open(#"{"source":"transient","batch_delay":100}"#)
        try add(id, ("a", "1"))
        world.close(id)
        XCTAssertEqual(world.replies[1]?.status, .removed)
    }

    // MARK: Looking

    func testFindItemSliceAndNeighbours() throws {
        let id = try world.open(#"{"source":"transient","order_by":"n","section":3}"#)
        try add(id, ("a", #"{"n":1}"#), ("b", #"{"n":3}"#), ("c", #"{"n":5}"#))
        let cases: [(String, String)] = [
            (#"{"action":"find","key":"b"}"#, #"{"path":[3,1],"key":"b","item":{"n":3}}"#),
            (#"{"action":"find","key":"x"}"#, "null"),
            (#"{"action":"item","path":[3,2]}"#, #"{"path":[3,2],"key":"c","item":{"n":5}}"#),
            (#"{"action":"item","path":[0,2]}"#, "null"), (#"{"action":"item","path":[3,3]}"#, "null"),
            (#"{"action":"slice","section":3,"from":2,"count":9}"#, #"[{"path":[3,2],"key":"c","item":{"n":5}}]"#),
            (#"{"action":"slice","section":3,"from":7,"count":9}"#, "[]"),
            (#"{"action":"first_after","key":"x","item":{"n":3}}"#, #"{"path":[3,2],"key":"c","item":{"n":5}}"#),
            (#"{"action":"first_after","key":"A","item":{"n":3}}"#, #"{"path":[3,1],"key":"b","item":{"n":3}}"#),
            (#"{"action":"first_after","key":"b"}"#, #"{"path":[3,2],"key":"c","item":{"n":5}}"#),
            (#"{"action":"first_after","key":"c"}"#, "null"),
            (#"{"action":"last_before","key":"b"}"#, #"{"path":[3,0],"key":"a","item":{"n":1}}"#),
            (#"{"action":"last_before","key":"a"}"#, "null"),
            (#"{"action":"last_before","key":"x","item":{"n":99}}"#, #"{"path":[3,2],"key":"c","item":{"n":5}}"#),
        ]
        for (request, wanted) in cases {
            let call = try world.ask(id, request)
            XCTAssertEqual(world.result(call), wanted, request)
        }
    }

    func testStartAndEndAreInTheDirectionOfTheList() throws {
        let up = try world.open(#"{"source":"transient","order_by":"n","start":2,"end":4}"#)
        let down = try world.open(#"{"source":"transient","order_by":"n","descending":true,"start":4,"end":2}"#)
        let keys = try world.open(#"{"source":"transient","start":"9","end":"b"}"#)
        for id in [up, down] {
            try add(id, ("a", #"{"n":1}"#), ("b", #"{"n":2}"#), ("c", #"{"n":4}"#), ("d", #"{"n":5}"#), ("e", "{}"))
        }
        XCTAssertEqual(world.keys(up), ["b", "c"])
        XCTAssertEqual(world.keys(down), ["c", "b"])
        try add(keys, ("10", "1"), ("8", "1"), ("a", "1"), ("b", "1"), ("c", "1"))
        XCTAssertEqual(world.keys(keys), ["10", "a", "b"], "keys that are numbers come first, by their value")
    }

    // MARK: The host's functions

    private final class Function: RowFunction {
        func value(of item: StreamItem) -> Int { ["1": 1, "2": 7][String(decoding: item.json, as: UTF8.self)] ?? 0 }
    }

    func testTheHostMayDecide() throws {
        let shown = try world.open(#"{"source":"transient","predicate":"$host"}"#, Function())
        try add(shown, ("a", "0"), ("b", "1"))
        XCTAssertEqual(world.keys(shown), ["b"])
        try world.ask(shown, #"{"action":"set_predicate","predicate":null}"#)
        XCTAssertEqual(world.keys(shown), ["a", "b"])
        try add(shown, ("c", "2"))
        let partition = try world.open(
            #"{"source":{"partition":{"stream":1,"titles":["x","y"],"rule":"$host"}}}"#, Function())
        XCTAssertEqual(world.shown[partition]?.sections.map { $0.map(\.key) }, [["a"], ["b"]], "7 is no section")
        let plain = try world.open(#"{"source":"transient"}"#)
        let call = try world.ask(plain, #"{"action":"set_predicate","predicate":"$host"}"#)
        XCTAssertEqual(world.replies[call]?.status, .invalidArgument)
    }

    // MARK: Refusals

    func testWhatIsRefusedAndWhere() {
        let specs: [(String, String)] = [
            ("[]", "$"), ("{}", "$.source"), (#"{"source":"rows"}"#, "$.source"),
            (#"{"source":"transient","sauce":1}"#, "$.sauce"),
            (#"{"source":{"database":"a/b"}}"#, "$.source.database"),
            (#"{"source":{"channels":{"limit":0}}}"#, "$.source.channels.limit"),
            (#"{"source":{"messages":{}}}"#, "$.source.messages.channel_url"),
            (#"{"source":{"messages":{"channel_url":"c","filter":{"x":1}}}}"#, "$.source.messages.filter.x"),
            (#"{"source":{"union":[]}}"#, "$.source.union"), (#"{"source":{"union":[1,1]}}"#, "$.source.union[1]"),
            (#"{"source":{"partition":{"stream":1,"titles":["a","a"],"rule":"x"}}}"#, "$.source.partition.titles"),
            (#"{"source":{"partition":{"stream":1,"titles":["a"],"rule":[]}}}"#, "$.source.partition.rule"),
            (#"{"source":{"partition":{"stream":1,"titles":["a"],"rule":[{"x":1}]}}}"#, "$.source.partition.rule[0].x"),
            (#"{"source":{"partition":{"stream":1,"titles":["a"],"rule":"a"}},"order_by":"x"}"#, "$.order_by"),
            (#"{"source":{"union":[1]},"descending":true}"#, "$.descending"),
            (#"{"source":"transient","limit":5}"#, "$.limit"),
            (#"{"source":"transient","order_by":"$source"}"#, "$.order_by"),
            (#"{"source":{"channels":{}},"start":1}"#, "$.start"),
            (#"{"source":"transient","start":1}"#, "$.start"),
            (#"{"source":"transient","order_by":"a","end":[]}"#, "$.end"),
            (#"{"source":"transient","batch_delay":-1}"#, "$.batch_delay"),
            (#"{"source":"transient","predicate":{"==":["a"]}}"#, #"$.predicate["=="]"#),
            (#"{"source":"transient","delivery":"pigeon"}"#, "$.delivery"),
        ]
        for (text, path) in specs {
            XCTAssertThrowsError(try StreamSpec(parsing: Array(text.utf8)), text) { error in
                XCTAssertEqual((error as? DocumentError)?.path, path, text)
            }
        }
        let requests: [(String, StreamSource.Kind, String)] = [
            ("{}", .transient, "$.action"), (#"{"action":"jump"}"#, .transient, "$.action"),
            (#"{"action":"add","rows":[]}"#, .channels, "$.action"),
            (#"{"action":"fetch_more"}"#, .union, "$.action"),
            (#"{"action":"first_after","key":"a"}"#, .partition, "$.action"),
            (#"{"action":"add"}"#, .transient, "$.rows"),
            (#"{"action":"add","rows":[{"key":"a"}]}"#, .transient, "$.rows[0].item"),
            (#"{"action":"add","rows":[{"key":"","item":1}]}"#, .transient, "$.rows[0].key"),
            (#"{"action":"find","key":"a","keys":[]}"#, .union, "$.keys"),
            (#"{"action":"item","path":[0]}"#, .union, "$.path"),
            (#"{"action":"set_predicate","predicate":{"in":["a",1]}}"#, .union, "$.predicate.in[1]"),
        ]
        for (text, kind, path) in requests {
            XCTAssertThrowsError(try StreamRequest(parsing: Array(text.utf8), for: kind), text) { error in
                XCTAssertEqual((error as? DocumentError)?.path, path, text)
            }
        }
    }

    // MARK: Ranks

    func testRanksStayInOrderAndShort() {
        var ranks = Rank.between(nil, nil, count: 3)
        for round in 0..<300 {
            let index = [0, ranks.count, ranks.count / 2, 1][round % 4]
            let new = Rank.between(
                index > 0 ? ranks[index - 1] : nil, index < ranks.count ? ranks[index] : nil, count: 1 + round % 7)
            ranks.insert(contentsOf: new, at: index)
        }
        XCTAssertEqual(ranks, ranks.sorted())
        XCTAssertEqual(Set(ranks).count, ranks.count)
        let page = Rank.between("8000000000000000", "8000000000000001", count: 10_000)
        XCTAssertEqual(page, page.sorted())
        XCTAssertLessThanOrEqual(page.map(\.utf8.count).max() ?? 0, 16 + 16, "the logarithm of the count")
    }
}
