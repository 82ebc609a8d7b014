import SyncJSON

/// A poll with its document.
public struct Poll {
    public let id: Int64
    /// The channel's number, 0 before the poll was sent.
    public let channelID: Int64
    public let json: JSON

    public var status: String { json["status"]?.string ?? "open" }
    public var messageID: Int64 { json["message_id"]?.int ?? 0 }
    public var createdBy: String { json["created_by"]?.string ?? "" }
    public var options: [JSON] { json["options"]?.array ?? [] }

    public func option(_ id: Int64) -> JSON? { options.first { $0["id"]?.int == id } }
}
