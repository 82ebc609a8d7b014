import Foundation
import SyncModel
import TestSupport
import XCTest

@testable import SyncStore

final class ChannelTests: XCTestCase {
    private func channel(
        _ url: String, name: String = "", createdAt: Int64 = 1, last: Int64? = nil, topic: String? = nil,
        isHidden: Bool = false
    ) throws -> ChannelRecord {
        var object: [String: Any] = [
            "channel_url": url, "name": name, "created_at": createdAt, "is_hidden": isHidden,
            "metadata": topic.map { ["topic": $0] } ?? [:],
        ]
        object["last_message"] = last.map { ["message_id": 1, "created_at": $0] } ?? NSNull()
        let json = try JSONSerialization.data(withJSONObject: object)
        return try XCTUnwrap(ChannelRecord(json: Array(json)))
    }

    private func query(_ order: ChannelQuery.Order) -> ChannelQuery {
        var query = ChannelQuery()
        query.order = order
        if order == .metadataValueAlphabetical { query.metadataOrderKey = "topic" }
        return query
    }

    /// From the start and from behind every channel, at several page sizes: what sorting all of them gives. Among them
    /// are ties, empty names and texts, and texts whose letters are the same in other scalars.
    func testListsAreThoseOfAPlainSort() throws {
        let texts = ["", "a", "b", "B", "é", "e\u{301}", "中", "🙂", "'"]
        for seed in 1...3 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let folder = try Folder()
            let store = try CacheStore(directory: folder.path, now: 0)
            let all = try (0..<60).map { index in
                try channel(
                    "u\(index % 2 == 0 ? "é" : "e\u{301}")\(index / 2)",
                    name: texts.randomElement(using: &random) ?? "",
                    createdAt: .random(in: -2...3, using: &random),
                    last: Bool.random(using: &random) ? .random(in: -3000...4000, using: &random) / 1000 * 1000 : nil,
                    topic: Bool.random(using: &random) ? texts.randomElement(using: &random) : nil,
                    isHidden: .random(in: 0...4, using: &random) == 0)
            }
            // Before that each was another one: in its name, its last message, or neither.
            try store.channels.upsert(try all.shuffled(using: &random).map { now in
                try channel(
                    now.url.text, name: Bool.random(using: &random) ? now.name : "z",
                    createdAt: Bool.random(using: &random) ? now.createdAt / 1000 : 9,
                    last: Bool.random(using: &random) ? now.lastMessage?.position.order : 9_000, topic: "before")
            })
            try store.channels.upsert(all.shuffled(using: &random))
            for channel in all { XCTAssertEqual(try store.channels.channel(channel.url), channel) }
            for order in ChannelQuery.Order.allCases {
                let query = query(order)
                let sorted = all.sorted { query.areInIncreasingOrder($0, $1) }
                for limit in [1, 7, 60, 100] {
                    XCTAssertEqual(
                        try store.channels.matching(query: query, userID: "me", after: nil, limit: limit).map(\.url),
                        sorted.filter { !$0.isHidden }.prefix(limit).map(\.url), "seed \(seed), \(order)")
                    for (index, cursor) in sorted.enumerated() {
                        XCTAssertEqual(
                            try store.channels.matching(query: query, userID: "me", after: cursor, limit: limit)
                                .map(\.url),
                            sorted[(index + 1)...].filter { !$0.isHidden }.prefix(limit).map(\.url),
                            "seed \(seed), \(order) after \(index)")
                    }
                }
                XCTAssertEqual(try store.channels.matching(query: query, userID: "me", after: nil, limit: 0), [])
            }
        }
    }

    /// The last channel shown may be gone or have moved; its place in the order is what counts.
    func testListGoesOnBehindAChannelThatIsGone() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let all = try (0..<9).map { try channel("u\($0)", name: "n\($0 / 3)", createdAt: Int64($0 / 3), last: 5) }
        try store.channels.upsert(all)
        try store.channels.delete("u4")
        for order in ChannelQuery.Order.allCases {
            let query = query(order)
            let behind = all.filter { $0.url != "u4" && query.areInIncreasingOrder(all[4], $0) }
            XCTAssertEqual(
                try store.channels.matching(query: query, userID: "me", after: all[4], limit: 100).map(\.url),
                behind.sorted { query.areInIncreasingOrder($0, $1) }.map(\.url), "\(order)")
        }
    }

    func testUpsertReplacesAndMoves() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try store.channels.upsert([try channel("a", name: "x", last: 1), try channel("b", name: "y", last: 2)])
        let moved = try channel("a", name: "z", last: 3)
        try store.channels.upsert([moved])
        XCTAssertEqual(try store.channels.channel("a"), moved)
        XCTAssertEqual(try store.channels.urls().count, 2)
        let orders = [(ChannelQuery.Order.latestLastMessage, ["a", "b"]), (.channelNameAlphabetical, ["b", "a"])]
        for (order, urls) in orders {
            XCTAssertEqual(
                try store.channels.matching(query: query(order), userID: "me", after: nil, limit: 9)
                    .map(\.url.text), urls)
        }
    }

    func testDeletedChannelTakesItsMessagesAlong() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try store.channels.upsert([try channel("a"), try channel("b")])
        let (a, b) = (try store.channels.key("a"), try store.channels.key("b"))
        let position = MessagePosition(order: 1, tie: 1)
        for (index, key) in [a, b].enumerated() {
            try store.upsert([message(Int64(index), at: 1)], channel: key)
            try store.chunks.set(channel: key, [StoredChunk(start: position, end: position, reachedFirst: true)])
            try store.setValue("messages.changes.\(key)", "x")
        }
        store.close()
        // In a new process, which has not seen the channel's key yet.
        let later = try CacheStore(directory: folder.path, now: 0)
        try later.channels.delete("a")
        try later.channels.delete("never seen")
        XCTAssertNil(try later.channels.channel("a"))
        XCTAssertEqual(try later.messageCount(channel: a, from: .first, through: .last), 0)
        XCTAssertEqual(try later.chunks.of(channel: a), [])
        XCTAssertNil(try later.value("messages.changes.\(a)"))
        XCTAssertEqual(try later.channels.key("a"), a)
        XCTAssertEqual(try later.channels.key("b"), b)
        XCTAssertEqual(try later.messageCount(channel: b, from: .first, through: .last), 1)
        XCTAssertEqual(try later.chunks.of(channel: b).count, 1)
    }

    /// A key without a channel is in no list, and a channel that comes back finds its key and nothing else.
    func testKeysOutliveTheirChannels() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        XCTAssertNil(try store.channels.keyIfKnown("a"))
        let key = try store.channels.key("a")
        XCTAssertEqual(try store.channels.keyIfKnown("a"), key)
        func assertNotCached() throws {
            XCTAssertNil(try store.channels.channel("a"))
            XCTAssertEqual(try store.channels.urls(), [])
            for order in ChannelQuery.Order.allCases {
                XCTAssertEqual(try store.channels.matching(query: query(order), userID: "me", after: nil, limit: 9), [])
            }
        }
        try assertNotCached()
        let cached = try channel("a", name: "A", last: 5, topic: "t")
        for _ in 0..<2 {
            try store.channels.upsert([cached])
            try store.upsert([message(1, at: 1)], channel: key)
            XCTAssertEqual(try store.channels.channel("a"), cached)
            XCTAssertEqual(try store.channels.urls(), ["a"])
            try store.channels.delete("a")
            try assertNotCached()
            XCTAssertEqual(try store.channels.keyIfKnown("a"), key)
            XCTAssertNil(try store.message(id: "1", channel: key))
        }
        XCTAssertNotEqual(try store.channels.key("b"), key)
    }

    /// Texts that are equal for Swift are not for a service.
    func testUrlsAreComparedByTheirBytes() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        XCTAssertNotEqual(try store.channels.key(ChannelURL(composed)), try store.channels.key(ChannelURL(decomposed)))
        try store.channels.upsert([try channel(composed), try channel(decomposed)])
        XCTAssertEqual(try store.channels.urls().count, 2)
        try store.channels.delete(ChannelURL(composed))
        XCTAssertEqual(try store.channels.urls(), [ChannelURL(decomposed)])
    }

    func testValuesAreKeptReplacedAndRemoved() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        XCTAssertNil(try store.value("k"))
        try store.setValue("k", "")
        XCTAssertEqual(try store.value("k"), "")
        try store.setValue("k", "é\0🙂")
        store.close()
        let later = try CacheStore(directory: folder.path, now: 0)
        XCTAssertEqual(try later.value("k"), "é\0🙂")
        try later.setValue("k", nil)
        XCTAssertNil(try later.value("k"))
    }
}
