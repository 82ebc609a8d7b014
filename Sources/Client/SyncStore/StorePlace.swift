/// Where the cache and the outbox of one user are.
public enum StorePlace: Equatable, Sendable {
    /// Files in this directory.
    case directory(String)
    /// Nothing on the disk: both end with the client, with all that was not sent.
    case memory
}
