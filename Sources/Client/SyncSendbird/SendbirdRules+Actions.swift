import SyncBytes
import SyncJSON
import SyncModel

// What an action makes of a message, shown before the service has answered.
extension SendbirdRules {
    public func preview(of action: ActionCall, on json: [UInt8], userID: UserID) -> ActionPreview? {
        switch action.action {
        case .message(.deleteMessage): return .removed
        case .message(.addReaction), .message(.removeReaction):
            let key = action.text("key") ?? ""
            let isAdded = action.action == .message(.addReaction)
            // A reaction that is there already keeps its place.
            guard SendbirdRules.hasReaction(key, by: userID, json) != isAdded else { return .changed(json) }
            let reaction = MessageReaction(
                key: key, userID: userID, isAdded: isAdded, updatedAt: action.integer(ActionCall.sentAt) ?? 0)
            return apply(.reaction(reaction), to: json).map { .changed($0) }
        case .poll(.votePoll):
            return SendbirdRules.vote(for: action.texts("option_ids") ?? [], on: json).map { .changed($0) }
        case .message(.editMessage):
            var members: [(key: String, value: [UInt8])] = []
            for key in ["message", "data", "custom_type", "mention_type"] {
                if let text = action.text(key) { members.append((key, JSON.string(text).serialized())) }
            }
            if let ids = action.texts("mentioned_user_ids") {
                members.append(("mentioned_user_ids", JSON.strings(ids).serialized()))
            }
            return JSONSlice.setting(members, in: json).map { .changed($0) }
        default: return nil
        }
    }

    private static func hasReaction(_ key: String, by userID: UserID, _ json: [UInt8]) -> Bool {
        json.withUnsafeBytes { bytes in
            var isFound = false
            JSONSlice.valid(bytes)["reactions"]?.forEachElement { entry in
                guard entry["key"]?.string?.isByteEqual(to: key) == true else { return }
                entry["user_ids"]?.forEachElement {
                    if $0.string?.isByteEqual(to: userID.text) == true { isFound = true }
                }
            }
            return isFound
        }
    }
}
