import Foundation
import SyncModel
import XCTest

/// What is written of the actions is what the code's table has. With `SM_WRITE` set it is written anew.
final class ActionPagesTests: XCTestCase {
    private func compare(_ path: String, _ text: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent(path)
        if ProcessInfo.processInfo.environment["SM_WRITE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        XCTAssertTrue(written == text, "\(path) is not what the table of actions says: SM_WRITE=1 writes it anew")
    }

    func testThePage() throws { try compare("docs/actions.md", ActionPages.page) }

    func testTheSchema() throws { try compare("docs/schema/action.json", ActionPages.schema) }

    /// Names are told apart over all lists: each is read as the action that has it.
    func testNames() {
        for action in Action.allCases { XCTAssertEqual(Action(rawValue: action.rawValue), action) }
        XCTAssertNil(Action(rawValue: "no_such_action"))
    }

    /// Keys of an action are told apart, and none is one that every action takes.
    func testKeys() {
        for action in Action.allCases {
            let keys = action.spec.parameters.map(\.key)
            XCTAssertEqual(keys.count, Set(keys).count, action.rawValue)
            XCTAssertTrue(Set(keys).isDisjoint(with: ["action", "timeout_ms"]), action.rawValue)
        }
    }
}
