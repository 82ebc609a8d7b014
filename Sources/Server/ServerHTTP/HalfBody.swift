/// A body that breaks off in its middle.
final class HalfBody {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes.count > 1 ? bytes : [0x7B, 0x7D] }

    /// Fills the buffer; -2 breaks the connection.
    func read(_ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        let start = Int(clamping: position)
        let count = min(room, bytes.count / 2 - start)
        guard count > 0 else { return -2 }
        bytes.withUnsafeBytes { raw in
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: raw[start..<(start + count)]))
        }
        return count
    }
}
