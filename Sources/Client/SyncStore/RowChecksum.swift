import SyncBytes
import SyncModel

/// The checksum of a row: of all columns in which a change must be found, in the order in which they are added.
///
/// It is stored in files, so its result must never change. Texts count by their bytes, whether they are UTF-8 or not.
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
