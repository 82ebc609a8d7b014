import SyncJSON
import SyncServer
import SyncTree
import XCTest

/// A client of an event stream: reads its frames and applies them to a copy of the value.
final class DatabaseListener {
    struct Event: Equatable {
        let name: String
        let data: String
    }

    let stream: InProcessStream
    /// What the events say is there.
    private(set) var value = TreeNode.empty

    init(_ stream: InProcessStream) { self.stream = stream }

    /// The events that have come since the last call.
    func take() throws -> [Event] {
        let text = String(decoding: stream.takeBytes(), as: UTF8.self)
        XCTAssertTrue(text.isEmpty || text.hasSuffix("\n\n"), "half an event: \(text)")
        return try text.components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { frame in
            let lines = frame.components(separatedBy: "\n")
            XCTAssertEqual(lines.count, 2, frame)
            XCTAssertTrue(lines[0].hasPrefix("event: ") && lines[1].hasPrefix("data: "), frame)
            let event = Event(name: String(lines[0].dropFirst(7)), data: String(lines[1].dropFirst(6)))
            try apply(event)
            return event
        }
    }

    private func apply(_ event: Event) throws {
        guard event.name == "put" || event.name == "patch" else { return }
        let body = try JSON.parse(event.data)
        let path = try TreePath(try XCTUnwrap(body["path"]?.string))
        let data = try XCTUnwrap(body["data"]).serialized()
        if event.name == "put" {
            value.set(path, try TreeReader.value(data, time: 0))
        } else {
            for write in try TreeReader.update(data, time: 0) { value.set(path + write.path, write.node) }
        }
    }
}
