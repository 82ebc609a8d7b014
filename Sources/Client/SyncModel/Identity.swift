/// A call that is told how it ends: the host's, by the number that the host got, or one of a stream's own.
///
/// The host knows a listen of the realtime database by the call that began it, and so does the engine.
public enum CallID: Hashable, Sendable {
    case host(UInt64)
    /// A stream over the database has two listens while it changes from one to the other.
    case stream(UInt64, isSecond: Bool = false)

    /// Of the host's call, or of the stream.
    public var number: UInt64 {
        switch self {
        case .host(let number), .stream(let number, _): number
        }
    }

    /// The stream that is told; `nil`: the host is.
    public var stream: UInt64? {
        switch self {
        case .host: nil
        case .stream(let stream, _): stream
        }
    }
}

extension CallID: Comparable {
    /// The host's before those of streams, each in the order of their numbers.
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

/// A collection: the host's, by its number there, the one of its own that feeds a stream, or one that nobody is told
/// of, by which a channel is prefetched.
public enum CollectionID: Hashable, Sendable {
    case host(UInt64)
    case stream(UInt64)
    case prefetch(UInt64)

    /// Of the host's collection, or of the stream.
    public var number: UInt64 {
        switch self {
        case .host(let number), .stream(let number), .prefetch(let number): number
        }
    }

    public var isPrefetch: Bool { if case .prefetch = self { true } else { false } }

    /// Whose it is.
    private var rank: Int {
        switch self {
        case .host: 0
        case .stream: 1
        case .prefetch: 2
        }
    }
}

extension CollectionID: Comparable {
    /// The host's before those of streams and those of prefetching, each in the order of their numbers.
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
