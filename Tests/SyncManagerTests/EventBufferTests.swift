import SyncJSON
import SyncModel
import SyncTree
import TestSupport
import XCTest

@testable import SyncEngine
@testable import SyncManager
@testable import SyncStore

/// What a host that lags is told, with the test as engine and host.
final class EventBufferTests: XCTestCase {
    // MARK: Bounds

    func testResultsAreNeverDroppedAndProgressIsTheFirstToGo() {
        let host = BufferedHost(limit: 16, collections: 1)
        for id in 1...20 { host.engine.insert(id, into: 1) }
        host.buffer.push(.completion(Completion(call: 7, name: .fetch, status: .ok)), time: 0)
        let progress = SyncProgress(channelURL: "c", done: 1, isComplete: false)
        host.buffer.push(.event(.client(.syncProgress(progress))), time: 0)
        host.buffer.push(.event(.client(.closed)), time: 0)
        host.isEngineAnswering = false
        var types: [String] = []
        while let event = host.takeOne() { types.append(event["type"]?.string ?? "") }
        XCTAssertEqual(types, Array(repeating: "change", count: 16) + ["result", "closed"])
    }

    /// What is told of a channel in slices is one event for a host that lags.
    func testWhatWentOfAChannelIsSummedUp() {
        let host = BufferedHost(limit: 16, collections: 1)
        func trim(_ url: ChannelURL, _ messages: Int64, _ bytes: Int64) {
            host.buffer.push(
                .event(.client(.cacheTrimmed(channelURL: url, messages: messages, bytes: bytes))), time: 0)
        }
        trim("a", 1, 10)
        trim("b", 2, 20)
        trim("a", 3, 30)
        XCTAssertEqual(host.takeOne()?["messages"]?.int, 4)
        trim("a", 5, 50)
        let told = (0..<2).map { _ in host.takeOne() }
        XCTAssertEqual(told.map { $0?["channel_url"]?.string }, ["b", "a"])
        XCTAssertEqual(told.map { $0?["bytes"]?.int }, [20, 50])
        XCTAssertNil(host.takeOne())
        for id in 1...20 { host.engine.insert(id, into: 1) }
        trim("c", 1, 1)
        host.isEngineAnswering = false
        while let event = host.takeOne() { XCTAssertEqual(event["type"]?.string, "change") }
    }

    /// Each version of a value that changes faster than the host drains would stand before the results of calls.
    func testOfALargeValueTheLatestWaits() {
        let host = BufferedHost(limit: 10_000, collections: 1)
        let large = String(repeating: "x", count: 1 << 20)
        for number in 0..<10 {
            let value = TreeNode(.text("\(number) \(large)"))
            host.buffer.push(.event(.client(.database(.value(listen: 7, value, isCurrent: true)))), time: 0)
            host.buffer.push(.event(.client(.database(.value(listen: 8, value, isCurrent: true)))), time: 0)
            host.buffer.push(
                .event(.client(.database(.value(listen: 9, TreeNode(.integer(1)), isCurrent: true)))), time: 0)
        }
        var values: [String] = []
        while let event = host.takeOne() {
            values.append("\(event["listen"]?.int ?? 0) \(event["value"]?.string?.prefix(1) ?? "")")
        }
        XCTAssertEqual(values, ["7 9", "8 9"] + Array(repeating: "9 ", count: 10))
    }

    /// A value whose first children are large and whose others are small is estimated too high. Memory is taken by
    /// what it has.
    func testTheRoomOfATextIsNoEstimate() {
        let large = TreeNode(.text(String(repeating: "x", count: 10_000)))
        let value = TreeNode(
            (0..<20_000).map { TreeChild(key: TreeKey(index: $0), node: $0 < 256 ? large : TreeNode(.integer(1))) })
        XCTAssertGreaterThan(value.estimatedBytes, 100 << 20)
        let room = EventText.room(for: .event(.client(.database(.value(listen: 7, value, isCurrent: true)))))
        XCTAssertLessThan(room, 8 << 20)
        XCTAssertGreaterThan(room, 256 * 10_000)
    }

    /// Few events can be much to keep: of values the latest waits, and of large changes none is told any more.
    func testWhatWaitsIsBoundedByItsSizeToo() {
        let host = BufferedHost(limit: 10_000, collections: 1)
        let large = String(repeating: "x", count: 1 << 19)
        for number in 0..<200 {
            let value = TreeNode(.text("\(number) \(large)"))
            host.buffer.push(.event(.client(.database(.value(listen: 7, value, isCurrent: true)))), time: 0)
        }
        for id in 1...20 { host.engine.insert(id, into: 1) }
        host.buffer.push(.event(.client(.closed)), time: 0)
        var values: [String] = []
        var types: Set<String> = []
        while let event = host.takeOne() {
            types.insert(event["type"]?.string ?? "")
            if let value = event["value"]?.string { values.append(String(value.prefix { $0 != " " })) }
        }
        XCTAssertEqual(values, (0..<63).map { "\($0)" } + ["199"])
        XCTAssertTrue(types.contains("overflow"), "\(types)")
        XCTAssertFalse(host.shownIsWrong)
        XCTAssertEqual(host.faults, [])
    }

