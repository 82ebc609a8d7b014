import ServerChat
import ServerRealtime

/// The chat's users as the database knows them.
final class ChatAccounts: SessionAccounts {
    private let chat: Chat

    init(_ chat: Chat) { self.chat = chat }

    func account(ofSession key: String) throws -> (id: String, nickname: String) {
        let user = try chat.sessions.user(ofSession: key)
        return (user.id, user.nickname)
    }

    func expiry(ofSession key: String) throws -> Int64? { try chat.users.expiry(ofSession: key) }
}
