import Glibc

/// The log of the process. Lines hold no message text, no name and no token.
enum Log {
    typealias Callback = @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void
    enum Level: Int32 { case error = 1, warning, info, debug }

    private static let monitor = Monitor()
    nonisolated(unsafe) private static var level: Int32 = 0
    nonisolated(unsafe) private static var callback: Callback?
    nonisolated(unsafe) private static var userData: UnsafeMutableRawPointer?

    static func set(level: Int32, callback: Callback?, userData: UnsafeMutableRawPointer?) {
        monitor.locked {
            self.level = callback == nil ? 0 : level
            self.callback = callback
            self.userData = userData
        }
    }

    static func write(_ level: Level, _ line: @autoclosure () -> String) {
        let target = monitor.locked { level.rawValue <= self.level ? (callback, userData) : (nil, nil) }
        guard let callback = target.0 else { return }
        line().withCString { callback(target.1, level.rawValue, $0) }
    }
}
