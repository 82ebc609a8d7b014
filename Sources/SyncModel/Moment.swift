/// The moment of an input, given by whoever drives the engine.
public struct Moment: Sendable {
    /// Milliseconds of a clock that never jumps; deadlines are in it.
    public var monotonic: Int64
    /// Milliseconds since the epoch by this machine; only for the age of own messages, never for order.
    public var wall: Int64

    public init(monotonic: Int64, wall: Int64) {
        self.monotonic = monotonic
        self.wall = wall
    }
}
