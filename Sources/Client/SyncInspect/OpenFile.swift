import SyncSQLite
import SyncStore

/// A file that is read query by query: no transaction goes on between two of them, so that a client beside can empty
/// its log. What two queries find may be of different moments.
final class OpenFile {
    let connection: Connection
    let schema: Int64
    /// Rows of which one query reads the content, at most.
    static let slice = 1000

    init(
        _ file: StoredFile, _ directory: String, isSettled: Bool, _ keys: DirectoryKeys?
    ) throws(StoreError) {
        connection = try file.read(in: directory, isSettled: isSettled, keys)
        schema = try connection.schemaVersion()
        guard schema <= file.schema else { throw .newerSchema(found: schema, known: file.schema) }
        guard schema == file.schema else {
            throw .corrupt(
                message: "schema \(schema); this program reads \(file.schema), to which a client brings the file")
        }
    }

    /// An expression of SQL: 1 where a row does not match the checksum of these columns.
    static func isDamaged(_ columns: String, _ checksum: String = "checksum") -> String {
        "(\(checksum) IS NOT checksum_of_row(\(columns)))"
    }

    /// Sums of expressions over the rows of a table that has numbers as keys.
    func sums(_ table: String, key: String = "key", _ expressions: [String]) throws(StoreError) -> [Int64] {
        var sums = [Double](repeating: 0, count: expressions.count)
        let named = expressions.enumerated().map { "\($1) AS value\($0)" }.joined(separator: ", ")
        let totals = expressions.indices.map { "total(value\($0))" }.joined(separator: ", ")
        let statement = try connection.prepare("""
            SELECT max(place), \(totals)
            FROM (SELECT \(key) AS place, \(named) FROM \(table) WHERE \(key) >= ? ORDER BY \(key) LIMIT ?)
            """)
        defer { statement.reset() }
        var next: Int64? = Int64.min
        while let from = next, try statement.bind(from).bind(OpenFile.slice).next(), !statement.isNull(0) {
            let last = statement.int(0)
            guard last >= from else { throw .corrupt(message: "\(table) is out of order") }
            for index in sums.indices { sums[index] += statement.double(Int32(index) + 1) }
            next = last == Int64.max ? nil : last + 1
            statement.reset()
        }
        return sums.map { $0.isNaN ? 0 : Int64(min(max($0, -1e15), 1e15)) }
    }

    /// How many different numbers in `channel` of a table belong to no channel and no thread.
    func orphans(_ table: String) throws(StoreError) -> Int64 {
        let statement = try connection.prepare("""
            WITH RECURSIVE found (number) AS (
                SELECT min(channel) FROM \(table)
                UNION SELECT (SELECT min(channel) FROM \(table) WHERE channel > number) FROM found
                WHERE number IS NOT NULL
            )
            SELECT count(*) FROM found
            WHERE number IS NOT NULL AND NOT EXISTS (SELECT 1 FROM channel WHERE key = number)
                AND NOT EXISTS (SELECT 1 FROM thread WHERE key = -number)
            """)
        defer { statement.reset() }
        return try statement.next() ? statement.int(0) : 0
    }
}
