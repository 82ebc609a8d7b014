import SyncThreads

/// The environment of clients that are made from now on.
package enum Environments {
    private static let monitor = Monitor()
    nonisolated(unsafe) private static var chosen: (any ClientEnvironment)?

    static var current: any ClientEnvironment { monitor.locked { chosen } ?? Machine.shared }

    /// Chooses an environment; `nil`: this machine. `false`: another one is chosen already.
    package static func choose(_ environment: (any ClientEnvironment)?) -> Bool {
        monitor.locked {
            if environment != nil, chosen != nil { return false }
            chosen = environment
            return true
        }
    }
}
