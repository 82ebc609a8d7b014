import SyncSQLite

/// Messages read out of the storage: their JSON one after the other, and where each one lies.
public struct MessagePage {
    public struct Entry {
        public let id: Int64
        public let createdAt: Int64
        public let range: Range<Int>
    }

    public var bytes: [UInt8] = []
    public var entries: [Entry] = []

    /// Appends the message of a row with `MessageRow.pageColumns`.
    public mutating func append(_ row: Statement, _ parts: MessageRow.Parts) {
        let start = bytes.count
        MessageRow.append(row, parts, to: &bytes)
        entries.append(Entry(id: row.int(0), createdAt: row.time(1), range: start..<bytes.count))
    }

    /// Makes room for `count` more messages of about the same size: growing by doubling would copy a page twice.
    public mutating func reserve(_ count: Int) {
        guard !entries.isEmpty, count > 0 else { return }
        let each = bytes.count / entries.count
        bytes.reserveCapacity(bytes.count + min(each + each / 8, 4096) * min(count, 256))
        entries.reserveCapacity(entries.count + min(count, 256))
    }

    /// Appends these entries to a JSON array that is open; commas are set as needed.
    public func write(_ entries: some Sequence<Entry>, to result: inout [UInt8]) {
        for entry in entries {
            if result.last != UInt8(ascii: "[") { result.append(UInt8(ascii: ",")) }
            result.append(contentsOf: bytes[entry.range])
        }
    }
}

/// The messages around a place: before it, newest first; at it, and after it, oldest first.
struct PagesAround {
    var older = MessagePage()
    var exact = MessagePage()
    var newer = MessagePage()

    var count: Int { older.entries.count + exact.entries.count + newer.entries.count }

    /// The bytes of all messages, with a comma for each.
    var size: Int { older.bytes.count + exact.bytes.count + newer.bytes.count + count }

    var first: MessagePage.Entry? { older.entries.last ?? exact.entries.first ?? newer.entries.first }
    var last: MessagePage.Entry? { newer.entries.last ?? exact.entries.last ?? older.entries.first }

    /// Appends the messages to a JSON array that is open, oldest first or the other way round.
    func write(isReversed: Bool, to result: inout [UInt8]) {
        if isReversed {
            newer.write(newer.entries.reversed(), to: &result)
            exact.write(exact.entries.reversed(), to: &result)
            older.write(older.entries, to: &result)
        } else {
            older.write(older.entries.reversed(), to: &result)
            exact.write(exact.entries, to: &result)
            newer.write(newer.entries, to: &result)
        }
    }
}
