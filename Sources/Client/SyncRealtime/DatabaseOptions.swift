import SyncModel

/// Where the database is, and how long the client waits.
public struct DatabaseOptions: Sendable {
    /// Scheme and host: "https://name.example".
    public var url: String
    /// The instance, when one host serves several; empty when the host name says it.
    public var name: String
    /// A stream that sends nothing for so long is taken as lost, in milliseconds. Services send something every 30 s.
    public var silence: Int64 = 75_000
    /// The time in which a request has to be answered, in milliseconds.
    public var timeout: Int64 = 30_000
    /// How long an accepted write is shown before streams have told it, in milliseconds.
    public var settling: Int64 = 5_000
    /// The longest time until a value that the service has told is kept, in milliseconds.
    public var keeping: Int64 = 2_000
    /// The most bytes that the value of a listened place may have: as many as an answer.
    public var valueLimit = TransportRequest.answerLimit

    public init(url: String, name: String = "") {
        self.url = url
        self.name = name
    }
}
