/// The checksum of a row's JSON, kept beside it: what is read from a damaged file must not reach a host.
///
/// It stands in every file, so its outcome never changes. It finds damage, not forgery. No library's checksum that this
/// one already depends on is near the speed of the memory copy that goes with it; here four lanes of eight bytes do
/// not wait for each other.
enum Checksum {
    static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let factor: UInt64 = 0xD6E8_FEB8_6659_FD93

    /// 32 bits, as SQLite keeps them in four bytes.
    static func of(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        var first = seed
        var second = ~seed
        var third = factor
        var fourth = ~factor
        var offset = 0
        let count = bytes.count
        func word(_ at: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        }
        while count - offset >= 32 {
            first = mixed(first, word(offset))
            second = mixed(second, word(offset + 8))
            third = mixed(third, word(offset + 16))
            fourth = mixed(fourth, word(offset + 24))
            offset += 32
        }
        while count - offset >= 8 {
            first = mixed(first, word(offset))
            offset += 8
        }
        var rest = UInt64(count - offset)
        while offset < count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        first = mixed(first, rest)
        // The lanes are put together one after the other, so that words that changed places make a difference.
        var sum = mixed(UInt64(count), first)
        sum = mixed(sum, second)
        sum = mixed(sum, third)
        sum = mixed(sum, fourth)
        return folded(sum)
    }

    static func folded(_ sum: UInt64) -> Int64 { Int64(Int32(truncatingIfNeeded: sum >> 32 ^ sum)) }

    /// One to one in each argument: a single damaged word always shows in its lane.
    @inline(__always)
    static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word) &* factor
        return product ^ product >> 29
    }
}
