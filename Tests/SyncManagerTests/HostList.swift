import SyncJSON
import XCTest

/// The list of succeeded messages as a host keeps it that knows nothing but the events' text.
struct HostList {
    private(set) var items: [JSON] = []

    /// Applies a change event; every position it names must be inside the list.
    mutating func apply(_ event: JSON) throws {
        let changes = event["changes"]?.array ?? []
        let values = event["messages"]?.array ?? []
        let action = try XCTUnwrap(event["action"]?.string)
        if action == "clear" { items = [] }
        for (number, change) in changes.enumerated() {
            let index = Int(try XCTUnwrap((change["index"] ?? change["to"])?.int))
            XCTAssertTrue((0..<items.count + (action == "insert" ? 1 : 0)).contains(index), "\(action) at \(index)")
            switch action {
            case "insert": items.insert(values[number], at: index)
            case "update": items[index] = values[number]
            case "remove": items.remove(at: index)
            case "move":
                items.remove(at: Int(try XCTUnwrap(change["from"]?.int)))
                items.insert(values[number], at: index)
            default: XCTFail("unknown action \(action)")
            }
        }
    }
}
