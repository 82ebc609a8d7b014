import ServerBase

/// Which fields of a query were read. A field that nobody read had no effect, and its sender should be told. There is a
/// bit for each field by its position, since pages are read often, and this must cost them nothing.
final class KeyLedger {
    /// Notes every key that is asked for, when somebody wants to know them.
    var watch: KeyWatch?
    private var bits: UInt64 = 0

    /// Fields after the first sixty-four always count as read.
    func note(_ position: Int) {
        if position < 64 { bits |= 1 << UInt64(position) }
    }

    func isNoted(_ position: Int) -> Bool { position >= 64 || bits & (1 << UInt64(position)) != 0 }
}
