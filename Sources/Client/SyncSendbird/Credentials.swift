/// By what this user is known to the service.
struct Credentials {
    /// The host's.
    private(set) var accessToken = ""
    /// Given by the service at login and by renewal; empty when there is none.
    private(set) var sessionKey = ""

    /// A key was given for one token and is of no use with another.
    mutating func setToken(_ token: String) {
        if token != accessToken { sessionKey = "" }
        accessToken = token
    }

    /// Takes a key the service gave, if it gave one.
    mutating func adopt(sessionKey key: String) { if !key.isEmpty { sessionKey = key } }

    /// The key was refused: the next login uses the access token.
    mutating func forgetSessionKey() { sessionKey = "" }
}
