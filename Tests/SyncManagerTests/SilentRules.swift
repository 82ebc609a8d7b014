import SyncModel

/// Rules of a service whose messages and events change nothing.
struct SilentRules: ServiceRules {
    func patches(
        for message: MessageRecord, in channel: ChannelRecord, userID: UserID, counting: CountingPolicy
    ) -> [ChannelPatch]? { [] }
    func mayChangeMentions(_ edited: MessageRecord, in channel: ChannelRecord, userID: UserID) -> Bool { false }
    func hasUnread(_ channel: ChannelRecord) -> Bool { false }
    func muteEnd(in channel: ChannelRecord, userID: UserID) -> Int64? { nil }
    func patches(forPurgeUpTo end: Int64, in channel: ChannelRecord) -> [ChannelPatch] { [] }
    func patches(for event: ChannelEvent, in channel: ChannelRecord, userID: UserID) -> [ChannelPatch]? { [] }
    func patches(forLastMessage json: [UInt8], in channel: ChannelRecord) -> [ChannelPatch] { [] }
    func apply(_ patch: MessagePatch, to json: [UInt8]) -> [UInt8]? { nil }
    func facts(of event: ServiceEvent, userID: UserID) -> [EventFact] { [] }
    func preview(of action: ActionCall, on json: [UInt8], userID: UserID) -> ActionPreview? { nil }
    func searched(_ json: UnsafeRawBufferPointer) -> SearchedText { SearchedText(text: "", time: 0) }
    func json(_ message: [UInt8], without parts: Set<MessagePart>) -> [UInt8] { message }
    func json(of message: OwnMessageContent, userID: UserID) -> [UInt8] { message.body }
    func record(of message: OwnMessageContent, userID: UserID) -> MessageRecord {
        MessageRecord(
            id: MessageID(message.requestID.text), position: MessagePosition(order: message.createdAt, tie: 0),
            json: message.body)
    }
    func isSendable(_ message: OwnMessageContent) -> Bool { true }
    func isClosedToSends(_ channel: ChannelRecord) -> Bool { channel.isFrozen }
    func isCurable(code: Int) -> Bool { false }
    func failure(_ cause: LocalFailure) -> ServiceFailure {
        ServiceFailure(kind: .unreachable, code: 0, message: "\(cause)")
    }
}
