import SyncThreads

/// The clocks, the network and the threads of this machine.
final class Machine: ClientEnvironment {
    static let shared = Machine()

    var monotonic: Int64 { Clock.monotonic }
    var wall: Int64 { Clock.wall }
    func nextSeed() -> UInt64? { nil }
    func makeTransport(_ configuration: Configuration) -> any ClientTransport {
        NetworkTransport(caFile: configuration.caFile)
    }
    var virtualTime: (any VirtualTime)? { nil }
}
