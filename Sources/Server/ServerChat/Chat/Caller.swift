/// On whose behalf something is done.
public struct Caller {
    /// Empty for the administration acting for nobody.
    public let userID: String
    /// Whether it came with the Api-Token: then no membership or role is asked for.
    public let isAdmin: Bool
    /// The socket it came by.
    public var socket: ChatSocket?

    public init(userID: String, isAdmin: Bool = false, socket: ChatSocket? = nil) {
        self.userID = userID
        self.isAdmin = isAdmin
        self.socket = socket
    }
}
