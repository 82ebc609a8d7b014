/// An entry of the outbox that will not be sent since its row was damaged, or a draft whose row was damaged. The values
/// are those that the damaged row has now.
public enum LostIntent: Equatable, Sendable {
    case message(channelURL: String, requestID: String)
    /// `kind` as `DatabaseWrite` has it.
    case write(url: String, name: String, path: String, kind: Int64, id: Int64)

    /// `parentID`: of the message that a thread answers; empty for a channel's own draft.
    case draft(channelURL: String, parentID: String)

    /// How many bytes of a text are told.
    private static let textLimit = 1000

    /// A text for hosts: shortened, and without NUL, at which C would end it.
    static func readable(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(textLimit).map { $0 == 0 ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}

/// Damaged rows that were found.
public struct LostIntents: Equatable, Sendable {
    /// How many are told one by one.
    private static let most = 100

    public private(set) var count = 0
    /// The first of them.
    public private(set) var some: [LostIntent] = []

    mutating func add(_ lost: LostIntent) {
        count += 1
        if some.count < LostIntents.most { some.append(lost) }
    }

    /// One line, impersonal.
    public var message: String {
        let what = count == 1
            ? "a message, write or draft is damaged, was"
            : "\(count) messages, writes or drafts are damaged, were"
        return "\(what) set aside in intents.db, and will not be sent"
    }
}
