/// What a request whose answer comes piece by piece tells, in order: `opened` and bytes, then `ended` exactly once and
/// last; or `refused` alone; or `ended` alone.
public enum HTTPStreamEvent: Sendable {
    /// The answer has begun, with status 200.
    case opened
    /// A piece of the body as it came, cut anywhere; never empty.
    case bytes([UInt8])
    /// An answer with another status, whole.
    case refused(HTTPResponse)
    /// The answer is complete (`nil`), or why there is no more of it.
    case ended(NetworkFailure?)
}
