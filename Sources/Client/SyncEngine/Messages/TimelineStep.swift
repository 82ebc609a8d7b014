import SyncModel

/// What a timeline asks for next, or has in flight. Steps follow one another; only pages are asked for in both
/// directions at once.
enum TimelineStep {
    case parent(isAsked: Bool)
    case changes(isAsked: Bool)
    case polls(isAsked: Bool)
    case gap(isAsked: Bool)
    case pages(asked: Set<PageDirection>)

    static func first(of id: HistoryID) -> TimelineStep {
        id.isThread ? .parent(isAsked: false) : .changes(isAsked: false)
    }

    /// A request is in flight.
    var isBusy: Bool {
        switch self {
        case .parent(let isAsked), .changes(let isAsked), .polls(let isAsked), .gap(let isAsked): isAsked
        case .pages(let asked): !asked.isEmpty
        }
    }

    /// Requests in flight are given up, and may be sent again.
    mutating func abandon() {
        switch self {
        case .parent: self = .parent(isAsked: false)
        case .changes: self = .changes(isAsked: false)
        case .polls: self = .polls(isAsked: false)
        case .gap: self = .gap(isAsked: false)
        case .pages: self = .pages(asked: [])
        }
    }

    mutating func asked(_ kind: MessageAsk.Kind) {
        switch (kind, self) {
        case (.parent, _): self = .parent(isAsked: true)
        case (.changes, _): self = .changes(isAsked: true)
        case (.polls, _): self = .polls(isAsked: true)
        case (.gap, _), (.filteredGap, _): self = .gap(isAsked: true)
        case (_, .pages(let asked)): self = .pages(asked: asked.union(kind.directions))
        case (.around, _), (.page, _), (.edge, _): break
        }
    }

    /// The answer has come, and the request may be sent again.
    mutating func ended(_ kind: MessageAsk.Kind) {
        switch (kind, self) {
        case (.parent, .parent), (.changes, .changes), (.polls, .polls), (.gap, .gap), (.filteredGap, .gap): abandon()
        case (_, .pages(let asked)): self = .pages(asked: asked.subtracting(kind.directions))
        default: break
        }
    }
}
