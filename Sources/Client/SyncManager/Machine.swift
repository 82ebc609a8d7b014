import Glibc
import SyncBytes
import SyncModel
import SyncThreads

/// The clocks, the network and the threads of this machine.
final class Machine: ClientEnvironment {
    static let shared = Machine()

    var monotonic: Int64 { Clock.monotonic }
    var wall: Int64 { Clock.wall }

    /// It must differ from those of every other client on any machine.
    func nextSeed() -> UInt64 {
        let time = UInt64(bitPattern: Clock.wall) ^ UInt64(UInt32(bitPattern: getpid())) << 32
        guard let bytes = randomBytes(8) else { return time }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) } ^ time
    }

    func randomBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return SystemRandom.fill(&bytes) ? bytes : nil
    }

    func makeTransport(_ configuration: Configuration) -> any ClientTransport {
        NetworkTransport(caFile: configuration.caFile)
    }
    func makeFiles() -> any FileLooking { DiskFiles() }
    var virtualTime: (any VirtualTime)? { nil }
}
