/// The checksum of a row's JSON, stored with it, so that damaged data does not reach a host.
///
/// It is stored in every file, so its result for the same bytes must never change. It finds damage, not forgery. It is
/// computed here because the checksums of the libraries in use are much slower than the memory copy that goes with it;
/// here four lanes of eight bytes are computed independently.
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
        // The lanes are combined in order, so that exchanged words change the result.
        var sum = mixed(UInt64(count), first)
        sum = mixed(sum, second)
        sum = mixed(sum, third)
        sum = mixed(sum, fourth)
        return folded(sum)
    }

    static func folded(_ sum: UInt64) -> Int64 { Int64(Int32(truncatingIfNeeded: sum >> 32 ^ sum)) }

    /// Injective in each argument, so a single damaged word always changes its lane.
    @inline(__always)
    static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word) &* factor
        return product ^ product >> 29
    }
}
