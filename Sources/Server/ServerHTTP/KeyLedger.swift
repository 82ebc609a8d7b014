import ServerBase

/// Which fields of a query somebody read. What nobody read had no effect, and its sender should hear of it. A bit for
/// each by its position: pages are read often, and this must cost them nothing.
final class KeyLedger {
    /// Who wants to hear of every key that is asked for.
    var watch: KeyWatch?
    private var bits: UInt64 = 0

    /// Of what comes after the first sixty-four, nothing is said.
    func note(_ position: Int) {
        if position < 64 { bits |= 1 << UInt64(position) }
    }

    func isNoted(_ position: Int) -> Bool { position >= 64 || bits & (1 << UInt64(position)) != 0 }
}
