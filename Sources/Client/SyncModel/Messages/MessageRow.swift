/// A message as a window shows it: its id, its place, and what hosts see of it.
public struct MessageRow: Equatable, Sendable {
    /// The service's id.
    public var id: MessageID
    public var position: MessagePosition
    /// The message in the service's canonical shape, valid JSON.
    public var json: [UInt8]

    public init(id: MessageID, position: MessagePosition, json: [UInt8]) {
        self.id = id
        self.position = position
        self.json = json
    }
}

extension MessageRow: WindowRow {
    public var place: MessagePosition { position }
}

extension MessageRecord {
    public var row: MessageRow { MessageRow(id: id, position: position, json: json) }
}
