/// On whose behalf something is done.
struct Caller {
    /// Empty for the administration acting for nobody.
    let userID: String
    /// Whether it came with the Api-Token: then no membership or role is asked for.
    let isAdmin: Bool
    /// The socket it came by.
    var socket: ChatSocket?

    init(userID: String, isAdmin: Bool = false, socket: ChatSocket? = nil) {
        self.userID = userID
        self.isAdmin = isAdmin
        self.socket = socket
    }
}
