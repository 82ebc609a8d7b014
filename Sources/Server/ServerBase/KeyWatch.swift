import SyncBytes

/// Which keys of a request its handler may read, and which it has read, whether the request has them or not.
public final class KeyWatch {
    /// `nil` is all of them.
    public let accepted: TextSet?
    public private(set) var read: TextSet = []

    public init(accepted: TextSet?) { self.accepted = accepted }

    public func note(_ key: String) { read.insert(key) }

    /// The keys that the handler has read although it may not read them.
    public var strays: TextSet { accepted.map { read.subtracting($0) } ?? [] }
}
