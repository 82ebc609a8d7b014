/// The session with the service. Sockets are numbered by the service machine, so that a late word of an old one is not
/// taken for the new one's.
enum SessionState {
    struct Login {
        var socket: UInt64
        /// By when the service has to have answered; of the whole attempt, also when it takes two sockets.
        var deadline: Int64
        /// Whether the session key was shown, not the access token.
        var usesSessionKey: Bool
    }

    struct Online {
        var socket: UInt64
        var pingInterval: Int64
        var pongTimeout: Int64
        var life: Life
    }

    /// What is planned to find out whether the peer still lives.
    enum Life {
        /// Something was heard; at this time a sign of life is asked for.
        case pingDue(at: Int64)
        /// It was asked for; whatever is heard until then is one.
        case waiting(until: Int64)
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
            switch online.life {
            case .pingDue(let time), .waiting(let time): return time
            }
        }
    }
}
