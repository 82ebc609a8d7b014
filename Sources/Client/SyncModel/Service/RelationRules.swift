/// What a service's relations mean for the messages that they are about. One that has none leaves it out.
public protocol RelationRules: Sendable {
    /// A message's JSON with exactly these relations in it, which are all that are held, the oldest first. The JSON may
    /// have others in it already: so it has to say what the message is without any.
    func folded(_ json: [UInt8], with relations: [Relation]) -> [UInt8]
}

extension RelationRules {
    public func folded(_ json: [UInt8], with relations: [Relation]) -> [UInt8] { json }
}
