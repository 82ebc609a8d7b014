import SyncModel

extension Sequence where Element == ServiceEvent {
    /// What the events of a channel leave of relations: those that were not taken back, of messages that may not be
    /// there yet.
    public var relationsLeft: [Relation] {
        var held: [Relation] = []
        for event in self {
            switch event {
            case .messageRelations(_, let changes, _):
                held.removeAll { changes.removed.contains($0.id) }
                held += changes.added
            case .messageDeleted(_, let id): held.removeAll { $0.target == id }
            default: break
            }
        }
        return held
    }
}
