import SyncModel

/// Where a client gets the time and its network from, and who runs it.
package protocol ClientEnvironment: AnyObject, Sendable {
    /// Milliseconds of a clock that never jumps.
    var monotonic: Int64 { get }
    /// Milliseconds since the epoch.
    var wall: Int64 { get }
    /// A seed for ids, another one each time.
    func nextSeed() -> UInt64
    /// Random bytes for ids that differ from all others; `nil`: there are none.
    func randomBytes(_ count: Int) -> [UInt8]?
    /// The transport of a new client.
    func makeTransport(_ configuration: Configuration) -> any ClientTransport
    /// The files that a client sends and writes.
    func makeFiles() -> any FileLooking
    /// `nil`: time passes by itself, and each client has threads of its own.
    var virtualTime: (any VirtualTime)? { get }
}

extension ClientEnvironment {
    var now: Moment { Moment(monotonic: monotonic, wall: wall) }
}
