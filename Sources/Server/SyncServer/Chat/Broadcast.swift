/// A frame to be sent once its cause is stored.
struct Broadcast {
    let frame: [UInt8]
    let users: [String]
    /// The socket that gets an acknowledgement instead.
    var except: ChatSocket?
    /// Whether it may change what is unread: then each user's total rides on it.
    var carriesUnread = false
}
