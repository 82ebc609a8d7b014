import Foundation
import SyncModel
import SyncSQLite
import TestSupport
import XCTest

@testable import SyncStore

final class MessageTests: XCTestCase {
    private var folder: Folder!
    private var store: CacheStore!
    private var key: Int64 = 0

    override func setUpWithError() throws {
        folder = try Folder()
        store = try CacheStore(directory: folder.path, now: 0)
        key = try store.channels.key("c")
    }

    override func tearDown() {
        store = nil
        folder = nil
    }

    private func ids(_ channel: Int64) throws -> [Int] {
        try store.messageReferences(channel: channel, from: .first, through: .last).compactMap { Int($0.id) }
    }

    func testPagesAreExactAtEveryBoundAndTie() throws {
        // Ids 1...40; four share each timestamp.
        try store.upsert((1...40).map { message($0, at: ($0 - 1) / 4) }, channel: key)
        try store.upsert([message(100, at: 3)], channel: try store.channels.key("other"))
        for limit in [0, 1, 3, 4, 5, 39, 40, 41] {
            for id in 1...40 as ClosedRange<Int64> {
                let position = MessagePosition(order: (id - 1) / 4, tie: id)
                let before = try store.messagesBefore(
                    position, notBefore: .first, channel: key, filter: everything, limit: limit)
                XCTAssertEqual(before.compactMap { Int64($0.id) }, Array(1..<id).suffix(limit))
                let after = try store.messagesAfter(
                    position, notAfter: .last, channel: key, filter: everything, limit: limit)
                XCTAssertEqual(after.compactMap { Int64($0.id) }, Array(Array(1...40).drop { $0 <= id }.prefix(limit)))
            }
        }
    }

