import CLinux
import Glibc
import ServerBase

/// The program `syncmanager-server` as one call: reads its options, fills the storage, serves until it is told to stop.
public enum ServerProgram {
    /// Runs the server; the result is the process's exit status.
    public static func run(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
        switch ServerOptions.parse(count, words) {
        case .help:
            _ = shim_write_stdout(ServerOptions.usage)
            return 0
        case .wrong(let why):
            _ = shim_write_stderr(why + ServerOptions.usage)
            return 2
        case .options(let options):
            raiseDescriptorLimit()
            keepMemory()
            do {
                let server = try Server(options)
                let seeded = try server.core.start()
                return server.run(seeded)
            } catch {
                Log.failure("cannot start", error)
                return 1
            }
        }
    }

    /// Keeps freed memory in the process, as much as a few pages of messages take. Otherwise, depending on the state of
    /// the heap, each larger answer gets pages from the kernel and gives them back, a quarter of what the answer costs.
    private static func keepMemory() {
        _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
        _ = mallopt(M_MMAP_THRESHOLD, 2 << 20)
    }

    /// Lets the process have as many sockets as the system allows.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
