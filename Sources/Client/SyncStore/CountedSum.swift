/// The bytes of the messages of all channels together, as far as the channels have been read. They are read in the
/// order of their keys, some at a time, since there may be very many.
struct CountedSum {
    /// Channels up to this key are in the sum.
    private(set) var through: Int64 = 0
    private(set) var bytes: Int64 = 0
    private(set) var isComplete = false

    /// Adds the next channel in the order of keys.
    mutating func add(_ bytes: Int64, of channel: Int64) {
        let (sum, hasOverflown) = self.bytes.addingReportingOverflow(bytes)
        self.bytes = hasOverflown ? Int64.max : sum
        through = channel
    }

    mutating func complete() { isComplete = true }

    /// A channel's row changes. `before`: the bytes it took; `nil`: they are not known, so all channels have to be read
    /// again.
    mutating func replace(_ before: Int64?, with bytes: Int64, of channel: Int64) {
        guard isComplete || channel <= through else { return }
        guard let before, case let (sum, hasOverflown) = self.bytes.addingReportingOverflow(bytes &- before),
            !hasOverflown, sum >= 0
        else {
            self = CountedSum()
            return
        }
        self.bytes = sum
    }

    /// No channel takes anything.
    mutating func clear() { bytes = 0 }
}
