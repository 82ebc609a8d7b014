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
    func install(in handle: OpaquePointer?, of library: SQLiteLibrary) -> Int32 {
        // SQLite releases the closure when the connection closes, or at once when this fails.
        let kept = Unmanaged.passRetained(Body(library.functions, body))
        let isLinked = library.functions == SQLiteLibrary.linked.functions
        return library.functions.pointee.create_function_v2(
            handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, kept.toOpaque(),
            isLinked ? SQLFunction.callInLinked : SQLFunction.callInEncrypting, nil, nil,
            { if let kept = $0 { Unmanaged<Body>.fromOpaque(kept).release() } })
    }

    private typealias Call = @convention(c) (
        OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void

    // A context gives the function's data, but only by a call to the library that made the context.
    private static let callInLinked: Call = { context, count, values in
        call(SQLiteLibrary.linked.functions.pointee.user_data(context), context, count, values)
    }
    private static let callInEncrypting: Call = { context, count, values in
        guard let library = try? SQLiteLibrary.encrypting.get() else { return }
        call(library.functions.pointee.user_data(context), context, count, values)
    }

    private static func call(
        _ kept: UnsafeMutableRawPointer?, _ context: OpaquePointer?, _ count: Int32,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let kept else { return }
        let body = Unmanaged<Body>.fromOpaque(kept).takeUnretainedValue()
        let sqlite = body.sqlite
        switch body.call(SQLArguments(of: sqlite, values: values, count: Int(max(0, count)))) {
        case .number(let number): sqlite.pointee.result_int64(context, number)
        case .text(let bytes):
            shim_sqlite3_result_text_transient(sqlite, context, bytes, Int32(clamping: bytes.count))
        case .damage: sqlite.pointee.result_error_code(context, SQLITE_CORRUPT)
        }
    }

    private final class Body {
        let sqlite: UnsafePointer<shim_sqlite>
        let call: (SQLArguments) -> Result

        init(_ sqlite: UnsafePointer<shim_sqlite>, _ call: @escaping (SQLArguments) -> Result) {
            self.sqlite = sqlite
            self.call = call
        }
    }
}
