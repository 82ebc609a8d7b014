import SyncThreads

/// The environment of clients that are made from now on.
package enum Environments {
    private static let monitor = Monitor()
    nonisolated(unsafe) private static var chosen: (any ClientEnvironment)?

    static var current: any ClientEnvironment { monitor.locked { chosen } ?? Machine.shared }

    /// Chooses an environment; `false`: another one is chosen already.
    package static func choose(_ environment: any ClientEnvironment) -> Bool {
        monitor.locked {
            if chosen != nil { return false }
            chosen = environment
            return true
        }
    }

    /// Goes back to this machine, if this environment is the chosen one.
    package static func leave(_ environment: any ClientEnvironment) {
        monitor.locked { if chosen === environment { chosen = nil } }
    }
}
