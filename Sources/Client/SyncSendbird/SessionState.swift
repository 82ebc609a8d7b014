/// The session with the service. Sockets are numbered, so that late input from an old one is not taken for the new
/// one's.
enum SessionState {
    struct Login {
        var socket: UInt64
        /// By when the service has to have answered; for the whole attempt, also when it takes two sockets.
        var deadline: Int64
        /// Whether the session key was sent, not the access token.
        var usesSessionKey: Bool
    }

    struct Online {
        var socket: UInt64
        var pingInterval: Int64
        var pongTimeout: Int64
        var keepAlive: KeepAlive
    }

    enum KeepAlive {
        /// Nothing has to be done before this time, when a ping is sent.
        case pingDue(at: Int64)
        /// A ping was sent; without any input by this time the connection is lost.
        case pongDue(by: Int64)
    }

    case offline
    /// The socket is being opened.
    case opening(Login)
    /// The socket is open, the service has not answered the login.
    case loggingIn(Login)
    case online(Online)

    /// The socket of this session.
    var socket: UInt64? {
        switch self {
        case .offline: nil
        case .opening(let login), .loggingIn(let login): login.socket
        case .online(let online): online.socket
        }
    }

    /// The login that is under way.
    var login: Login? {
        switch self {
        case .opening(let login), .loggingIn(let login): login
        case .offline, .online: nil
        }
    }

    /// When there is something to do.
    var deadline: Int64? {
        switch self {
        case .offline: return nil
        case .opening(let login), .loggingIn(let login): return login.deadline
        case .online(let online):
            switch online.keepAlive {
            case .pingDue(let time), .pongDue(let time): return time
            }
        }
    }
}
