import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

/// A machine alone, its host, its service and its disk being the test.
class DatabaseMachineCase: XCTestCase {
    var keep = MemoryKeep()
    lazy var machine = DatabaseMachine(
        DatabaseOptions(url: "https://db.example", name: "test"), seed: 1, keep: keep)
    var time: Int64 = 0
    var now: Moment { Moment(monotonic: time, wall: 1_700_000_000_000 + time) }

    func fresh(token: String? = nil) {
        keep = MemoryKeep()
        start(token: token)
    }

    /// Another run, with what was kept.
    func start(token: String? = nil, valueLimit: Int? = nil) {
        var options = DatabaseOptions(url: "https://db.example", name: "test")
        if let valueLimit { options.valueLimit = valueLimit }
        machine = DatabaseMachine(options, token: token, seed: 1, keep: keep)
        time = 0
    }

    func path(_ text: String) throws -> TreePath { try TreePath(text) }

    /// The outputs as lines: what is to be sent, and what is told.
    func outputs() -> [String] { machine.takeOutputs().map(\.line) }

    func event(_ stream: UInt64, _ name: String, _ data: String) {
        machine.receive(
            .streamBytes(stream, Array("event: \(name)\ndata: \(data)\n\n".utf8)), now: now)
    }

    func answer(_ id: UInt64, _ body: String) { answer(id, 200, body) }

    func answer(_ id: UInt64, _ status: Int, _ body: String, _ headers: [TransportHeader] = []) {
        machine.receive(
            .response(id: id, TransportResponse(status: status, headers: headers, body: Array(body.utf8))), now: now)
    }

    /// A listen whose stream has told a value.
    func listening(_ place: String, _ value: String) throws -> (listen: UInt64, stream: UInt64) {
        let listen = machine.listen(DatabaseLocation(try path(place)), now: now)
        let line = try XCTUnwrap(outputs().first { $0.contains("stream") })
        let stream = try XCTUnwrap(UInt64(line.prefix { $0 != " " }))
        machine.receive(.streamOpened(stream), now: now)
        event(stream, "put", #"{"path":"/","data":\#(value)}"#)
        _ = outputs()
        return (listen, stream)
    }

    func kept(_ place: String, _ query: String = "") throws -> String? {
        keep.values[KeptPlace(path: try path(place), query: query)].map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number of the request or stream that a line of the outputs is about.
    func number(_ line: String?) throws -> UInt64 {
        try XCTUnwrap(line.flatMap { UInt64($0.prefix { $0 != " " }) })
    }
}