    /// Without room, of what is a state only the latest is told; nothing of it is lost and nothing piles up.
    func testOfStatesTheLatestIsToldWhereThereIsNoRoom() {
        let host = BufferedHost(limit: 16, collections: 1)
        for id in 1...16 { host.engine.insert(id, into: 1) }
        for number in 0..<1000 {
            let isEven = number % 2 == 0
            host.buffer.push(.event(.client(.connection(isEven ? .connecting : .waiting, retryIn: nil))), time: 0)
            host.buffer.push(.event(.client(.syncState(isEven ? .running : .idle))), time: 0)
            host.buffer.push(.event(.client(.storageError(message: "\(number)"))), time: 0)
            let value = DatabaseNotice.value(listen: isEven ? 7 : 8, TreeNode(.integer(Int64(number))), isCurrent: true)
            host.buffer.push(.event(.client(.database(value))), time: 0)
            host.buffer.push(.event(.client(.database(.tokenNeeded))), time: 0)
            host.buffer.push(.event(.collection(1, .hugeGap)), time: 0)
            host.buffer.push(.event(.collection(1, .channelRemoved(url: "\(number)", Cause(.sync)))), time: 0)
        }
        host.isEngineAnswering = false
        var events: [JSON] = []
        while let event = host.takeOne() { events.append(event) }
        let rest = events.dropFirst(16)
        XCTAssertEqual(
            rest.map { $0["type"]?.string },
            [
                "connection", "sync_state", "storage_error", "database_value", "database_token_needed", "huge_gap",
                "channel_removed", "database_value",
            ])
        XCTAssertEqual(rest.compactMap { $0["listen"]?.int }, [7, 8])
        XCTAssertEqual(rest.compactMap { $0["value"]?.int }, [998, 999])
        XCTAssertEqual(
            rest.compactMap { ($0["state"] ?? $0["message"] ?? $0["channel_url"])?.string },
            ["waiting", "idle", "999", "999"])
        // With room each is told.
        host.buffer.push(.event(.client(.syncState(.running))), time: 0)
        host.buffer.push(.event(.client(.syncState(.idle))), time: 0)
        XCTAssertNotNil(host.takeOne())
        XCTAssertNotNil(host.takeOne())
    }

    /// What is lost is told once: no later failure takes its place.
    func testWhatIsLostIsToldWhereThereIsNoRoom() {
        let host = BufferedHost(limit: 16, collections: 1)
        var lost = LostIntents()
        lost.add(.message(channelURL: "c", requestID: "r"))
        host.buffer.push(.event(.client(.storageError(message: "lost", lost: lost))), time: 0)
        for id in 1...16 { host.engine.insert(id, into: 1) }
        for number in 0..<10 {
            host.buffer.push(.event(.client(.storageError(message: "\(number)"))), time: 0)
        }
        host.isEngineAnswering = false
        var messages: [String] = []
        while let event = host.takeOne() {
            if event["type"]?.string == "storage_error" { messages.append(event["message"]?.string ?? "") }
        }
        XCTAssertEqual(messages, ["lost", "9"])
    }

    // MARK: Resync

    /// Issue 7 §1.1: B begins to lag after the resync of A was asked for and before A's `overflow` comes.
    func testACollectionThatBeginsToLagWhileAnotherIsResynced() throws {
        let host = BufferedHost(limit: 16, collections: 1, 2)
        host.isEngineAnswering = false
        for id in 1...100 { host.engine.insert(id, into: 1) }
        while host.engine.asked.isEmpty { XCTAssertNotNil(host.takeOne()) }
        XCTAssertEqual(host.engine.asked.map { Array($0.keys) }, [[1]])
        for id in 101...160 { host.engine.insert(id, into: 2) }
        host.isEngineAnswering = true
        host.drain()
        XCTAssertEqual(host.shown(1), host.engine.lists[1])
        XCTAssertEqual(host.shown(2), host.engine.lists[2])
        XCTAssertEqual(try host.snapshot(2), host.engine.lists[2])
    }

