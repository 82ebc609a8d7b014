import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

/// One part of the machine alone. The test is whoever gives it a turn.
class PartCase: XCTestCase {
    struct Unexpected: Error { let what: String }

    var turn = DatabaseTurn(DatabaseOptions(url: "https://db.example"), token: nil, seed: 1)

    func wait(_ milliseconds: Int64) {
        let time = turn.now.monotonic + milliseconds
        turn.now = Moment(monotonic: time, wall: 1_700_000_000_000 + time)
    }

    func lines() -> [String] { turn.takeOutputs().map(\.line) }

    func path(_ text: String) throws -> TreePath { try TreePath(text) }

    func place(_ text: String) throws -> DatabaseLocation { DatabaseLocation(try TreePath(text)) }

    func node(_ json: String) throws -> TreeNode { try TreeReader.value(Array(json.utf8), time: 0) }

    func response(_ status: Int, _ body: String, tag: String? = nil) -> TransportResponse {
        let headers = tag.map { [TransportHeader("ETag", $0)] } ?? []
        return TransportResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    func write(_ place: String, _ json: String, _ kind: QueuedWrite.Kind = .set) throws -> PendingWrite {
        let record = QueuedWrite(id: turn.nextNumber(), path: try path(place), kind: kind, body: Array(json.utf8))
        return try PendingWrite(record, over: .empty, time: turn.now.wall)
    }

    func writes(_ all: PendingWrite...) -> PendingWrites {
        var writes = PendingWrites()
        for write in all { writes.append(write) }
        return writes
    }

    /// The same with the state that the service's answer gives it.
    func accepted(_ write: PendingWrite) -> PendingWrite {
        var write = write
        write.state = .accepted(until: turn.now.monotonic + turn.options.settling, stamp: turn.nextNumber())
        return write
    }
}
