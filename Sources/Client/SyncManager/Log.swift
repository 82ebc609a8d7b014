import Glibc
import SyncThreads

/// The log of the process. Lines hold no message text, no name and no token.
enum Log {
    typealias Callback = @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void
    enum Level: Int32 { case error = 1, warning, info, debug }

    /// Held while the callback runs. So lines come one at a time, and when `set` has returned, the previous callback
    /// does not run any more.
    private static let monitor = Monitor()
    /// Not null on a thread that is inside the callback.
    private static let inside: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()
    nonisolated(unsafe) private static var level: Int32 = 0
    nonisolated(unsafe) private static var callback: Callback?
    nonisolated(unsafe) private static var userData: UnsafeMutableRawPointer?

    static func set(
        level: Int32, callback: Callback?, userData: UnsafeMutableRawPointer?
    ) throws(BorderError) {
        guard pthread_getspecific(inside) == nil else {
            throw BorderError(.reentrant, "the log cannot be set from its own callback")
        }
        monitor.locked {
            self.level = callback == nil ? 0 : level
            self.callback = callback
            self.userData = userData
        }
    }

    static func write(_ level: Level, _ line: @autoclosure () -> String) {
        monitor.locked {
            guard level.rawValue <= self.level, let callback else { return }
            let text = line()
            pthread_setspecific(inside, UnsafeRawPointer(bitPattern: 1))
            text.withCString { callback(userData, level.rawValue, $0) }
            pthread_setspecific(inside, nil)
        }
    }
}
