/// Which message a request id made, so that a repeated request makes no second one.
public struct RequestTable: StorageTable {
    let storage: Storage

    public func sent(_ channelID: Int64, _ userID: String, _ requestID: String) throws -> (
        messageID: Int64, at: Int64
    )? {
        try connection.prepare(
            "SELECT message_id, at FROM requests WHERE channel_id = ? AND user_id = ? AND req_id = ?"
        ).bind(channelID).bind(userID).bind(requestID).first { ($0.int(0), $0.int(1)) }
    }

    public func noteSent(_ channelID: Int64, _ userID: String, _ requestID: String, _ messageID: Int64, at now: Int64)
        throws
    {
        try connection.prepare(
            """
            INSERT OR REPLACE INTO requests (channel_id, user_id, req_id, message_id, at) VALUES (?, ?, ?, ?, ?)
            """
        ).bind(channelID).bind(userID).bind(requestID).bind(messageID).bind(now).run()
    }
}

extension Storage {
    public var requests: RequestTable { RequestTable(storage: self) }
}
