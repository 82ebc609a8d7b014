/// The token and keys by which the service knows this user.
struct Credentials {
    /// Given by the host.
    private(set) var accessToken = ""
    /// Given by the service at login and by renewal; empty when there is none.
    private(set) var sessionKey = ""
    /// Gives access to files that the service gives only to users who are logged in; empty when there is none.
    private(set) var fileKey = ""

    /// A key was given for one token and is of no use with another.
    mutating func setToken(_ token: String) {
        if token != accessToken { (sessionKey, fileKey) = ("", "") }
        accessToken = token
    }

    mutating func adopt(fileKey key: String) { if !key.isEmpty { fileKey = key } }

    /// Takes a key the service gave, if it gave one.
    mutating func adopt(sessionKey key: String) { if !key.isEmpty { sessionKey = key } }

    /// The key was refused: the next login uses the access token.
    mutating func forgetSessionKey() { sessionKey = "" }
}
