import SyncJSON
import SyncModel
import XCTest

@testable import SyncEngine

/// What is cached, written as lines.
final class ExportTests: EngineTestCase {
    private typealias T = EngineTestCase

    private func begin(_ count: Int = 30, slice: Int = 500) {
        start { $0.cacheSliceRows = slice }
        connect()
        let messages = (1...Int64(count)).map { T.message($0, in: "a") }
        let channels = [T.channel("a", last: messages.last), T.channel("b")]
        openMessages(1, "a")
        serve(channels: channels, messages: ["a": messages])
        fetch(1, .previous)
        serve(channels: channels, messages: ["a": messages])
        wait(1)
    }

    private func export(
        _ path: String = "/f", channel: String? = nil, overwrite: Bool = false, timeout: Int64? = nil
    ) -> CallID {
        var arguments: [String: ActionCall.Value] = ["path": .text(path), "overwrite": .flag(overwrite)]
        if let channel { arguments["channel_url"] = .text(channel) }
        let call = newCall()
        let action = ActionCall(action: .library(.export), arguments: arguments, timeout: timeout)
        command(.call(call, .action(action)))
        return call
    }

    private func lines(_ path: String = "/f") throws -> [JSON] {
        let bytes = try XCTUnwrap(files.written[path])
        XCTAssertEqual(bytes.last, UInt8(ascii: "\n"))
        return try bytes.split(separator: UInt8(ascii: "\n")).map { try JSON.parse([UInt8]($0)) }
    }

    private func types(_ lines: [JSON]) -> [String] {
        lines.map { ($0["type"]?.string ?? "?") + ($0["channel_url"]?.string.map { ":" + $0 } ?? "") }
    }

    private var progress: [[Int64]] {
        host.events.compactMap {
            if case .client(.callProgress(let progress)) = $0 { [progress.done, progress.total ?? 0] } else { nil }
        }
    }

    func testAllThatIsCachedIsWrittenInOrder() throws {
        begin()
        let call = export()
        wait(50)
        XCTAssertEqual(host.status(call), .ok)
        let lines = try lines()
        let messages = Array(repeating: "message:a", count: 30)
        XCTAssertEqual(types(lines), ["export", "channel:a"] + messages + ["channel:b", "end"])
        XCTAssertEqual(lines[0]["user_id"]?.string, "mei")
        XCTAssertEqual(lines[1]["complete"]?.bool, true)
        XCTAssertEqual(lines[1]["messages"]?.int, 30)
        XCTAssertEqual(lines[1]["channel"]?["channel_url"]?.string, "a")
        XCTAssertEqual(lines[2...31].map { $0["message"]?["message_id"]?.int }, (1...30).map { Int64($0) })
        XCTAssertEqual(lines.last?["messages"]?.int, 30)
        XCTAssertEqual(progress.last, [30, 30])
    }

    /// Messages before the oldest that is cached, and between two ranges, are missing; the file says where.
    func testWhereMessagesMayBeMissingTheFileSaysSo() throws {
        begin()
        let key = try cache.channels.key("a")
        var chunk = try XCTUnwrap(try cache.chunks.of(channel: key).first)
        (chunk.reachedFirst, chunk.isOpenEnded) = (false, false)
        try cache.chunks.set(channel: key, [chunk])
        try cache.upsert([T.message(90, in: "a")], channel: key)
        let call = export(channel: "a")
        wait(50)
        XCTAssertEqual(host.status(call), .ok)
        let lines = try lines()
        XCTAssertEqual(lines[1]["complete"]?.bool, false)
        XCTAssertEqual(types(lines)[2], "gap:a")
        XCTAssertEqual(types(lines)[33...], ["gap:a", "message:a", "end"])
    }

    /// A disk that is behind is waited for, and other inputs have their turn between two slices.
    func testItIsWrittenInSlices() throws {
        begin(60, slice: 20)
        files.room = 2
        let call = export()
        var steps = 0
        while host.status(call) == nil, let next = engine.nextDeadline, steps < 100 {
            wait(next - now.monotonic)
            steps += 1
        }
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertGreaterThan(steps, 3)
        XCTAssertEqual(try lines().count, 64)
    }

    func testOneAfterTheOther() throws {
        begin()
        let calls = [export("/f"), export("/g"), export("/f"), export("/f", overwrite: true)]
        wait(50)
        XCTAssertEqual(calls.map { host.status($0) }, [.ok, .ok, .invalidArgument, .ok])
        XCTAssertEqual(try lines("/f").count, try lines("/g").count)
    }

    func testAnUnknownChannel() {
        begin()
        let call = export(channel: "nowhere")
        wait(50)
        XCTAssertEqual(host.status(call), .notFound)
        XCTAssertNil(files.written["/f"])
    }

    func testItEndsByACancelATimeoutASignOutAndTheEnd() {
        begin()
        files.isOpening = true
        let (canceled, late) = (export("/1"), export("/2", timeout: 200))
        wait(20)
        command(.call(newCall(), .action(ActionCall(
            action: .library(.cancel), arguments: ["request": .integer(Int64(canceled.number))]))))
        XCTAssertEqual(host.status(canceled), .canceled)
        wait(300)
        XCTAssertEqual(host.status(late), .timeout)
        let left = [export("/3"), export("/4")]
        command(.call(newCall(), .signOut))
        XCTAssertEqual(left.map { host.status($0) }, [.canceled, .canceled])
        let last = export("/5")
        close()
        XCTAssertEqual(host.status(last), .closed)
        XCTAssertTrue(files.written.isEmpty)
    }
}