    func testOverflowSaysHowManyEventsWereDroppedUpToTheFullLists() {
        let host = BufferedHost(limit: 16, collections: 1)
        host.isEngineAnswering = false
        for id in 1...20 { host.engine.insert(id, into: 1) } // the last four find no room
        while host.engine.asked.isEmpty { XCTAssertNotNil(host.takeOne()) }
        XCTAssertEqual(host.engine.asked, [[1: 4]])
        host.engine.insert(21, into: 1) // before the engine answers
        host.isEngineAnswering = true
        var dropped: Int64?
        while let event = host.takeOne() {
            if event["type"]?.string == "overflow" { dropped = event["dropped"]?.int }
        }
        XCTAssertEqual(dropped, 5)
        XCTAssertEqual(host.shown(1), host.engine.lists[1])
    }

    /// Full lists are taken in whatever else fills the buffer.
    func testFullListsFindRoom() {
        let host = BufferedHost(limit: 16, collections: 1, 2)
        host.isEngineAnswering = false
        for id in 1...20 { host.engine.insert(id, into: 1) }
        while host.engine.asked.isEmpty { XCTAssertNotNil(host.takeOne()) }
        for id in 100..<200 { host.engine.insert(id, into: 2) }
        host.isEngineAnswering = true
        host.drain()
        XCTAssertEqual(host.shown(1), host.engine.lists[1])
        XCTAssertEqual(host.shown(2), host.engine.lists[2])
    }

    func testACollectionRemovedWhileItLagsIsNotToldOfAgain() {
        let host = BufferedHost(limit: 16, collections: 1, 2)
        host.isEngineAnswering = false
        for id in 1...40 { host.engine.insert(id, into: 1) }
        while host.engine.asked.isEmpty { XCTAssertNotNil(host.takeOne()) }
        host.remove(1)
        host.isEngineAnswering = true
        host.engine.insert(1000, into: 2)
        host.drain()
        XCTAssertEqual(host.shown(2), host.engine.lists[2])
        XCTAssertNil(host.buffer.snapshot(of: 1))
    }

    /// Random pushes, drains, removals and late answers over several collections with small limits. Once everything is
    /// drained, each collection shows what the engine holds; nothing is told of one that was removed.
    func testOnceDrainedEveryCollectionShowsWhatTheEngineHolds() throws {
        for seed in 1...150 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let host = BufferedHost(limit: 16 + random.below(3) * 8)
            var next = 0
            var open: UInt64 = 0
            for _ in 0..<300 {
                switch random.below(20) {
                case 0 where host.engine.lists.count < 5:
                    open += 1
                    host.open(.host(open))
                case 1 where random.below(4) == 0:
                    if let id = host.engine.lists.keys.sorted().first { host.remove(id) }
                case 2: host.isEngineAnswering.toggle()
                case 3: host.buffer.push(.completion(Completion(call: 1, name: .connect, status: .ok)), time: 0)
                case 4...6: for _ in 0..<random.below(30) { _ = host.takeOne() }
                default:
                    guard let id = host.engine.lists.keys.sorted().randomElement(using: &random) else { continue }
                    for _ in 0..<random.below(20) {
                        next += 1
                        host.engine.changeAtRandom(id, item: next, &random)
                    }
                }
            }
            host.isEngineAnswering = true
            host.drain()
            for (id, items) in host.engine.lists {
                XCTAssertEqual(host.shown(id), items, "collection \(id), seed \(seed)")
                XCTAssertEqual(try host.snapshot(id), items, "snapshot of \(id), seed \(seed)")
            }
            XCTAssertEqual(host.faults, [], "seed \(seed)")
            if host.shownIsWrong { return }
        }
    }

    /// An earlier question about a full cache is not waited for any more.
    func testOfQuestionsTheLatestWaits() {
        let host = BufferedHost(limit: 16, collections: 1)
        for id in 1...20 { host.engine.insert(id, into: 1) }
        let usage = ChannelUsage(messages: 2, bytes: 3, usedAt: 4)
        for bytes in Int64(1)...2 {
            let candidate = CacheFull.Candidate(channelURL: "c", usage: usage)
            let full = CacheFull(bytes: bytes, candidates: [candidate], others: 0)
            host.buffer.push(.event(.client(.cacheFull(full))), time: 0)
        }
        host.isEngineAnswering = false
        var told: [JSON] = []
        while let event = host.takeOne() { if event["type"]?.string == "cache_full" { told.append(event) } }
        XCTAssertEqual(told.map { $0["bytes_to_free"]?.int }, [2])
        let first = told.first?["candidates"]?.array?.first
        XCTAssertEqual(first?["channel_url"]?.string, "c")
        XCTAssertEqual(["messages", "bytes", "used_at"].map { first?[$0]?.int }, [2, 3, 4])
    }
}
