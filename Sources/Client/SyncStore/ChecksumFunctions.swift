import SyncJSON
import SyncSQLite

/// Functions of SQL for migrations and for rows whose columns are written one by one.
///
/// - `checksum_of_json(text)`: the checksum of a JSON text; for any other text an error, which means damage.
/// - `checksum_of_text(text)`: the same of any text.
/// - `checksum_of_row(column, ...)`: the checksum of a row's columns, in this order.
enum ChecksumFunctions {
    static var all: [SQLFunction] {
        [
            SQLFunction("checksum_of_json", argumentCount: 1) { arguments in
                let text = arguments.text(0)
                guard text.baseAddress != nil, (try? JSONSlice.checked(text)) != nil else { return .damage }
                return .number(Checksum.of(text))
            },
            SQLFunction("checksum_of_text", argumentCount: 1) { .number(Checksum.of($0.text(0))) },
            SQLFunction("checksum_of_row", argumentCount: nil) { arguments in
                var checksum = RowChecksum()
                for index in 0..<arguments.count {
                    if arguments.isInteger(index) {
                        checksum.add(arguments.int(index))
                    } else {
                        checksum.add(arguments.text(index))
                    }
                }
                return .number(checksum.value)
            },
        ]
    }
}
