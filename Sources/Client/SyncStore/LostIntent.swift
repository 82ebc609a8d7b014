/// Something that was to be sent, and will not be: its row was damaged. What is said of it is what the row says now.
public enum LostIntent: Equatable, Sendable {
    case message(channelURL: String, requestID: String)
    /// `kind` as `DatabaseWrite` has it.
    case write(url: String, name: String, path: String, kind: Int64, id: Int64)

    /// Bytes of a text that are told of: more say no more.
    private static let textLimit = 1000

    /// A text for hosts: not endless, and without NUL, which would end it there.
    static func readable(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(textLimit).map { $0 == 0 ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}

/// Damaged rows that were found.
public struct LostIntents: Equatable, Sendable {
    /// Of this many is told in particular.
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
        let what = count == 1 ? "a message or write is damaged, was" : "\(count) messages or writes are damaged, were"
        return "\(what) set aside in intents.db, and will not be sent"
    }
}
