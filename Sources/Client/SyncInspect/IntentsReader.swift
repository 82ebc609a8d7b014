import SyncSQLite
import SyncStore

/// What `intents.db` has: messages and writes that the service does not have yet, and drafts.
struct IntentsReader {
    private let file: OpenFile
    private let showsTexts: Bool
    private let findings: Findings
    /// Rows of each table that are shown.
    private static let shown = 100

    init(_ file: OpenFile, showsTexts: Bool, _ findings: Findings) {
        self.file = file
        self.showsTexts = showsTexts
        self.findings = findings
    }

    /// A table, and how a row of it is shown.
    private struct Table {
        let name: String
        let key: String
        let checked: String
        var listing: Listing
        let row: (Statement) -> [String]
    }

    func read(into report: inout Report) {
        report.facts.append(("schema of intents.db", String(file.schema)))
        for table in [outbox, queue, drafts] {
            let listing = findings.attempt("intents.db, \(table.name)") { () throws(StoreError) in try read(table) }
            if let listing { report.listings.append(listing) }
        }
        for table in ["damaged_intent", "damaged_write", "damaged_draft"] {
            let rows = findings.attempt("intents.db, \(table)") { () throws(StoreError) in
                try file.sums(table, key: "rowid", ["1"])[0]
            }
            if let rows, rows > 0 { findings.add("\(table): \(Shown.count(rows, "row", "rows")) set aside") }
        }
        findings.attempt("intents.db, kept") { () throws(StoreError) in
            let row = try file.connection.prepare("SELECT total(\(OpenFile.isDamaged("name, value"))) FROM kept")
            defer { row.reset() }
            if try row.next() { findings.add(damaged: row.int(0), of: "kept") }
        }
    }

    private func read(_ table: Table) throws(StoreError) -> Listing {
        var listing = table.listing
        let damaged = OpenFile.isDamaged(table.checked)
        let sums = try file.sums(table.name, key: table.key, ["1", damaged])
        findings.add(damaged: sums[1], of: table.name)
        let row = try file.connection.prepare("""
            SELECT \(table.checked), length(CAST(body AS BLOB)), \(showsTexts ? "substr(body, 1, 2000)" : "''")
            FROM \(table.name) WHERE NOT \(damaged) ORDER BY \(table.key) LIMIT ?
            """).bind(IntentsReader.shown)
        defer { row.reset() }
        while try row.next() { listing.rows.append(table.row(row)) }
        listing.leftOff = max(0, sums[0] - sums[1] - Int64(listing.rows.count))
        return listing
    }

    private func columns(_ columns: String...) -> [String] { columns + ["size"] + (showsTexts ? ["content"] : []) }

    /// The last columns of each row, which begin at `first`.
    private func body(_ row: Statement, _ first: Int32) -> [String] {
        [Shown.size(row.int(first))] + (showsTexts ? [Shown.text(row.text(first + 1), most: 2000)] : [])
    }

    private var outbox: Table {
        Table(
            name: "intent", key: "id",
            checked: """
                id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body, message_id
                """,
            listing: Listing(
                title: "outbox", columns: columns("id", "channel", "made", "state", "error", "retries", "sent by"))
        ) { row in
            let states = ["pending", "failed", "accepted"]
            let state = row.int(4)
            return [
                String(row.int(0)), Shown.text(row.text(1)), Shown.time(row.int(3)),
                (0...2).contains(state) ? states[Int(state)] : "state \(state)",
                row.int(5) == 0 ? "" : String(row.int(5)), String(row.int(6)), row.bool(7) ? "host" : "library",
            ] + body(row, 10)
        }
    }

    private var queue: Table {
        Table(
            name: "database_write", key: "key", checked: "url, name, id, path, kind, body",
            listing: Listing(title: "database queue", columns: columns("id", "database", "path", "kind"))
        ) { row in
            let kinds = ["set", "update", "count"]
            let kind = row.int(4)
            return [
                String(row.int(2)), Shown.text("\(row.text(0)) \(row.text(1))"), Shown.text(row.text(3)),
                (0...2).contains(kind) ? kinds[Int(kind)] : "kind \(kind)",
            ] + body(row, 6)
        }
    }

    private var drafts: Table {
        Table(
            name: "draft", key: "key", checked: "channel_url, parent_id, updated_at, body",
            listing: Listing(title: "drafts", columns: columns("channel", "thread", "written"))
        ) { row in
            [Shown.text(row.text(0)), Shown.text(row.text(1)), Shown.time(row.int(2))] + body(row, 4)
        }
    }
}
