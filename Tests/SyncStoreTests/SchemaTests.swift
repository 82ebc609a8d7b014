import CSQLite
import Foundation
import SyncModel
import XCTest

@testable import SyncStore

final class SchemaTests: XCTestCase {
    private func statements(_ sql: String) -> [String] {
        sql.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n").split(separator: ";")
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }.sorted()
    }

    /// docs/schema.sql is what the library really makes.
    func testDocumentedSchemaIsTheRealOne() throws {
        let folder = try Folder()
        let cache = try CacheStore(directory: folder.path, now: 0)
        let intents = try IntentStore(directory: folder.path)
        cache.close()
        intents.close()
        var real: [String] = []
        for file in ["cache.db", "intents.db"] {
            let database = try Database(path: folder.path + "/" + file, synchronous: "NORMAL", pageSize: 4096)
            let statement = try database.prepare(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
            while try statement.next() { real += statements(statement.text(0)) }
            statement.reset()
        }
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../docs/schema.sql")
        let documented = statements(try String(contentsOf: page, encoding: .utf8))
        XCTAssertEqual(documented, real.sorted())
    }

    /// No hot statement looks at more rows than it gives, and none sorts.
    func testHotStatementsWalkAnIndex() throws {
        let folder = try Folder()
        let cache = try CacheStore(directory: folder.path, now: 0)
        let hot = [
            "SELECT json FROM message WHERE channel = 1 AND (created_at, id) < (5, 5) AND (created_at, id) >= (1, 1) "
                + "ORDER BY created_at DESC, id DESC",
            "SELECT json FROM message WHERE channel = 1 AND (created_at, id) > (5, 5) AND (created_at, id) <= (9, 9) "
                + "ORDER BY created_at ASC, id ASC",
            "SELECT created_at, id FROM message WHERE channel = 1 AND (created_at, id) >= (1, 1) AND (created_at, id) <= (9, 9) "
                + "ORDER BY created_at, id",
            "SELECT json FROM message WHERE id = 1 AND channel = 1",
            "DELETE FROM message WHERE id = 1 AND channel = 1",
            "SELECT json FROM channel WHERE url = 'a'",
            "SELECT start_id FROM chunk WHERE channel = 1 ORDER BY start_created_at, start_id",
        ]
        for sql in hot {
            let plan = try cache.database.prepare("EXPLAIN QUERY PLAN " + sql)
            var lines: [String] = []
            while try plan.next() { lines.append(plan.text(3)) }
            plan.reset()
            XCTAssertFalse(lines.isEmpty)
            XCTAssert(lines.allSatisfy { $0.hasPrefix("SEARCH") }, "\(sql): \(lines)")
        }
        // The two orders by time walk their index from the start: no sorting, and the reader stops when it has enough.
        for sql in [
            "SELECT json FROM channel ORDER BY has_last_message DESC, latest_at DESC, url",
            "SELECT json FROM channel "
                + "ORDER BY created_at DESC, url",
        ] {
            let plan = try cache.database.prepare("EXPLAIN QUERY PLAN " + sql)
            while try plan.next() { XCTAssert(plan.text(3).contains("USING INDEX"), plan.text(3)) }
            plan.reset()
        }
    }
}

/// A folder of its own for one test.
final class Folder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "sm-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
