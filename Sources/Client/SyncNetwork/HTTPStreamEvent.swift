/// The events of a request whose answer comes in pieces, in order: `opened` and bytes, then `ended` exactly once and
/// last; or `refused` alone; or `ended` alone.
public enum HTTPStreamEvent: Sendable {
    /// The answer has begun, with status 200.
    case opened
    /// A piece of the body as it came, cut anywhere; never empty.
    case bytes([UInt8])
    /// The whole answer, when it has another status.
    case refused(HTTPResponse)
    /// The answer is complete (`nil`), or why there is no more of it.
    case ended(NetworkFailure?)
}
