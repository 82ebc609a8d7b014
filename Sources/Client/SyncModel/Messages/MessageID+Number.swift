import SyncJSON

/// For services that number their messages.
extension MessageID {
    public init(number: Int64) { self.init(String(number)) }

    /// A number, where it is one.
    public var json: JSON { Int64(text).map { .int($0) } ?? .string(text) }
}
