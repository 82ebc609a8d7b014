import SyncModel
import SyncTree

/// What the host wants of a new stream.
public struct StreamSpec: Sendable {
    public enum Delivery: String, CaseIterable, Sendable {
        /// One event for each batch.
        case batch
        /// A sequence of events for each batch: will change, deleted, added, changed, did change.
        case delegate
    }

    public var source: StreamSource
    public var order: StreamOrder
    public internal(set) var start: StreamBound?
    public internal(set) var end: StreamBound?
    /// How many rows the source is asked for at first; `nil`: as many as it gives at a time.
    public var limit: Int?
    var predicate: Predicate?
    /// How many of the rows that the predicate takes are shown; in a partition, for each section.
    var limitAfterPredicate: Int?
    /// Milliseconds; `nil`: changes are told at once.
    var batchDelay: Int64?
    var longestBatch: Int64
    public var delivery: Delivery
    /// The section number of every row, for hosts that show several streams in one list.
    var section: Int?

    public init(source: StreamSource) {
        self.source = source
        order = StreamOrder(by: source.hasOrder ? .source : .field(.key))
        batchDelay = StreamSpec.usualDelay
        longestBatch = StreamSpec.usualDelay * 10
        delivery = .batch
        switch source {
        case .transient, .partition: batchDelay = nil
        case .external, .union: break
        }
    }

    /// Milliseconds.
    static let usualDelay: Int64 = 100

    public var titles: [String] {
        if case .partition(_, let titles, _) = source { titles } else { [""] }
    }

    /// Whether the host's function is needed.
    public var needsFunction: Bool {
        if case .host? = predicate { return true }
        if case .partition(_, _, .host) = source { return true }
        return false
    }

    func isInRange(_ place: StreamPlace) -> Bool {
        if let start, place.compared(to: start) < 0 { return false }
        if let end, place.compared(to: end) > 0 { return false }
        return true
    }
}
