import SyncModel
import XCTest

@testable import SyncEngine
@testable import SyncStore

/// Search of the cache by an engine.
final class SearchTests: EngineTestCase {
    private typealias T = EngineTestCase

    private func found(_ id: UInt64) -> [String] {
        engine.searchWindows.first { $0.id == .host(id) }?.window.rows.reversed().map(\.id.text) ?? []
    }

    private func search(_ id: UInt64, _ query: SearchQuery) -> CallID {
        command(.post(.openSearchCollection(id: .host(id), query: query)))
        let call = newCall()
        command(.call(call, .fetch(collection: .host(id), direction: .next)))
        return call
    }

    /// FTS5 takes two thousand parts at most, and slices may be as small as a message.
    func testManySmallSlicesAreMerged() throws {
        start {
            $0.searches = true
            $0.cacheSliceRows = 1
        }
        let channel = try cache.channels.key("a")
        try cache.upsert((1...5000).map { T.message($0, in: "a", text: "word \($0)") }, channel: channel)
        var query = SearchQuery("word")
        query.limit = 3
        let call = search(1, query)
        wait(20_000)
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(found(1), ["a/5000", "a/4999", "a/4998"])
        XCTAssertFalse(host.events.contains { if case .client(.storageError) = $0 { true } else { false } })
    }

    /// A live list is bounded in bytes, too: what was fetched stays, and what came since leaves at its end.
    func testALiveListIsBoundedInBytes() throws {
        start {
            $0.searches = true
            $0.messageCollectionCapacity = 200
        }
        let channel = try cache.channels.key("a")
        try cache.upsert((1...9).map { T.message($0, in: "a", text: "word") }, channel: channel)
        var query = SearchQuery("word")
        query.limit = 3
        let call = search(1, query)
        wait(1_000)
        XCTAssertEqual(host.status(call), .ok)
        // 200 times 32 KiB are six and a half of these.
        let long = "word " + String(repeating: "x", count: 1_000_000)
        for number in Int64(10)...20 {
            try cache.upsert([T.message(number, in: "a", text: long)], channel: channel)
            command(.post(.setForeground(true)))
            wait(100)
        }
        XCTAssertEqual(found(1), (15...20).reversed().map { "a/\($0)" })
        let more = newCall()
        command(.call(more, .fetch(collection: .host(1), direction: .next)))
        wait(1_000)
        XCTAssertEqual(host.status(more), .ok)
        XCTAssertEqual(found(1), (12...20).reversed().map { "a/\($0)" })
    }

    /// However an index is damaged, a fetch ends, and the index is made again.
    func testADamagedIndexIsMadeAgain() throws {
        for damage in [
            "UPDATE search_range SET high = -9223372036854775807", "DELETE FROM search_found_data WHERE id > 10",
            "DELETE FROM search_found_idx", "UPDATE search_place SET row = -row",
        ] {
            try tearDownAndSetUp()
            start { $0.searches = true }
            let channel = try cache.channels.key("a")
            try cache.upsert((1...50).map { T.message($0, in: "a", text: "word") }, channel: channel)
            command(.post(.setForeground(true)))
            wait(2_000)
            try cache.connection.execute(damage)
            try cache.upsert((51...60).map { T.message($0, in: "a", text: "word") }, channel: channel)
            let first = search(1, SearchQuery("word"))
            wait(100)
            XCTAssertNotNil(host.status(first), damage)
            wait(120_000)
            let second = search(2, SearchQuery("word"))
            wait(2_000)
            XCTAssertEqual(host.status(second), .ok, damage)
            XCTAssertEqual(found(2).first, "a/60", damage)
            XCTAssertEqual(found(2).count, 20, damage)
        }
    }

    /// Of more than can be looked at one by one, the list is filled again. Each of what goes is a part of the index.
    func testAListIsFilledAgainBehindMuch() throws {
        start { $0.searches = true }
        let channel = try cache.channels.key("a")
        let messages = (1...12_000 as ClosedRange<Int64>).map { T.message($0, in: "a", text: "word \($0)") }
        try cache.upsert(messages, channel: channel)
        var query = SearchQuery("word")
        query.limit = 3
        _ = search(1, query)
        wait(2_000)
        try cache.deleteMessages(ids: messages.suffix(11_000).map(\.id), channel: channel)
        // Any input: it is looked at behind it.
        command(.post(.setForeground(true)))
        wait(2_000)
        XCTAssertEqual(found(1), ["a/1000", "a/999", "a/998"])
    }
}
