/// What a service's relations mean for the messages that they are about. A service without relations need not implement
/// it.
public protocol RelationRules: Sendable {
    /// A message's JSON with exactly these relations in it, which are all that are held, the oldest first. Other
    /// relations may be folded into the JSON already, so it must also say what the message is without any relation.
    func folded(_ json: [UInt8], with relations: [Relation]) -> [UInt8]
}

extension RelationRules {
    public func folded(_ json: [UInt8], with relations: [Relation]) -> [UInt8] { json }
}
