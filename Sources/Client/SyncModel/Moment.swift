/// The moment of an input, given by whoever drives the engine.
public struct Moment: Sendable {
    /// Milliseconds of a clock that never jumps; deadlines are in it.
    public var monotonic: Int64
    /// Milliseconds since the epoch by this machine; only for the age of own messages, never for order.
    public var wall: Int64
    /// When the oldest input of the network came that still waits, by the monotonic clock; `nil`: none waits.
    public var unheardSince: Int64?

    public init(monotonic: Int64, wall: Int64) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// The monotonic time up to which everything that came from the network has been taken in. A deadline that ends
    /// because nothing came is compared with this time.
    public var heard: Int64 { unheardSince.map { min($0, monotonic) } ?? monotonic }

    /// The earlier of two times, of which either may be missing.
    public static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
