import CSQLite
import SyncJSON

/// `checksum_of_json(text)` for migrations: the checksum of what is JSON, an error that means damage for what is none.
enum JSONChecksumFunction {
    static func install(in handle: OpaquePointer?) -> Int32 {
        sqlite3_create_function_v2(
            handle, "checksum_of_json", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, count, values in
                guard count == 1, let value = values?[0] else {
                    return sqlite3_result_error_code(context, SQLITE_MISUSE)
                }
                // In this order: the text first, its size after the conversion it may need.
                let start = sqlite3_value_text(value)
                let text = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                guard start != nil, (try? JSONSlice.checked(text)) != nil else {
                    return sqlite3_result_error_code(context, SQLITE_CORRUPT)
                }
                sqlite3_result_int64(context, Checksum.of(text))
            }, nil, nil, nil)
    }
}
