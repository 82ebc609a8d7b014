import Foundation
import SyncModel
import XCTest

@testable import SyncStore

final class CacheStoreTests: XCTestCase {
    private func message(_ id: Int64, at time: Int64, sender: String = "bo", type: String = "") -> MessageRecord {
        MessageRecord(
            position: MessagePosition(createdAt: time, id: id), customType: type, senderID: sender,
            json: Array("{\"message_id\":\(id),\"text\":\"é🙂\"}".utf8))
    }

    private func filled() throws -> (Folder, CacheStore, Int64) {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channelKey("c")
        // Ids 1...40; four share each timestamp.
        try store.upsert(
            (1...40).map { message($0, at: ($0 - 1) / 4, sender: $0 % 2 == 0 ? "bo" : "kit") }, channel: key)
        return (folder, store, key)
    }

    func testPagesAreExactAtEveryBoundAndTie() throws {
        let (folder, store, key) = try filled()
        defer { withExtendedLifetime(folder) {} }
        var all = MessageFilter()
        all.replyType = .all
        for limit in [0, 1, 3, 4, 5, 39, 40, 41] {
            for id in 1...40 as ClosedRange<Int64> {
                let position = MessagePosition(createdAt: (id - 1) / 4, id: id)
                let before = try store.messagesBefore(
                    position, notBefore: .first, channel: key, filter: all, limit: limit)
                XCTAssertEqual(before.map(\.id), Array(1..<id).suffix(limit))
                let after = try store.messagesAfter(position, notAfter: .last, channel: key, filter: all, limit: limit)
                XCTAssertEqual(after.map(\.id), Array(Array(1...40).drop { $0 <= id }.prefix(limit)))
            }
        }
    }

    func testBoundsAreInclusiveAndFiltersCountMatches() throws {
        let (folder, store, key) = try filled()
        defer { withExtendedLifetime(folder) {} }
        var filter = MessageFilter()
        filter.senderIDs = ["bo"]
        let bound = MessagePosition(createdAt: 2, id: 10)
        let page = try store.messagesBefore(.last, notBefore: bound, channel: key, filter: filter, limit: 100)
        XCTAssertEqual(page.map(\.id), Array(stride(from: 10, through: 40, by: 2)))
        XCTAssertEqual(page.first?.json, Array("{\"message_id\":10,\"text\":\"é🙂\"}".utf8))
    }

    func testUpsertReplacesById() throws {
        let (folder, store, key) = try filled()
        defer { withExtendedLifetime(folder) {} }
        var changed = message(7, at: 1, sender: "kit")
        changed.json = Array("{}".utf8)
        try store.upsert([changed], channel: key)
        XCTAssertEqual(try store.message(id: 7, channel: key), changed)
        XCTAssertEqual(try store.messageCount(channel: key, from: .first, through: .last), 40)
    }

    func testWhatWasCommittedSurvivesAndNothingElse() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channelKey("c")
        let chunk = StoredChunk(start: .init(createdAt: 1, id: 1), end: .init(createdAt: 2, id: 2), reachedFirst: true)
        try store.transaction { () throws(StoreError) in
            try store.upsert([message(1, at: 1), message(2, at: 2)], channel: key)
            try store.setChunks(channel: key, [chunk])
        }
        // The disk is full at the commit: neither rows nor the range that covers them are left behind.
        store.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertThrowsError(
            try store.transaction { () throws(StoreError) in
                try store.upsert([message(3, at: 3)], channel: key)
                try store.setChunks(channel: key, [])
            })
        // As after a kill: a copy of the files without closing them.
        let copy = try Folder()
        for file in ["cache.db", "cache.db-wal"] {
            try? FileManager.default.copyItem(atPath: folder.path + "/" + file, toPath: copy.path + "/" + file)
        }
        let after = try CacheStore(directory: copy.path, now: 0)
        let sameKey = try after.channelKey("c")
        XCTAssertEqual(sameKey, key)
        XCTAssertEqual(try after.chunks(channel: sameKey), [chunk])
        XCTAssertEqual(try after.messagePositions(channel: sameKey, from: .first, through: .last).map(\.id), [1, 2])
    }

    func testDamagedFileIsSetAside() throws {
        let folder = try Folder()
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: folder.path + "/cache.db"))
        let store = try CacheStore(directory: folder.path, now: 42)
        XCTAssertEqual(store.setAsideAs, folder.path + "/cache.db.corrupt-42")
        XCTAssertEqual(try store.channelCount(), 0)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/cache.db.corrupt-42")).count, 20_000)
    }

    func testChannelsComeInOrderPageByPage() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let channels = (0..<30).map { index in
            let last = index % 3 == 0 ? "null" : "{\"message_id\":\(index),\"created_at\":\(1000 + index % 5)}"
            let name = index % 4 == 0 ? "" : "n\(index % 7)"
            let head = "{\"channel_url\":\"u\(index)\",\"name\":\"\(name)\","
            let json = head + "\"created_at\":\(50 + index % 6),\"last_message\":\(last)}"
            return ChannelRecord(json: Array(json.utf8))
        }.compactMap { $0 }
        XCTAssertEqual(channels.count, 30)
        try store.upsert(channels)
        for order in [ChannelQuery.Order.latestLastMessage, .chronological, .channelNameAlphabetical] {
            var query = ChannelQuery()
            query.order = order
            var got: [ChannelRecord] = []
            while true {
                let page = try store.channels(query: query, userID: "mei", after: got.last, limit: 7)
                got += page
                if page.count < 7 { break }
            }
            XCTAssertEqual(
                got.map(\.url), channels.sorted { query.areInIncreasingOrder($0, $1) }.map(\.url), "\(order)")
        }
    }

    func testSecondOwnerIsRefused() throws {
        let folder = try Folder()
        let lock = try DirectoryLock(directory: folder.path + "/x")
        XCTAssertThrowsError(try DirectoryLock(directory: folder.path + "/x")) { error in
            XCTAssertEqual(error as? StoreError, .locked(byPID: getpid()))
        }
        withExtendedLifetime(lock) {}
    }

    func testFilesAreTheOwnersAlone() throws {
        let folder = try Folder()
        let lock = try DirectoryLock(directory: folder.path + "/x")
        _ = try CacheStore(directory: folder.path + "/x", now: 0)
        _ = try IntentStore(directory: folder.path + "/x")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/x") {
            let mode =
                try FileManager.default.attributesOfItem(atPath: folder.path + "/x/" + file)[.posixPermissions] as? Int
            XCTAssertEqual(mode, 0o600, file)
        }
        withExtendedLifetime(lock) {}
    }
}
