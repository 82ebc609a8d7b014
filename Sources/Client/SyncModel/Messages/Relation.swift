import SyncBytes

/// An edit of a message or a reaction to it, for services that tell these by events of their own. It may come before
/// its message, and may be taken back.
public struct Relation: Equatable, Sendable {
    /// The service's id, unique within the channel.
    public var id: MessageID
    /// The message that it is about.
    public var target: MessageID
    /// The kind of relation, in the service's word.
    public var kind: String
    /// Tells apart relations of one kind and sender, for example the reaction's key. Empty where a kind needs no name.
    public var name: String
    public var senderID: UserID
    /// Of two relations the one with the greater order is the later one.
    public var order: Int64
    /// The data that the service's rules need to fold the relation into its message; valid JSON.
    public var json: [UInt8]

    /// How many of one message are kept: with more, the oldest go.
    public static let limit = 1000

    public init(
        id: MessageID, target: MessageID, kind: String, name: String = "", senderID: UserID = "", order: Int64,
        json: [UInt8]
    ) {
        self.id = id
        self.target = target
        self.kind = kind
        self.name = name
        self.senderID = senderID
        self.order = order
        self.json = json
    }
}

/// What became known about relations of a channel, all at once.
public struct RelationChanges: Equatable, Sendable {
    public var added: [Relation]
    /// Taken back.
    public var removed: [MessageID]

    public init(added: [Relation] = [], removed: [MessageID] = []) {
        self.added = added
        self.removed = removed
    }

    public var isEmpty: Bool { added.isEmpty && removed.isEmpty }
}
