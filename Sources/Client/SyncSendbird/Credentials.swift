/// By what this user is known to the service.
struct Credentials {
    /// The host's.
    private(set) var accessToken = ""
    /// Given by the service at login and by renewal; empty when there is none.
    private(set) var sessionKey = ""
    /// Opens files that are given only to who is logged in; empty when there is none.
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
