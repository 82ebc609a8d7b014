import SyncStore

/// What was damaged or could not be read. One thread at a time.
final class Findings {
    /// Lines that are kept; a damaged file may have one for each of its rows.
    private static let most = 50
    private(set) var lines: [String] = []
    private(set) var leftOff = 0

    var isEmpty: Bool { lines.isEmpty }

    func add(_ line: String) {
        if lines.count < Findings.most { lines.append(Shown.text(line, most: 300)) } else { leftOff += 1 }
    }

    func add(_ others: Findings) {
        for line in others.lines { add(line) }
        leftOff += others.leftOff
    }

    /// Adds how many rows of a table are damaged, if any are.
    func add(damaged rows: Int64, of table: String) {
        if rows > 0 { add("\(table): \(rows) damaged \(rows == 1 ? "row" : "rows")") }
    }

    /// What `body` gives; `nil` when the file could not be read, which is noted.
    @discardableResult
    func attempt<T>(_ what: String, _ body: () throws(StoreError) -> T) -> T? {
        do throws(StoreError) {
            return try body()
        } catch {
            add("\(what): \(error.message)")
            return nil
        }
    }
}
