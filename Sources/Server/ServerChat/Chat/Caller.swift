/// On whose behalf something is done.
public struct Caller {
    /// Empty for the administration when it acts for no user.
    public let userID: String
    /// Whether the caller has the Api-Token: then memberships and roles are not checked.
    public let isAdmin: Bool
    /// The socket that the command came by, if it came by one.
    public var socket: ChatSocket?

    public init(userID: String, isAdmin: Bool = false, socket: ChatSocket? = nil) {
        self.userID = userID
        self.isAdmin = isAdmin
        self.socket = socket
    }
}
