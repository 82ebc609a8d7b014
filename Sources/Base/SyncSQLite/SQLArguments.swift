import CSQLite

/// What a function of SQL was called with; valid until the function returns.
public struct SQLArguments {
    private let sqlite: UnsafePointer<shim_sqlite>
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    public let count: Int

    init(of sqlite: UnsafePointer<shim_sqlite>, values: UnsafeMutablePointer<OpaquePointer?>?, count: Int) {
        self.sqlite = sqlite
        self.values = values
        self.count = values == nil ? 0 : count
    }

    private func value(_ index: Int) -> OpaquePointer? { (0..<count).contains(index) ? values?[index] : nil }

    public func isInteger(_ index: Int) -> Bool { value(index).map { sqlite.pointee.value_type($0) } == SQLITE_INTEGER }

    public func int(_ index: Int) -> Int64 { value(index).map { sqlite.pointee.value_int64($0) } ?? 0 }

    /// The bytes of a text; without an address for NULL, and where there is no such argument.
    public func text(_ index: Int) -> UnsafeRawBufferPointer {
        // The text has to be asked for before its size, since it may be converted.
        guard let value = value(index), let start = sqlite.pointee.value_text(value) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite.pointee.value_bytes(value)))
    }
}
