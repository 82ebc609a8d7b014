/// A row as its source gives it.
public struct StreamItem: Sendable {
    /// Unique within the source.
    public let key: String
    /// Any JSON value; valid, since nobody checks it again.
    public let json: [UInt8]
    /// Where the source has it (`Rank`), for streams in the source's own order; `nil` where it has none.
    public let rank: String?

    public init(key: String, json: [UInt8], rank: String? = nil) {
        self.key = key
        self.json = json
        self.rank = rank
    }
}
