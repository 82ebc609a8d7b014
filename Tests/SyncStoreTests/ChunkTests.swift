import Foundation
import SyncModel
import SyncSQLite
import TestSupport
import XCTest

@testable import SyncStore

final class ChunkTests: XCTestCase {
    private func chunk(
        _ start: Int64, _ end: Int64, isFirst: Bool = false, isOpenEnded: Bool = false,
        tokens: (String, String) = ("", "")
    ) -> StoredChunk {
        StoredChunk(
            start: HistoryEdge(MessagePosition(order: start, tie: start), token: tokens.0),
            end: HistoryEdge(MessagePosition(order: end, tie: end), token: tokens.1),
            reachedFirst: isFirst, isOpenEnded: isOpenEnded)
    }

    func testChunksOfAChannelAreReplaced() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        try store.chunks.set(channel: 2, [chunk(1, 1)])
        try store.chunks.set(channel: 1, [chunk(7, 9, tokens: ("s7", "e\0é")), chunk(-5, 3, isFirst: true)])
        XCTAssertEqual(
            try store.chunks.of(channel: 1), [chunk(-5, 3, isFirst: true), chunk(7, 9, tokens: ("s7", "e\0é"))])
        try store.chunks.set(channel: 1, [chunk(1, 2)])
        XCTAssertEqual(try store.chunks.of(channel: 1), [chunk(1, 2)])
        XCTAssertEqual(try store.chunks.of(channel: 2), [chunk(1, 1)])
        try store.chunks.set(channel: 1, [])
        XCTAssertEqual(try store.chunks.of(channel: 1), [])
    }

    /// A chunk that messages extend is not written; where it ends is found when it is read.
    func testOpenEndedChunkEndsWithTheNewestMessage() throws {
        let folder = try Folder()
        let store = try CacheStore(directory: folder.path, now: 0)
        let key = try store.channels.key("c")
        try store.upsert((1...3).map { message($0, at: $0) }, channel: key)
        try store.upsert([message(99, at: 99)], channel: try store.channels.key("other"))
        try store.chunks.set(channel: key, [chunk(-3, -2), chunk(1, 3, isOpenEnded: true, tokens: ("a", "b"))])
        var writes: [String] = []
        store.setStatementHook { sql throws(StoreError) in writes.append(sql) }
        for number in 4...9 as ClosedRange<Int64> {
            try store.upsert([message(number, at: number)], channel: key)
            try store.chunks.set(
                channel: key, [chunk(-3, -2), chunk(1, number, isOpenEnded: true, tokens: ("a", "b"))])
        }
        XCTAssertEqual(writes.filter { $0.contains("chunk") }, [])
        func inANewProcess() throws -> [StoredChunk] {
            let killed = try folder.copied()
            return try CacheStore(directory: killed.path, now: 0).chunks.of(channel: key)
        }
        func assertIs(_ chunks: [StoredChunk], line: UInt = #line) throws {
            XCTAssertEqual(try store.chunks.of(channel: key), chunks, line: line)
            XCTAssertEqual(try inANewProcess(), chunks, line: line)
        }
        try assertIs([chunk(-3, -2), chunk(1, 9, isOpenEnded: true, tokens: ("a", "b"))])
        // Without its newest messages it ends earlier, without any of them at its start.
        try store.deleteMessages(ids: ["8", "9"], channel: key)
        try assertIs([chunk(-3, -2), chunk(1, 7, isOpenEnded: true, tokens: ("a", "b"))])
        try store.deleteMessages(channel: key, before: 100)
        try assertIs([chunk(-3, -2), chunk(1, 1, isOpenEnded: true, tokens: ("a", "b"))])
        try store.upsert([message(4, at: 4)], channel: key)
        // What the service needs to go on is written, and so is the end of a chunk that is open no more.
        try store.chunks.set(channel: key, [chunk(1, 4, isOpenEnded: true, tokens: ("a", "c"))])
        try assertIs([chunk(1, 4, isOpenEnded: true, tokens: ("a", "c"))])
        try store.upsert([message(6, at: 6)], channel: key)
        try store.chunks.set(channel: key, [chunk(1, 5, tokens: ("a", "c"))])
        try assertIs([chunk(1, 5, tokens: ("a", "c"))])
    }

    /// Random chunks, rollbacks and new processes: what is read is always what was set last.
    func testWhatIsReadIsWhatWasSet() throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let folder = try Folder()
            var store = try CacheStore(directory: folder.path, now: 0)
            var expected: [Int64: [StoredChunk]] = [:]
            for step in 0..<80 {
                let channel = Int64.random(in: 1...3, using: &random)
                var places = (0..<12).filter { _ in Bool.random(using: &random) }.map { Int64($0) }
                if places.count % 2 == 1 { places.removeLast() }
                let texts = ["", "s"]
                let chunks = stride(from: 0, to: places.count, by: 2).map { index in
                    chunk(
                        places[index], places[index + 1], isFirst: index == 0 && Bool.random(using: &random),
                        tokens: (texts.randomElement(using: &random) ?? "", texts.randomElement(using: &random) ?? ""))
                }
                switch Int.random(in: 0...9, using: &random) {
                case 0:
                    XCTAssertThrowsError(try store.transaction { () throws(StoreError) in
                        try store.chunks.set(channel: channel, chunks)
                        throw .full
                    })
                case 1:
                    var left = Int.random(in: 0...3, using: &random)
                    store.setStatementHook { _ throws(StoreError) in
                        if left == 0 { throw .full }
                        left -= 1
                    }
                    if (try? store.chunks.set(channel: channel, chunks)) != nil { expected[channel] = chunks }
                    store.setStatementHook(nil)
                case 2:
                    store.close()
                    store = try CacheStore(directory: folder.path, now: 0)
                case 3:
                    try store.clearMessages(channel: channel)
                    expected[channel] = []
                default:
                    try store.chunks.set(channel: channel, chunks)
                    expected[channel] = chunks
                }
                for channel in 1...3 as ClosedRange<Int64> {
                    XCTAssertEqual(
                        try store.chunks.of(channel: channel), expected[channel] ?? [], "seed \(seed), step \(step)")
                }
                let killed = try folder.copied()
                let later = try CacheStore(directory: killed.path, now: 0)
                for channel in 1...3 as ClosedRange<Int64> {
                    XCTAssertEqual(
                        try later.chunks.of(channel: channel), expected[channel] ?? [], "seed \(seed), step \(step)")
                }
            }
        }
    }
}
