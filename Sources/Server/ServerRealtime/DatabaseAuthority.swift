import ServerBase
import ServerHTTP
import SyncBytes
import SyncJSON

/// In whose name a request comes, as the rules see it.
struct DatabaseAuthority {
    /// What rules call `auth`; `nil` is null.
    let auth: JSON?
    /// Whether everything is allowed, without asking the rules.
    let isAdministrator: Bool
    /// The session key of the request, which may run out.
    let sessionKey: String?

    static var nobody: DatabaseAuthority { DatabaseAuthority(auth: nil, isAdministrator: false, sessionKey: nil) }

    /// Finds out who asks: `Authorization: Bearer`, `access_token=` or `auth=` with "owner" or the administration's
    /// token, or with a session key of a user of the chat.
    init(_ request: HTTPRequest, _ accounts: any SessionAccounts, apiToken: String) throws {
        let query = request.query
        var token = query.text("auth", "access_token")
        if token.isEmpty, let header = request.header("Authorization") {
            let parts = header.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else {
                throw DatabaseRefusal(401, "Unauthorized request.")
            }
            token = String(parts[1])
        }
        let found: DatabaseAuthority
        if token.isEmpty {
            found = .nobody
        } else if token == "owner" || token.isByteEqual(to: apiToken) {
            found = DatabaseAuthority(auth: nil, isAdministrator: true, sessionKey: nil)
        } else {
            let user = try DatabaseAuthority.user(token, accounts)
            let auth = JSON.object([
                "uid": .string(user.id), "provider": "syncmanager",
                "token": .object(["sub": .string(user.id), "name": .string(user.nickname)]),
            ])
            found = DatabaseAuthority(auth: auth, isAdministrator: false, sessionKey: token)
        }
        guard let text = query["auth_variable_override"] else {
            self = found
            return
        }
        guard found.isAdministrator else { throw DatabaseRefusal.denied }
        guard let auth = try? JSON.parse(text), auth.kind == .object || auth.isNull else {
            throw DatabaseRefusal.parameter("auth_variable_override", "an object or null is expected")
        }
        self = DatabaseAuthority(auth: auth.isNull ? nil : auth, isAdministrator: false, sessionKey: nil)
    }

    private init(auth: JSON?, isAdministrator: Bool, sessionKey: String?) {
        self.auth = auth
        self.isAdministrator = isAdministrator
        self.sessionKey = sessionKey
    }

    /// The user of a session key that is good now.
    private static func user(
        _ key: String, _ accounts: any SessionAccounts
    ) throws -> (id: String, nickname: String) {
        do {
            return try accounts.account(ofSession: key)
        } catch let error as Refusal {
            switch error.code {
            case Refusal.sessionExpired().code: throw DatabaseRefusal(401, "Auth token is expired")
            case Refusal.tokenRevoked().code: throw DatabaseRefusal(401, "Auth token is revoked")
            default: throw DatabaseRefusal(401, "Could not parse auth token.")
            }
        }
    }

    /// Whether the session key, if there is one, still holds.
    func isValid(_ accounts: any SessionAccounts) -> Bool {
        guard let sessionKey else { return true }
        do { _ = try accounts.account(ofSession: sessionKey) } catch { return false }
        return true
    }
}
