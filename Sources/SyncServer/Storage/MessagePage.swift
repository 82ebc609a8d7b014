/// Messages read out of the storage: their JSON one after the other, and where each one lies.
struct MessagePage {
    struct Entry {
        let id: Int64
        let createdAt: Int64
        let range: Range<Int>
    }

    var bytes: [UInt8] = []
    var entries: [Entry] = []

    /// Appends the message of a row with `MessageRow.pageColumns`.
    mutating func append(_ row: Statement, _ parts: MessageRow.Parts) {
        let start = bytes.count
        MessageRow.append(row, parts, to: &bytes)
        entries.append(Entry(id: row.int(0), createdAt: row.int(1), range: start..<bytes.count))
    }

    /// Appends these entries as a JSON array.
    func write(_ entries: [Entry], to result: inout [UInt8]) {
        result.append(UInt8(ascii: "["))
        var isFirst = true
        for entry in entries {
            if !isFirst { result.append(UInt8(ascii: ",")) }
            isFirst = false
            result.append(contentsOf: bytes[entry.range])
        }
        result.append(UInt8(ascii: "]"))
    }
}
