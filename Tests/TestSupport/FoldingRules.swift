import SyncModel
import SyncSendbird

/// Rules of a service whose messages have relations: these stand behind the other members of a message, each as its id.
public struct FoldingRules: ServiceRules {
    private let base = SendbirdRules()

    public init() {}

    private static let mark = Array(#","related":["#.utf8)

    public func folded(_ json: [UInt8], with relations: [Relation]) -> [UInt8] {
        let mark = FoldingRules.mark
        let end = json.indices.first { json[$0...].starts(with: mark) } ?? json.count - 1
        let ids = relations.map { "\"\($0.id)\"" }.joined(separator: ",")
        return json[..<end] + (relations.isEmpty ? [] : mark + Array("\(ids)]".utf8)) + Array("}".utf8)
    }

    public func patches(
        for message: MessageRecord, in channel: ChannelRecord, userID: UserID, counting: CountingPolicy
    ) -> [ChannelPatch]? { base.patches(for: message, in: channel, userID: userID, counting: counting) }
    public func mayChangeMentions(_ edited: MessageRecord, in channel: ChannelRecord, userID: UserID) -> Bool { false }
    public func hasUnread(_ channel: ChannelRecord) -> Bool { base.hasUnread(channel) }
    public func muteEnd(in channel: ChannelRecord, userID: UserID) -> Int64? { nil }
    public func patches(forPurgeUpTo end: Int64, in channel: ChannelRecord) -> [ChannelPatch] { [] }
    public func patches(for event: ChannelEvent, in channel: ChannelRecord, userID: UserID) -> [ChannelPatch]? {
        base.patches(for: event, in: channel, userID: userID)
    }
    public func patches(forLastMessage json: [UInt8], in channel: ChannelRecord) -> [ChannelPatch] {
        base.patches(forLastMessage: json, in: channel)
    }
    public func apply(_ patch: MessagePatch, to json: [UInt8]) -> [UInt8]? { nil }
    public func facts(of event: ServiceEvent, userID: UserID) -> [EventFact] { [] }
    public func preview(of action: ActionCall, on json: [UInt8], userID: UserID) -> ActionPreview? { nil }
    public func searched(_ json: UnsafeRawBufferPointer) -> SearchedText { base.searched(json) }
    public func json(_ message: [UInt8], without parts: Set<MessagePart>) -> [UInt8] { message }
    public func json(of message: OwnMessageContent, userID: UserID) -> [UInt8] {
        base.json(of: message, userID: userID)
    }
    public func record(of message: OwnMessageContent, userID: UserID) -> MessageRecord {
        base.record(of: message, userID: userID)
    }
    public func isSendable(_ message: OwnMessageContent) -> Bool { base.isSendable(message) }
    public func isClosedToSends(_ channel: ChannelRecord) -> Bool { base.isClosedToSends(channel) }
    public func isCurable(code: Int) -> Bool { base.isCurable(code: code) }
    public func failure(_ cause: LocalFailure) -> ServiceFailure { base.failure(cause) }
}
