/// What the database is told when it is made.
public struct DatabaseOptions {
    /// The token of the administration.
    public let apiToken: String
    /// How often event streams send a sign of life, in milliseconds.
    public let keepAlive: Int64
    /// Whether requests with keys that have no effect are refused.
    public let isStrict: Bool

    public init(apiToken: String, keepAlive: Int64, isStrict: Bool) {
        self.apiToken = apiToken
        self.keepAlive = keepAlive
        self.isStrict = isStrict
    }
}
