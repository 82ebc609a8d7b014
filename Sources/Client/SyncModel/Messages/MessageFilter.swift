import SyncBytes

/// Which messages of a channel a collection shows.
public struct MessageFilter: Equatable, Hashable, Sendable {
    public enum TypeFilter: String, Sendable, CaseIterable { case all, user, file, admin }
    public enum ReplyType: String, Sendable, CaseIterable {
        case none, all, onlyReplyToChannel = "only_reply_to_channel"
    }

    public var type = TypeFilter.all
    /// Empty: any. An empty text among them means messages without a custom type.
    public var customTypes: [String] = []
    /// Empty: anyone. Admin messages have no sender and are refused when a sender is asked for.
    public var senderIDs: [UserID] = []
    public var replyType = ReplyType.none
    /// Not empty: the replies to the message of this id, and nothing else; `replyType` says nothing then.
    public var parentID: MessageID = ""
    /// Messages a `fetch` brings, 1 to 200.
    public var limit = 30
    /// How many older and newer messages a fetch brings, when that is not `limit`.
    public var previousLimit: Int?
    public var nextLimit: Int?
    /// Whether messages of the viewpoint's own time come with the older ones; else they come with the newer ones.
    public var isInclusive = true
    /// Newest first.
    public var isReversed = false
    /// Own messages from before the collection was opened, pending or failed, are shown when they are fetched.
    public var ownMessagesOnFetch = false
    /// The parts that are left out of messages when they are told.
    public var leftOut: Set<MessagePart> = []

    public init() {}

    /// Messages that a fetch in a direction brings.
    public func limit(_ direction: PageDirection) -> Int {
        (direction == .previous ? previousLimit : nextLimit) ?? limit
    }

    /// Whether the filter depends on nothing but whether a message stands in a thread.
    public var looksAtThreadOnly: Bool {
        type == .all && customTypes.isEmpty && senderIDs.isEmpty && replyType != .onlyReplyToChannel
    }

    /// The part of the filter that decides which messages match; equal for filters that differ only in how messages are
    /// fetched and told.
    public var selection: MessageFilter {
        var selection = MessageFilter()
        (selection.type, selection.replyType, selection.parentID) = (type, replyType, parentID)
        (selection.customTypes, selection.senderIDs) = (customTypes, senderIDs)
        return selection
    }

    /// Every message of the channel matches.
    public var isOfAll: Bool { looksAtThreadOnly && replyType == .all && parentID.isEmpty }

    public func matches(_ message: MessageRecord) -> Bool {
        matches(
            kind: message.kind, customType: message.customType, senderID: message.senderID,
            isInThread: !message.parentID.isEmpty, parentID: message.parentID,
            isReplyToChannel: message.isReplyToChannel)
    }

    /// Whether the filter lets a custom type through.
    public func isWanted(customType: String) -> Bool {
        customTypes.isEmpty || customTypes.containsBytes(of: customType)
    }

    /// Evaluates only the arguments on which the filter depends.
    public func matches(
        kind: @autoclosure () -> MessageRecord.Kind, customType: @autoclosure () -> String,
        senderID: @autoclosure () -> UserID, isInThread: Bool, parentID: @autoclosure () -> MessageID,
        isReplyToChannel: @autoclosure () -> Bool
    ) -> Bool {
        switch type {
        case .all: break
        case .user: if kind() != .user { return false }
        case .file: if kind() != .file { return false }
        case .admin: if kind() != .admin { return false }
        }
        if !customTypes.isEmpty, !isWanted(customType: customType()) { return false }
        if !senderIDs.isEmpty, !senderIDs.contains(senderID()) { return false }
        if !self.parentID.isEmpty { return isInThread && parentID() == self.parentID }
        switch replyType {
        case .all: return true
        case .none: return !isInThread
        case .onlyReplyToChannel: return !isInThread || isReplyToChannel()
        }
    }
}
