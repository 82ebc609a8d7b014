import SyncRealtime

/// The realtime database of a configuration.
public struct DatabaseSetup: Sendable {
    public var options: DatabaseOptions
    /// The token that says who this user is; `nil`: requests have no token.
    public var token: String?

    public init(_ options: DatabaseOptions, token: String?) {
        self.options = options
        self.token = token
    }
}
