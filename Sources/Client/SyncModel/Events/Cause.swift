/// Why a collection changed: the reason in one word, and what is known beside it.
public struct Cause: Equatable, Sendable {
    public var source: EventSource
    /// What happened in particular, in order; told to hosts as `detail`. Several events whose outcome is told at once
    /// (a channel asked for once after three of them) have a fact each.
    public var facts: [EventFact]

    public init(_ source: EventSource, _ facts: [EventFact] = []) {
        self.source = source
        self.facts = facts
    }

    /// A busy channel may wait long for its answer; then the latest facts are told, and earlier ones are dropped.
    private static let mostFacts = 100

    /// Adds another cause of a change that has not been told yet. The latest event becomes the source; another cause
    /// becomes the source only when no event is among the causes.
    public mutating func add(_ other: Cause) {
        if other.source.isFromEvent || !source.isFromEvent { source = other.source }
        facts += other.facts
        if facts.count > Cause.mostFacts { facts.removeFirst(facts.count - Cause.mostFacts) }
    }
}
