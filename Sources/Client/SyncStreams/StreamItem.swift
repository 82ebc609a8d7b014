/// A row as its source gives it.
public struct StreamItem: Sendable {
    /// Unique within the source.
    public let key: String
    /// Any JSON value. It must be valid, since it is not checked again.
    public let json: [UInt8]
    /// Its place in the source's own order (`Rank`); `nil` when the source has no order.
    public let rank: String?

    public init(key: String, json: [UInt8], rank: String? = nil) {
        self.key = key
        self.json = json
        self.rank = rank
    }
}
