/// What the routes go by besides the chat's own options.
public struct RouterOptions {
    /// The token of the administration.
    let apiToken: String
    /// Host and port by which files are reached when a request does not say how it came.
    let address: String
    /// Whether requests with keys that have no effect are refused.
    let isStrict: Bool

    public init(apiToken: String, address: String, isStrict: Bool) {
        self.apiToken = apiToken
        self.address = address
        self.isStrict = isStrict
    }
}
