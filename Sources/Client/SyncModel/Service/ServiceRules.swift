/// What a service's fields and codes mean, as pure functions.
public protocol ServiceRules: RelationRules {
    /// What a new message changes in its channel (last message, counts, hiding), as seen by a user; empty when nothing,
    /// `nil` when the channel has to be asked for again.
    func patches(
        for message: MessageRecord, in channel: ChannelRecord, userID: UserID, counting: CountingPolicy
    ) -> [ChannelPatch]?
    /// Whether users are notified of a message: it is another user's, and can be the last message of its channel.
    func isNotified(_ message: MessageRecord, userID: UserID, counting: CountingPolicy) -> Bool
    /// Whether a message mentions a user, given its JSON.
    func mentions(_ userID: UserID, in json: [UInt8]) -> Bool
    /// Whether an edit may have changed how often this user is mentioned in unread messages.
    func mayChangeMentions(_ edited: MessageRecord, in channel: ChannelRecord, userID: UserID) -> Bool
    /// Whether messages of a channel are counted as unread, or as mentions.
    func hasUnread(_ channel: ChannelRecord) -> Bool
    /// Until when this user is muted, in milliseconds since the epoch by the service's clock; `nil` when it is not, or
    /// for ever.
    func muteEnd(in channel: ChannelRecord, userID: UserID) -> Int64?
    /// What a purge of messages up to a time (milliseconds since the epoch) changes in their channel.
    func patches(forPurgeUpTo end: Int64, in channel: ChannelRecord) -> [ChannelPatch]
    /// What an event changes in its channel; `nil` when the channel has to be asked for again.
    func patches(for event: ChannelEvent, in channel: ChannelRecord, userID: UserID) -> [ChannelPatch]?
    /// What the new content of the last message changes in its channel.
    func patches(forLastMessage json: [UInt8], in channel: ChannelRecord) -> [ChannelPatch]
    /// The message's JSON with the patch applied; `nil` when the JSON or the patch is malformed.
    func apply(_ patch: MessagePatch, to json: [UInt8]) -> [UInt8]?
    /// An edited message as this user sees it: with the parts that the service tells this user alone, and that an edit
    /// for all users leaves out. `held` is the message before the edit.
    func edited(_ json: [UInt8], from held: [UInt8]) -> [UInt8]
    /// The id of the poll that a message holds; `nil` when it holds none.
    func pollID(in json: [UInt8]) -> String?
    /// What hosts are told of an event beside its source, made from the members of the event; empty when the cause in
    /// the event has the facts already.
    func facts(of event: ServiceEvent, userID: UserID) -> [EventFact]
    /// What an action of this user makes of a message; `nil` for actions that are not shown before they are answered.
    func preview(of action: ActionCall, on json: [UInt8], userID: UserID) -> ActionPreview?
    /// What search reads of a message, given its JSON.
    func searched(_ json: UnsafeRawBufferPointer) -> SearchedText
    /// The message's JSON without some parts, for collections that leave them out.
    func json(_ message: [UInt8], without parts: Set<MessagePart>) -> [UInt8]
    /// An own message as hosts see it before the service has it.
    func json(of message: OwnMessageContent, userID: UserID) -> [UInt8]
    /// Whether a message whose document names no files of this machine can be sent.
    func isSendable(_ message: OwnMessageContent) -> Bool
    /// An own message as filters look at it: its id is the request id, its place the time at which it was written.
    func record(of message: OwnMessageContent, userID: UserID) -> MessageRecord
    /// Whether only users with more rights can write in the channel for now, and this user is none of them.
    func isClosedToSends(_ channel: ChannelRecord) -> Bool
    /// Whether a later attempt can cure a send that ended with this code.
    func isCurable(code: Int) -> Bool
    /// A failure that was found on this side, with the code hosts know it by.
    func failure(_ cause: LocalFailure) -> ServiceFailure
}

extension ServiceRules {
    public func edited(_ json: [UInt8], from held: [UInt8]) -> [UInt8] { json }
    public func pollID(in json: [UInt8]) -> String? { nil }
    public func isNotified(_ message: MessageRecord, userID: UserID, counting: CountingPolicy) -> Bool {
        message.senderID != userID && !message.isSilent && message.parentID.isEmpty
    }
    public func mentions(_ userID: UserID, in json: [UInt8]) -> Bool { false }
}

/// Failures that are found on this side, without an answer of the service.
public enum LocalFailure: Equatable, Sendable {
    case notConnected
    case connectionClosed
    /// The reply is of a kind that the request does not have.
    case unexpectedReply
    /// An own message waited too long to be sent.
    case tooOld
    /// The process ended before the host told how its own send went.
    case neverAnswered
    /// The service does not offer the action.
    case notOffered
    /// Asked more often than the service allows.
    case tooOften
    /// A file cannot be sent.
    case file(FileProblem, path: String)
    /// A file has more bytes than the service takes.
    case fileTooLarge(path: String, limit: Int64)
    /// The host sent the message by its own means, and told this code.
    case byHost(code: Int)
}

/// An own message that the service does not have yet.
public struct OwnMessageContent: Equatable, Sendable {
    public var channelURL: ChannelURL
    public var requestID: RequestID
    /// Milliseconds since the epoch, by this machine.
    public var createdAt: Int64
    /// JSON object with the message's fields as the host gave them.
    public var body: [UInt8]
    /// `nil` while it is pending.
    public var failure: (code: Int, retryCount: Int)?
    /// The host gave it up before it was sent.
    public var isCanceled: Bool
    /// The service's id, when it has accepted the message and not told its place yet.
    public var acceptedID: MessageID?

    public init(
        channelURL: ChannelURL, requestID: RequestID, createdAt: Int64, body: [UInt8],
        failure: (code: Int, retryCount: Int)?, isCanceled: Bool = false, acceptedID: MessageID? = nil
    ) {
        self.channelURL = channelURL
        self.requestID = requestID
        self.createdAt = createdAt
        self.body = body
        self.failure = failure
        self.isCanceled = isCanceled
        self.acceptedID = acceptedID
    }

    public static func == (left: OwnMessageContent, right: OwnMessageContent) -> Bool {
        left.channelURL == right.channelURL && left.requestID == right.requestID && left.createdAt == right.createdAt
            && left.body == right.body && left.failure?.code == right.failure?.code
            && left.failure?.retryCount == right.failure?.retryCount && left.isCanceled == right.isCanceled
            && left.acceptedID == right.acceptedID
    }
}
