/// What a channel is, and what this user is in it, as filters ask for it.
public struct ChannelTraits: Equatable, Sendable {
    public var isSuper = false
    public var isBroadcast = false
    public var isExclusive = false
    public var isPublic = false
    public var isChatNotification = false
    /// "joined", "invited" or "none".
    public var memberState = "none"
    /// "unhidden", "hidden_allow_auto_unhide" or "hidden_prevent_auto_unhide"; empty when the service does not say.
    public var hiddenState = ""

    public init() {}
}
