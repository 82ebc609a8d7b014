import SyncRealtime
import SyncStreams
import SyncTree

extension DatabaseQuery {
    /// The order and range of a stream, as a query of the database; `nil` when the stream has the order of its source,
    /// or an order that the database does not know.
    init?(_ spec: StreamSpec) {
        guard case .field(let field) = spec.order.by else { return nil }
        let order: TreeOrder
        switch field {
        case .key: order = .key
        case .value: order = .value
        case .path(let names):
            guard let path = try? TreePath(names.joined(separator: "/")) else { return nil }
            order = .child(path)
        }
        // A descending stream begins with the greatest value.
        let (least, greatest) = spec.order.isDescending ? (spec.end, spec.start) : (spec.start, spec.end)
        try? self.init(order, from: least.map(DatabaseQuery.bound), to: greatest.map(DatabaseQuery.bound))
    }

    private static func bound(_ bound: StreamBound) -> Bound {
        switch bound {
        case .key(let key): Bound(.text(key.text))
        case .value(.bool(let value)): Bound(.bool(value))
        case .value(.integer(let value)): Bound(.integer(value))
        case .value(.real(let value)): Bound(.real(value))
        case .value(.text(let value)): Bound(.text(value))
        // A bound is never an object: such a specification was refused.
        case .value(.nothing), .value(.children): Bound(nil)
        }
    }
}
