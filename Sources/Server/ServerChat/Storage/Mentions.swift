import ServerBase
import SyncBytes
import SyncJSON

/// Whom a message mentions.
public enum Mentions: Equatable {
    case everybody
    case users(TextSet)

    /// Reads the mentions of a stored message.
    public init(_ message: JSON?) {
        if message?["mention_type"]?.string == "channel" {
            self = .everybody
        } else {
            self = .users(TextSet((message?["mentioned_user_ids"]?.array ?? []).compactMap(\.string)))
        }
    }

    public var isNobody: Bool {
        if case .users(let users) = self { return users.isEmpty }
        return false
    }
}
