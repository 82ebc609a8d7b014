/// Which message, and where it stands.
public struct MessageReference: Equatable, Hashable, Sendable {
    public var id: MessageID
    public var position: MessagePosition

    public init(id: MessageID, position: MessagePosition) {
        self.id = id
        self.position = position
    }
}

extension MessageRecord {
    public var reference: MessageReference { MessageReference(id: id, position: position) }
}
