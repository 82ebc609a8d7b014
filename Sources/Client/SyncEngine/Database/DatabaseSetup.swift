import SyncRealtime

/// The realtime database of a configuration.
public struct DatabaseSetup: Sendable {
    public var options: DatabaseOptions
    /// What the service knows this user by; `nil`: nothing is said.
    public var token: String?

    public init(_ options: DatabaseOptions, token: String?) {
        self.options = options
        self.token = token
    }
}
