import SyncSQLite
import XCTest

@testable import ServerChat

final class ServerSchemaTests: XCTestCase {
    /// Of each table and index: its SQL without spaces, and its columns in their order.
    private func described(_ connection: Connection) throws -> [String] {
        let objects = try connection.prepare(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
        ).all { (type: $0.text(0), name: $0.text(1), sql: $0.text(2)) }
        return try objects.map { object in
            let sql = object.sql.filter { !$0.isWhitespace && $0 != "\"" }
            let columns = try connection.prepare("SELECT name FROM pragma_table_info('\(object.name)')")
                .all { $0.text(0) }
            return "\(object.type) \(sql) \(columns)"
        }.sorted()
    }

    /// A new file is made at once; it is as one that every version has migrated.
    func testANewFileIsAsAMigratedOne() throws {
        var seen: [[String]] = []
        for whole in [Schema.whole, nil] {
            let connection = try Connection(
                path: Connection.inMemory,
                ConnectionSettings(safety: .normal, pageSize: 16 << 10, cacheSize: 64 << 10, logLimit: 64 << 20))
            try connection.migrate(Schema.steps, whole: whole)
            XCTAssertEqual(try connection.schemaVersion(), Int64(Schema.steps.count))
            let marks = try connection.prepare("SELECT name, value FROM marks").all { "\($0.text(0)) \($0.int(1))" }
            XCTAssertEqual(marks, ["file_bytes 0"])
            seen.append(try described(connection))
        }
        XCTAssertEqual(seen[0], seen[1])
        XCTAssertGreaterThan(seen[0].count, 30)
    }
}
