/// What the routes go by besides the chat's own options.
public struct RouterOptions {
    /// The token of the administration.
    let apiToken: String
    /// Scheme, host and port by which files are reached when a request does not say how it came.
    let origin: String
    /// Whether requests with keys that have no effect are refused.
    let isStrict: Bool

    public init(apiToken: String, origin: String, isStrict: Bool) {
        self.apiToken = apiToken
        self.origin = origin
        self.isStrict = isStrict
    }
}
