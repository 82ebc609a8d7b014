/// A message as a window shows it: its place and what hosts see of it.
public struct MessageRow: Equatable, Sendable {
    public var position: MessagePosition
    /// The message in the service's canonical shape, valid JSON.
    public var json: [UInt8]

    public init(position: MessagePosition, json: [UInt8]) {
        self.position = position
        self.json = json
    }

    public var id: Int64 { position.id }
}

extension MessageRecord {
    public var row: MessageRow { MessageRow(position: position, json: json) }
}
