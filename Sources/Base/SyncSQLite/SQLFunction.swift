import CSQLite

/// A function that statements of a connection can call. Its result depends on its arguments only.
public struct SQLFunction {
    /// What a function gives.
    public enum Result {
        case number(Int64)
        /// As UTF-8.
        case text([UInt8])
        /// The arguments cannot have come from a sound file: the statement fails as with a damaged page.
        case damage
    }

    let name: String
    let argumentCount: Int32
    let body: (SQLArguments) -> Result

    /// - Parameters:
    ///   - argumentCount: `nil` when it takes any number. A statement with another number does not compile.
    ///   - body: runs within a step of a statement, and must not use the connection.
    public init(_ name: String, argumentCount: Int32?, _ body: @escaping (SQLArguments) -> Result) {
        self.name = name
        self.argumentCount = argumentCount ?? -1
        self.body = body
    }

    /// Makes the function known to a connection; the result is a code of SQLite.
    func install(in handle: OpaquePointer?) -> Int32 {
        // SQLite releases the closure when the connection closes, or at once when this fails.
        let kept = Unmanaged.passRetained(Body(call: body))
        return sqlite3_create_function_v2(
            handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, kept.toOpaque(),
            { context, count, values in
                guard let kept = sqlite3_user_data(context) else { return }
                let body = Unmanaged<Body>.fromOpaque(kept).takeUnretainedValue()
                switch body.call(SQLArguments(values: values, count: Int(max(0, count)))) {
                case .number(let number): sqlite3_result_int64(context, number)
                case .text(let bytes): shim_sqlite3_result_text_transient(context, bytes, Int32(clamping: bytes.count))
                case .damage: sqlite3_result_error_code(context, SQLITE_CORRUPT)
                }
            }, nil, nil, { if let kept = $0 { Unmanaged<Body>.fromOpaque(kept).release() } })
    }

    private final class Body {
        let call: (SQLArguments) -> Result
        init(call: @escaping (SQLArguments) -> Result) { self.call = call }
    }
}
