import SyncModel

/// How a request of the engine goes on.
indirect enum MatrixStep {
    case reply(ServiceReply)
    /// A request to the homeserver, and what follows its answer.
    case ask(TransportRequest, (MatrixAnswer) -> MatrixStep)
}

/// Requests of the engine that have no reply yet.
struct MatrixExchanges {
    struct Entry {
        /// The engine's number.
        let id: UInt64
        let exchange: UInt64
        let request: ServiceRequest
        let deadline: Int64
        let then: (MatrixAnswer) -> MatrixStep
    }

    private var entries: [UInt64: Entry] = [:]
    /// Never reset, so that a late answer is not taken for that to a new request.
    private var lastExchange: UInt64 = 0

    /// Gives the number of the exchange.
    mutating func add(
        _ id: UInt64, deadline: Int64, _ request: ServiceRequest, _ then: @escaping (MatrixAnswer) -> MatrixStep
    ) -> UInt64 {
        lastExchange += 1
        entries[lastExchange] = Entry(
            id: id, exchange: lastExchange, request: request, deadline: deadline, then: then)
        return lastExchange
    }

    mutating func remove(exchange: UInt64) -> Entry? { entries.removeValue(forKey: exchange) }

    /// Gives the number of the exchange of the request that the engine knows by this number.
    mutating func remove(id: UInt64) -> UInt64? {
        guard let entry = entries.values.first(where: { $0.id == id }) else { return nil }
        entries[entry.exchange] = nil
        return entry.exchange
    }

    /// Removes all. Gives the exchanges that change nothing at the server.
    mutating func removeAll() -> [UInt64] {
        defer { entries = [:] }
        return entries.values.filter { entry in
            switch entry.request {
            case .sendMessage, .action: false
            default: true
            }
        }.map(\.exchange).sorted()
    }

    var nextDeadline: Int64? { entries.values.map(\.deadline).min() }

    mutating func removeExpired(now: Int64) -> [Entry] {
        let expired = entries.values.filter { $0.deadline <= now }.sorted { $0.exchange < $1.exchange }
        for entry in expired { entries[entry.exchange] = nil }
        return expired
    }
}
