import CSQLite
import SyncJSON

/// Functions of SQL for migrations.
///
/// - `checksum_of_json(text)`: the checksum of a JSON text; for any other text an error, which means damage.
/// - `checksum_of_text(text)`: the same of any text.
/// - `checksum_of_row(column, ...)`: the checksum of a row's columns, in this order.
enum ChecksumFunctions {
    private typealias Function =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    static func install(in handle: OpaquePointer?) -> Int32 {
        let functions: [(name: String, arguments: Int32, call: Function)] = [
            ("checksum_of_json", 1, ofJSON), ("checksum_of_text", 1, ofText), ("checksum_of_row", -1, ofRow),
        ]
        for function in functions {
            let code = sqlite3_create_function_v2(
                handle, function.name, function.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function.call, nil,
                nil, nil)
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    private static let ofJSON: Function = { context, count, values in
        guard count == 1, let value = values?[0] else { return sqlite3_result_error_code(context, SQLITE_MISUSE) }
        let text = ChecksumFunctions.text(value)
        guard text.baseAddress != nil, (try? JSONSlice.checked(text)) != nil else {
            return sqlite3_result_error_code(context, SQLITE_CORRUPT)
        }
        sqlite3_result_int64(context, Checksum.of(text))
    }

    private static let ofText: Function = { context, count, values in
        guard count == 1, let value = values?[0] else { return sqlite3_result_error_code(context, SQLITE_MISUSE) }
        sqlite3_result_int64(context, Checksum.of(ChecksumFunctions.text(value)))
    }

    private static let ofRow: Function = { context, count, values in
        var checksum = RowChecksum()
        for index in 0..<Int(max(0, count)) {
            guard let value = values?[index] else { return sqlite3_result_error_code(context, SQLITE_MISUSE) }
            if sqlite3_value_type(value) == SQLITE_INTEGER {
                checksum.add(sqlite3_value_int64(value))
            } else {
                checksum.add(ChecksumFunctions.text(value))
            }
        }
        sqlite3_result_int64(context, checksum.value)
    }

    /// The bytes of a text, which are valid until the function returns.
    private static func text(_ value: OpaquePointer) -> UnsafeRawBufferPointer {
        // The text has to be asked for before its size, since it may be converted.
        let start = sqlite3_value_text(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}
