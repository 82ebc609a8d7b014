import ServerRealtime

extension Chat: SessionAccounts {
    func account(ofSession key: String) throws -> (id: String, nickname: String) {
        let user = try user(ofSession: key)
        return (user.id, user.nickname)
    }

    func expiry(ofSession key: String) throws -> Int64? { try storage.session(key)?.expiresAt }
}
