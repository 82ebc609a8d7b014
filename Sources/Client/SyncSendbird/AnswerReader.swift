import SyncJSON
import SyncModel

/// What an answer of the service's REST holds, read in one pass over its bytes.
struct AnswerReader {
    /// What the lists of an answer hold: `updated` is a list of channels or of messages.
    enum Lists { case channels, messages }

    private(set) var channels: [ChannelRecord]?
    private(set) var rows: HistoryPages.Rows?
    /// Ids of messages, or URLs of channels, that are gone.
    private(set) var deleted: [String] = []
    private(set) var next = ""
    private(set) var hasMore: Bool?
    private(set) var isHugeGap: Bool?
    /// The answer is an error, although its HTTP status says success.
    private(set) var isError = false
    /// See `JSONReader`: the text has to be repaired and read once more.
    private(set) var hasLoneSurrogate = false

    init(_ bytes: UnsafeRawBufferPointer, _ lists: Lists) throws(JSONError) {
        var reader = JSONReader(bytes)
        try reader.beginObject()
        while let key = try reader.nextKey() { try read(key, lists, from: &reader) }
        try reader.end()
        hasLoneSurrogate = reader.hasLoneSurrogate
        rows?.settle()
    }

    private mutating func read(_ key: JSONKey, _ lists: Lists, from reader: inout JSONReader) throws(JSONError) {
        switch lists {
        case .messages where key.equals("messages") || key.equals("updated") || key.equals("next_messages"):
            rows = try AnswerReader.messages(from: &reader)
            return
        case .channels where key.equals("channels") || key.equals("updated"):
            channels = try AnswerReader.channels(from: &reader)
            return
        default: break
        }
        let value = try reader.value()
        if key.equals("next") { next = value.string ?? "" }
        else if key.equals("has_more") || key.equals("next_hasmore") || key.equals("next_has_more") {
            hasMore = value.bool ?? hasMore
        }
        else if key.equals("is_huge_gap") { isHugeGap = value.bool }
        else if key.equals("error") { isError = value.bool ?? false }
        else if key.equals("deleted") {
            deleted = []
            value.forEachElement { if let name = AnswerReader.name(of: $0, lists) { deleted.append(name) } }
        }
    }

    /// `nil` when there is no list.
    private static func messages(from reader: inout JSONReader) throws(JSONError) -> HistoryPages.Rows? {
        guard reader.peek() == UInt8(ascii: "[") else {
            _ = try reader.value()
            return nil
        }
        var rows = HistoryPages.Rows()
        try reader.beginArray()
        while try reader.nextElement() { rows.append(try MessageCodec.read(from: &reader)) }
        return rows
    }

    private static func channels(from reader: inout JSONReader) throws(JSONError) -> [ChannelRecord]? {
        guard reader.peek() == UInt8(ascii: "[") else {
            _ = try reader.value()
            return nil
        }
        var channels: [ChannelRecord] = []
        try reader.beginArray()
        while try reader.nextElement() {
            if let channel = ChannelRecord(slice: try reader.value()) { channels.append(channel) }
        }
        return channels
    }

    /// The id or URL of a message or channel that is gone: a text by itself, or a member of an object.
    private static func name(of value: JSONSlice, _ lists: Lists) -> String? {
        switch lists {
        case .channels: value.string ?? value["channel_url"]?.string
        case .messages: (value.int ?? value["message_id"]?.int ?? value["msg_id"]?.int).map { String($0) }
        }
    }
}
