import SyncModel
import SyncSQLite

extension CacheStore {
    /// Where the change cursor of the polls of a channel or a thread is kept; it is missing while no cached message
    /// holds one.
    public static func pollsKey(_ channel: Int64) -> String { "messages.polls.\(channel)" }

    /// Which cached messages may hold a poll, each with its JSON. Every message of the channel is looked at.
    public func messagesWithPolls(channel: Int64) throws(StoreError) -> [(id: MessageID, json: [UInt8])] {
        let row = try connection.prepare("""
            SELECT ord, tie, id, parent_id, json, checksum FROM message
            WHERE channel = ? AND instr(json, '"poll"') > 0
            """).bind(channel)
        defer { row.reset() }
        var found: [(id: MessageID, json: [UInt8])] = []
        while try row.next() { found.append((MessageID(row.text(2)), Array(row.text(4).utf8))) }
        return found
    }
}
