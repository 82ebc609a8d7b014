/// A frame to be sent once its cause is stored.
public struct Broadcast {
    public let frame: [UInt8]
    public let users: [String]
    /// The socket that gets an acknowledgement instead.
    public var except: ChatSocket?
    /// Whether unread counts may change with it: then the frame for each user has this user's total.
    public var carriesUnread = false

    public init(frame: [UInt8], users: [String], except: ChatSocket? = nil, carriesUnread: Bool = false) {
        self.frame = frame
        self.users = users
        self.except = except
        self.carriesUnread = carriesUnread
    }
}
