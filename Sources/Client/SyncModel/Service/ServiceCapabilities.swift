/// What a service can do. What it cannot, the engine replaces by asking for more.
public struct ServiceCapabilities: Equatable, Sendable {
    /// Tells which channels changed since a point; otherwise all are listed again after each login.
    public var hasChannelChanges: Bool
    /// Tells which messages were edited or deleted since a point; otherwise cached messages are asked for again.
    public var hasMessageChanges: Bool
    /// Tells what is missing behind the newest cached message; otherwise pages are asked for from there.
    public var hasGapCheck: Bool

    public init(hasChannelChanges: Bool = true, hasMessageChanges: Bool = true, hasGapCheck: Bool = true) {
        self.hasChannelChanges = hasChannelChanges
        self.hasMessageChanges = hasMessageChanges
        self.hasGapCheck = hasGapCheck
    }
}
