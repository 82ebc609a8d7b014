/// Which rows a stream shows.
public enum Predicate: Sendable {
    case expression(RowCondition)
    /// The host's function decides: any result but 0 shows the row.
    case host

    func holds(of item: StreamItem, _ function: (any RowFunction)?) -> Bool {
        switch self {
        case .expression(let expression): item.view(expression.holds)
        case .host: (function?.value(of: item) ?? 1) != 0
        }
    }
}

/// A function of the host that decides about a row: whether it is shown, or which section it is in.
///
/// Called by whichever thread runs the engine, one call at a time per client.
public protocol RowFunction: AnyObject, Sendable {
    func value(of item: StreamItem) -> Int
}
