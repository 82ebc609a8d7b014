import SyncBytes

/// What the chat is given when it is made.
public struct ChatOptions {
    /// Empty: clients may name any application.
    public var appID = "syncmanager"
    /// A gap of more messages than this is huge.
    public var hugeGap = 300
    /// How long an expiring session key is valid, in milliseconds.
    public var sessionLife: Int64 = 3_600_000
    /// In characters.
    public var maximumMessageLength = 65_536
    /// In seconds, as a login is told them.
    public var pingInterval: Int64 = 15
    public var pongTimeout: Int64 = 5
    /// The largest file that is taken, in MB; told at login.
    public var fileLimit: Int64 = 30
    /// The most bytes that all files together may have.
    public var fileQuota = Int64.max

    public init() {}

    /// Whether a client that names this application is at the right server; an empty name says nothing.
    public func isApplication(_ name: String) -> Bool {
        name.isEmpty || appID.isEmpty || name.isByteEqual(to: appID)
    }
}
