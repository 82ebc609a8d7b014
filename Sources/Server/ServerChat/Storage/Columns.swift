import SyncBytes
import SyncSQLite

/// Columns of a table, by name: this one list says what is selected, how a row is read, and what is stored.
struct Columns<Row>: Sendable {
    /// A column, and where a row keeps it.
    struct Column: Sendable {
        let name: String
        let read: @Sendable (_ into: inout Row, _ from: Statement, _ column: Int32) -> Void
        let bind: @Sendable (_ of: Row, _ to: Statement) -> Void

        init(
            _ name: String, _ read: @escaping @Sendable (inout Row, Statement, Int32) -> Void,
            _ bind: @escaping @Sendable (Row, Statement) -> Void
        ) {
            self.name = name
            self.read = read
            self.bind = bind
        }
    }

    private let all: [Column]
    /// For SELECT.
    let list: String
    /// Behind INSERT INTO and the table's name.
    let values: String
    /// Behind UPDATE … SET.
    let assignments: String

    /// - Parameter table: the table's name in a statement that has several tables.
    init(of table: String = "", _ all: [Column]) {
        self.all = all
        list = all.map { (table.isEmpty ? "" : table + ".") + $0.name }.joined(separator: ", ")
        assignments = all.map { $0.name + " = ?" }.joined(separator: ", ")
        let names = all.map { $0.name }.joined(separator: ", ")
        values = "(\(names)) VALUES (\(all.map { _ in "?" }.joined(separator: ", ")))"
    }

    var count: Int32 { Int32(all.count) }

    /// Only these columns, in the order of the table. Unknown names are ignored.
    func only(_ names: TextSet) -> Columns { Columns(all.filter { names.contains($0.name) }) }

    func without(_ names: TextSet) -> Columns { Columns(all.filter { !names.contains($0.name) }) }

    /// Reads the columns of a statement's row, which begin with number `first`.
    func read(_ statement: Statement, from first: Int32, into row: inout Row) {
        var number = first
        for column in all {
            column.read(&row, statement, number)
            number += 1
        }
    }

    /// Binds the values of a row, in the columns' order; more may be bound behind them.
    @discardableResult
    func bind(_ row: Row, to statement: Statement) -> Statement {
        for column in all { column.bind(row, statement) }
        return statement
    }
}
