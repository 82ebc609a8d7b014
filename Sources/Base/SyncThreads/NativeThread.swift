import CLinux
import Glibc

/// A POSIX thread of the library.
///
/// All signals are blocked in it, except those that a fault in the thread itself raises. So no signal of the host is
/// handled on it, and a crash handler of the host still gets faults.
public struct NativeThread: @unchecked Sendable {
    private final class Start {
        let name: StaticString
        let body: () -> Void

        init(name: StaticString, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private let id: pthread_t

    /// Starts a thread that runs `body` to its end; `nil` when the system gives none. `name` is what tools show, at
    /// most 15 bytes.
    public init?(_ name: StaticString, _ body: @escaping @Sendable () -> Void) {
        var mask = sigset_t()
        var before = sigset_t()
        sigfillset(&mask)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&mask, fault) }
        pthread_sigmask(SIG_SETMASK, &mask, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var id = pthread_t()
        let code = pthread_create(&id, nil, { context in
            guard let context else { return nil }
            let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
            start.name.withUTF8Buffer { name in
                _ = name.withMemoryRebound(to: CChar.self) { name in
                    name.baseAddress.map { pthread_setname_np(pthread_self(), $0) }
                }
            }
            start.body()
            return nil
        }, start.toOpaque())
        guard code == 0 else {
            start.release()
            return nil
        }
        self.id = id
    }

    public var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }

    /// Waits until it has ended. To be called once, from another thread.
    public func join() { pthread_join(id, nil) }

    /// Detaches it, so that it need not be joined.
    public func detach() { pthread_detach(id) }
}
