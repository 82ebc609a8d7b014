import SyncJSON
import SyncModel

/// Polls as the service tells them: in frames, in the channel's log and in answers to actions.
enum PollReader {
    /// A poll as it is now; `nil` when the document is no poll, or no message holds the poll yet.
    static func changed(_ poll: JSON?) -> (messageID: MessageID, change: PollChange)? {
        guard let poll, poll.kind == .object, let pollID = SendbirdRules.id(poll["id"]),
            let message = poll["message_id"]?.int, message > 0
        else { return nil }
        return (MessageID(number: message), PollChange(pollID: pollID, kind: .edited(poll.serialized())))
    }

    /// Reads a vote. Members of the frame that concern the connection are left out.
    static func voted(_ body: JSON) -> (messageID: MessageID, change: PollChange)? {
        guard let pollID = SendbirdRules.id(body["poll_id"]), body["updated_vote_counts"]?.kind == .array,
            let message = (body["message_id"] ?? body["msg_id"])?.int, message > 0
        else { return nil }
        let event = JSON.object()
        for key in ["updated_vote_counts", "voter_count", "voted_option_ids"] {
            if let value = body[key] { event.set(key, value) }
        }
        return (MessageID(number: message), PollChange(pollID: pollID, kind: .voted(event.serialized())))
    }

    /// A page of the log of a channel's polls.
    static func changes(_ root: JSON) -> PollChanges? {
        guard let updated = root["updated"]?.array else { return nil }
        // When the service gives an object for a poll that is gone, the object has the poll's id.
        let deleted = (root["deleted"]?.array ?? []).compactMap { SendbirdRules.id($0["id"] ?? $0) }
        return PollChanges(
            updated: updated.compactMap { changed($0) }, deletedIDs: deleted,
            hasMore: root["has_more"]?.bool ?? false, next: root["next"]?.string ?? "")
    }
}
