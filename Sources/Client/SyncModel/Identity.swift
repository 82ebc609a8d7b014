/// A call that gets a result: one of the host, by the number that the host got, or one that a stream makes by itself.
///
/// The host knows a listen of the realtime database by the call that began it, and so does the engine.
public enum CallID: Hashable, Sendable {
    case host(UInt64)
    /// A stream over the database has two listens while it changes from one to the other.
    case stream(UInt64, isSecond: Bool = false)

    /// The number of the host's call, or of the stream.
    public var number: UInt64 {
        switch self {
        case .host(let number), .stream(let number, _): number
        }
    }

    /// The stream that gets the result; `nil`: the host gets it.
    public var stream: UInt64? {
        switch self {
        case .host: nil
        case .stream(let stream, _): stream
        }
    }
}

extension CallID: Comparable {
    /// Calls of the host come before those of streams, each in the order of their numbers.
    public static func < (one: CallID, other: CallID) -> Bool { one.key < other.key }

    private var key: (Int, UInt64) {
        switch self {
        case .host(let number): (0, number)
        case .stream(let stream, let isSecond): (isSecond ? 2 : 1, stream)
        }
    }
}

extension CallID: CustomStringConvertible {
    public var description: String {
        switch self {
        case .host(let number): "\(number)"
        case .stream(let stream, let isSecond): "\(stream) of a stream\(isSecond ? ", second" : "")"
        }
    }
}

/// A collection: one of the host, by the number that the host got; one that feeds a stream; or one that prefetches a
/// channel and tells nobody.
public enum CollectionID: Hashable, Sendable {
    case host(UInt64)
    case stream(UInt64)
    case prefetch(UInt64)

    /// The number of the host's collection, of the stream, or of the prefetch.
    public var number: UInt64 {
        switch self {
        case .host(let number), .stream(let number), .prefetch(let number): number
        }
    }

    public var isPrefetch: Bool { if case .prefetch = self { true } else { false } }

    /// By whose collection it is, for the order.
    private var rank: Int {
        switch self {
        case .host: 0
        case .stream: 1
        case .prefetch: 2
        }
    }
}

extension CollectionID: Comparable {
    /// Collections of the host come before those of streams and those of prefetching, each in the order of their
    /// numbers.
    public static func < (one: CollectionID, other: CollectionID) -> Bool {
        (one.rank, one.number) < (other.rank, other.number)
    }
}

extension CollectionID: CustomStringConvertible {
    public var description: String {
        switch self {
        case .host(let number): "\(number)"
        case .stream(let stream): "\(stream) of a stream"
        case .prefetch(let number): "\(number) of prefetching"
        }
    }
}
