import Foundation
import SyncModel
import SyncSQLite
import TestSupport
import XCTest

@testable import SyncStore

/// What a received message costs the disk: it is what flash and batteries pay. Counted by the kernel.
final class WriteCostTests: XCTestCase {
    /// Bytes handed to write calls, and their number, of this process so far.
    private func written() throws -> (bytes: Int, calls: Int) {
        let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        func value(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
        }
        return (value("wchar"), value("syscw"))
    }

    private func message(_ number: Int) -> MessageRecord {
        let id = 7_000_000_000 + Int64(number)
        let time = 1_700_000_000_000 + Int64(number) * 997
        let text = String(repeating: "text ", count: 104)
        let json = "{\"message_id\":\(id),\"created_at\":\(time),\"message\":\"\(text)\"}"
        return MessageRecord(
            id: "\(id)", position: MessagePosition(order: time, tie: id), senderID: "user-\(number % 50)",
            requestID: "request-\(id)", json: Array(json.utf8))
    }

    private func channel(_ number: Int, last: MessageRecord) throws -> ChannelRecord {
        let json = """
            {"channel_url":"channel_\(number)","name":"Channel \(number)","created_at":1600000000,\
            "member_count":12,"unread_message_count":3,"data":"\(String(repeating: "text ", count: 100))",\
            "last_message":\(String(decoding: last.json, as: UTF8.self))}
            """
        return try XCTUnwrap(ChannelRecord(json: Array(json.utf8)))
    }

    /// One transaction with the message and its channel, in a cache of 20,000 messages and 500 channels.
    func testAReceivedMessageIsWrittenWithFewBytesAndCalls() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try store.channels.upsert((0..<500).map { try channel($0, last: message($0)) })
        let keys = try (0..<500).map { try store.channels.key("channel_\($0)") }
        let chunk = StoredChunk(
            start: message(0).position, end: message(0).position, reachedFirst: true, isOpenEnded: true)
        for page in 0..<200 {
            try store.upsert((0..<100).map { message(page * 100 + $0) }, channel: keys[page])
            try store.chunks.set(channel: keys[page], [chunk])
        }
        var random = SeededGenerator(seed: 1)
        var own: (bytes: Int, calls: Int) = (0, 0)
        let count = 1000
        for number in 0..<count {
            let index = Int.random(in: 0..<200, using: &random)
            let message = message(20_000 + number)
            let channel = try channel(index, last: message)
            let grown = StoredChunk(
                start: chunk.start.position, end: message.position, reachedFirst: true, isOpenEnded: true)
            let before = try written()
            try store.transaction { () throws(StoreError) in
                try store.upsert([message], channel: keys[index])
                try store.channels.upsert([channel])
                try store.chunks.set(channel: keys[index], [grown])
            }
            let after = try written()
            own = (own.bytes + after.bytes - before.bytes, own.calls + after.calls - before.calls)
        }
        print("a received message: \(own.bytes / count) bytes, \(Double(own.calls) / Double(count)) write calls")
        XCTAssertGreaterThan(own.bytes / count, 4096)
        XCTAssertLessThan(own.bytes / count, 40_000)
        XCTAssertLessThan(own.calls, 6 * count)
    }

    /// What the service says again costs nothing.
    func testWhatIsThereAlreadyIsNotWritten() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("channel_1")
        let messages = (0..<100).map(message)
        let chunk = StoredChunk(start: messages[0].position, end: messages[99].position, reachedFirst: true)
        func all() throws {
            try store.transaction { () throws(StoreError) in
                try store.upsert(messages, channel: key)
                try store.chunks.set(channel: key, [chunk])
            }
            try store.channels.upsert([channel(1, last: messages[99])])
        }
        try all()
        let before = try written()
        try all()
        XCTAssertEqual(try written().bytes, before.bytes)
    }

    /// An edit, a reaction: one row, no index.
    func testAnEditedMessageIsOnePage() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("channel_1")
        try store.upsert((0..<2000).map(message), channel: key)
        var edited = message(1000)
        edited.updatedAt = 5
        let before = try written()
        try store.upsert([edited], channel: key)
        XCTAssertEqual(try written().bytes - before.bytes, 4096 + 24)
        XCTAssertEqual(try store.message(id: edited.id, channel: key), edited)
    }
}
