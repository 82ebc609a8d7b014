import SyncModel

/// Where the database is, and how patient its client.
public struct DatabaseOptions: Sendable {
    /// Scheme and host: "https://name.example".
    public var url: String
    /// The instance, where one host serves several; empty where the host says it.
    public var name: String
    /// A stream from which nothing came for so long is lost, in milliseconds. Services say something every 30 s.
    public var silence: Int64 = 75_000
    /// For a request to be answered, in milliseconds.
    public var timeout: Int64 = 30_000
    /// For how long an accepted write is shown though streams have not told it, in milliseconds.
    public var settling: Int64 = 5_000
    /// What the service tells is kept so long after it was told at the latest, in milliseconds.
    public var keeping: Int64 = 2_000
    /// The most bytes that a place may take which is listened to: as many as an answer may have.
    public var valueLimit = TransportRequest.answerLimit

    public init(url: String, name: String = "") {
        self.url = url
        self.name = name
    }
}