    /// Pages against a list in memory: every filter, random bounds, many ties.
    func testPagesAreThoseOfAPlainList() throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let channel = try store.channels.key("seed \(seed)")
            let base = Int64(seed) * 1000
            let all = (1...120).map { index in
                MessageRecord(
                    id: "\(base + index)",
                    position: MessagePosition(order: .random(in: -3...12, using: &random), tie: base + index),
                    kind: [.user, .file, .admin][Int.random(in: 0...2, using: &random)],
                    customType: ["", "a", "b"].randomElement(using: &random) ?? "",
                    senderID: ["", "bo", "kit", "someone with a long id"].randomElement(using: &random) ?? "",
                    parentID: ["", "7", "$text:id"].randomElement(using: &random) ?? "",
                    isReplyToChannel: .random(using: &random),
                    json: Array("{\"message_id\":\(base + index)}".utf8))
            }
            for message in all.shuffled(using: &random) { try store.upsert([message], channel: channel) }
            let sorted = all.sorted { $0.position < $1.position }
            for _ in 0..<60 {
                var filter = MessageFilter()
                filter.type = MessageFilter.TypeFilter.allCases.randomElement(using: &random) ?? .all
                filter.replyType = MessageFilter.ReplyType.allCases.randomElement(using: &random) ?? .all
                filter.customTypes = [[], ["a"], ["", "b"]].randomElement(using: &random) ?? []
                filter.senderIDs = [[], ["bo"], ["kit", "someone with a long id"]].randomElement(using: &random) ?? []
                let edge = sorted.randomElement(using: &random)?.position ?? .first
                let bound = sorted.randomElement(using: &random)?.position ?? .first
                let limit = Int.random(in: 1...30, using: &random)
                XCTAssertEqual(
                    try store.messagesBefore(edge, notBefore: bound, channel: channel, filter: filter, limit: limit),
                    sorted.filter { $0.position < edge && $0.position >= bound && filter.matches($0) }.suffix(limit)
                        .map(\.row),
                    "seed \(seed)")
                XCTAssertEqual(
                    try store.messagesAfter(edge, notAfter: bound, channel: channel, filter: filter, limit: limit),
                    sorted.filter { $0.position > edge && $0.position <= bound && filter.matches($0) }.prefix(limit)
                        .map(\.row),
                    "seed \(seed)")
                let inside = sorted.filter { $0.position >= edge && $0.position <= bound }
                XCTAssertEqual(
                    try store.messageReferences(channel: channel, from: edge, through: bound), inside.map(\.reference))
                XCTAssertEqual(
                    try store.messageCount(channel: channel, from: edge, through: bound), inside.count)
            }
        }
    }

    /// What is stored comes back as it was, whatever is in it.
    func testEveryFieldComesBack() throws {
        let long = String(repeating: "長い", count: 100_000)
        let messages = [
            MessageRecord(
                id: "$é\0:example.org", position: .last, updatedAt: .min, kind: .admin,
                customType: "a\0b", senderID: "é\u{301}🙂", parentID: "$e\u{301}", isReplyToChannel: true,
                isSilent: true,
                requestID: "'; DROP TABLE message; --", json: Array("{\"text\":\"\(long)\"}".utf8)),
            MessageRecord(id: "", position: .first, json: []),
            MessageRecord(
                id: "0", position: MessagePosition(order: 0, tie: 0), kind: .file, json: Array("{\"a\":\"\0\"}".utf8)),
        ]
        try store.upsert(messages, channel: key)
        for message in messages { XCTAssertEqual(try store.message(id: message.id, channel: key), message) }
    }

    func testUpsertReplacesById() throws {
        try store.upsert([message(7, at: 1), message(8, at: 1)], channel: key)
        var edited = message(7, at: 1, sender: "kit", text: "edited")
        edited.updatedAt = 5
        try store.upsert([edited], channel: key)
        XCTAssertEqual(try store.message(id: "7", channel: key), edited)
        XCTAssertEqual(try ids(key), [7, 8])
        // A message whose time the service has changed stands once, at its new place.
        let local = try localKey("7")
        try store.upsert([message(7, at: 9)], channel: key)
        XCTAssertEqual(try ids(key), [8, 7])
        XCTAssertEqual(try store.message(id: "7", channel: key), message(7, at: 9))
        // Moved, edited and given the place of another: still one row, and still its own.
        var moved = message(7, at: 1, text: "moved")
        moved.position = message(8, at: 1).position
        moved.parentID = "8"
        try store.upsert([moved], channel: key)
        XCTAssertEqual(try store.message(id: "7", channel: key), moved)
        XCTAssertEqual(Set(try ids(key)), [7, 8])
        XCTAssertEqual(try localKey("7"), local)
    }

    private func localKey(_ id: String) throws -> Int64 {
        let row = try store.connection.prepare("SELECT key FROM message WHERE id = ?").bind(id)
        defer { row.reset() }
        return try row.next() ? row.int(0) : 0
    }

    /// An id is the service's, unique within its channel only.
    func testAnIdInTwoChannelsIsTwoMessages() throws {
        let other = try store.channels.key("other")
        try store.upsert([message(7, at: 1, text: "here")], channel: key)
        try store.upsert([message(7, at: 2, text: "there")], channel: other)
        XCTAssertEqual(try store.message(id: "7", channel: key), message(7, at: 1, text: "here"))
        XCTAssertEqual(try store.message(id: "7", channel: other), message(7, at: 2, text: "there"))
        // Ids that read alike are different ones.
        XCTAssertNil(try store.message(id: "07", channel: key))
        try store.deleteMessages(ids: ["7"], channel: key)
        XCTAssertNil(try store.message(id: "7", channel: key))
        XCTAssertNotNil(try store.message(id: "7", channel: other))
    }

    func testCountStopsAtAThousand() throws {
        try store.upsert((1...1001).map { message($0, at: 5) }, channel: key)
        XCTAssertEqual(try store.messageCount(channel: key, from: .first, through: .last), 1000)
        let last = MessagePosition(order: 5, tie: 999)
        XCTAssertEqual(try store.messageCount(channel: key, from: .first, through: last), 999)
    }

    func testDeletingTakesWhatWasNamedOnly() throws {
        let other = try store.channels.key("other")
        try store.upsert((1...6).map { message($0, at: $0) }, channel: key)
        try store.upsert((11...13).map { message($0, at: 1) }, channel: other)
        try store.deleteMessages(ids: ["2", "11", "99"], channel: key)
        XCTAssertEqual(try ids(key), [1, 3, 4, 5, 6])
        try store.deleteMessages(channel: key, before: 4)
        XCTAssertEqual(try ids(key), [4, 5, 6])
        XCTAssertEqual(try ids(other), [11, 12, 13])
        XCTAssertNil(try store.message(id: "11", channel: key))
    }

    func testClearingForgetsRowsRangesAndCursorsAndKeepsChannels() throws {
        let other = try store.channels.key("other")
        let position = MessagePosition(order: 1, tie: 1)
        try store.channels.upsert([ChannelRecord(url: "c", json: Array("{\"channel_url\":\"c\"}".utf8))])
        try store.setValue("channels.token", "t")
        for (index, channel) in [key, other].enumerated() {
            try store.upsert([message(Int64(index), at: 1)], channel: channel)
            try store.chunks.set(channel: channel, [StoredChunk(start: position, end: position, reachedFirst: false)])
            try store.setValue("messages.changes.\(channel)", "x")
        }
        try store.clearMessages(channel: key)
        XCTAssertEqual(try ids(key), [])
        XCTAssertEqual(try store.chunks.of(channel: key), [])
        XCTAssertNil(try store.value("messages.changes.\(key)"))
        XCTAssertEqual(try ids(other), [1])
        XCTAssertEqual(try store.chunks.of(channel: other).count, 1)
        XCTAssertEqual(try store.value("messages.changes.\(other)"), "x")
        try store.clearMessages(channel: nil)
        XCTAssertEqual(try ids(other), [])
        XCTAssertEqual(try store.chunks.of(channel: other), [])
        XCTAssertNil(try store.value("messages.changes.\(other)"))
        XCTAssertEqual(try store.channels.urls().count, 1)
        XCTAssertEqual(try store.value("channels.token"), "t")
    }
}
