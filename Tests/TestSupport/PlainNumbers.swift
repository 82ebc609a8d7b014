import SyncModel

// Tests name calls and collections of a host by plain numbers.
extension CallID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt64) { self = .host(value) }
}

extension CollectionID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt64) { self = .host(value) }
}
