import SyncModel

/// The checksum of a row: of all columns that must not change unseen, in the order in which they are added.
///
/// It stands in files, so its outcome never changes. Texts count by their bytes, whether they are UTF-8 or not.
struct RowChecksum {
    private var sum = Checksum.seed

    /// 32 bits, as SQLite keeps them in four bytes.
    var value: Int64 { Checksum.folded(sum) }

    mutating func add(_ number: Int64) { sum = Checksum.mixed(sum, UInt64(bitPattern: number)) }

    mutating func add(_ text: UnsafeRawBufferPointer) { add(Checksum.of(text)) }

    mutating func add(_ text: [UInt8]) { text.withUnsafeBytes { add($0) } }

    mutating func add(_ id: some TextID) { add(id.text) }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}
