import SyncSQLite

/// Rows in which one column holds the checksum of others.
extension Statement {
    /// Binds as the next parameters a checksum, a text (without copying it) and a key, and runs to the end.
    func run(withChecksum checksum: Int64, text: [UInt8], _ key: Int64? = nil) throws(StoreError) {
        let failure: StoreError? = text.withUnsafeBytes { bytes in
            bind(checksum).bind(lastingText: bytes)
            if let key { bind(key) }
            do throws(StoreError) {
                try run()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// The checksum of columns, in their order, as the row has them.
    func checksum(_ columns: ClosedRange<Int32>) -> Int64 {
        var checksum = RowChecksum()
        for column in columns {
            if isInteger(column) {
                checksum.add(int(column))
            } else {
                checksum.add(utf8(column))
            }
        }
        return checksum.value
    }

    /// Whether the checksum of columns equals the value of another column.
    func matches(_ columns: ClosedRange<Int32>, checksum column: Int32) -> Bool { checksum(columns) == int(column) }

    /// Compares the checksum of columns with the value of another column. A mismatch is damage of the file.
    func check(_ columns: ClosedRange<Int32>, checksum column: Int32) throws(StoreError) {
        guard matches(columns, checksum: column) else {
            reset()
            throw connection.damage("a row does not match its checksum")
        }
    }
}
