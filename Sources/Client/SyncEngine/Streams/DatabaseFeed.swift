import SyncRealtime
import SyncJSON
import SyncModel
import SyncStreams
import SyncTree

/// Feeds one stream over a place of the realtime database, by a listen of its own that no host sees. The children of
/// the place are the rows.
///
/// For more rows there is a second listen with a larger limit; the first one ends when the second has told its value,
/// so that no row is missing in between.
struct DatabaseFeed {
    private let stream: UInt64
    private let path: TreePath
    private let query: DatabaseQuery?
    private var order: TreeOrder { query?.order ?? .key }
    /// How many rows are asked for, and from which end; `nil`: all.
    private var limit: TreeQuery.Limit?
    private var listen: CallID
    /// The listen with more rows, until it tells what the service has, or the service is not reached.
    private var wider: CallID?
    /// What the cache has for the wider listen: the service's rows that are shown may be newer.
    private var keptForWider: TreeNode?
    /// The limit of the present listen, without the wider one.
    private var narrowerLimit: TreeQuery.Limit?
    private var isFetchAwaited = false
    /// In the order of their keys.
    private var rows: [TreeChild] = []
    private var isLoaded = false

    /// If the location has no limit, the stream's specification gives the number of first rows and the order in which
    /// they are counted.
    init(_ stream: UInt64, _ location: DatabaseLocation, _ spec: StreamSpec?) {
        self.stream = stream
        path = location.path
        query = DatabaseFeed.query(of: location, spec)
        let isDescending = spec?.order.isDescending ?? false
        limit = location.query?.limit ?? spec?.limit.map { isDescending ? .last($0) : .first($0) }
        listen = .stream(stream)
    }

    /// The query without its limit. The database gets the stream's order and range only when there is a limit, because
    /// most of them need an index. Without a limit all rows are told, and the stream chooses.
    private static func query(of location: DatabaseLocation, _ spec: StreamSpec?) -> DatabaseQuery? {
        guard let spec, spec.limit != nil, let own = DatabaseQuery(spec) else { return location.query }
        let isPlain = location.query == nil || location.query == (try? DatabaseQuery(own.order))
        return isPlain ? own : location.query
    }

    // MARK: Asking

    func open() -> [StreamAsk] { [ask(listen)] }

    func close() -> [StreamAsk] { ([listen] + [wider].compactMap { $0 }).map { .unlisten($0) } }

    /// Asks for more rows. `input`: what to tell the stream now, if there are no more rows; `asks`: what to ask
    /// otherwise.
    mutating func fetchMore(_ count: Int?) -> (input: StreamInput?, asks: [StreamAsk]) {
        let more = count ?? StreamRequest.usualPage
        // A wider listen may still bring rows, though no call waits for it any more.
        if more == 0 { return (.fetched(hasMore: wider != nil || rows.count >= self.count, short: nil, nil), []) }
        if wider == nil { narrowerLimit = limit }
        switch limit {
        case nil: return (.fetched(hasMore: false, short: nil, nil), [])
        case .first(let before): limit = .first(DatabaseFeed.sum(before, more))
        case .last(let before): limit = .last(DatabaseFeed.sum(before, more))
        }
        let ended: [StreamAsk] = wider.map { [.unlisten($0)] } ?? []
        let next = CallID.stream(stream, isSecond: listen == .stream(stream))
        (wider, keptForWider) = (next, nil)
        isFetchAwaited = true
        return (nil, ended + [ask(next)])
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        Int(clamping: min(Int64(one) + Int64(min(other, Int(Int32.max))), Int64(Int32.max)))
    }

    private func ask(_ number: CallID) -> StreamAsk {
        var query = query
        if let limit { query = (query ?? .byKey).limited(to: limit) }
        return .listen(number, DatabaseLocation(path, query))
    }

    // MARK: Being told

    /// A listen told the value of the place. Returns what to tell the stream, and what to ask.
    mutating func take(
        _ number: CallID, _ node: TreeNode, isCurrent: Bool
    ) -> (inputs: [StreamInput], asks: [StreamAsk]) {
        guard number == listen || number == wider else { return ([], []) }
        // The wider listen will tell everything that the narrower one does.
        if number == listen, wider != nil, !isCurrent { return ([], []) }
        if number == wider, !isCurrent {
            keptForWider = node
            return ([], [])
        }
        return show(number, node, short: nil)
    }

    /// `short`: what the wider listen brings is not what the service has.
    private mutating func show(
        _ number: CallID, _ node: TreeNode, short: Completion.ShortReason?
    ) -> (inputs: [StreamInput], asks: [StreamAsk]) {
        var inputs = change(to: node.children)
        var asks: [StreamAsk] = []
        if number == wider {
            asks = [.unlisten(listen)]
            listen = number
            (wider, keptForWider) = (nil, nil)
            inputs.append(.fetched(hasMore: short != nil || rows.count >= count, short: short?.rawValue, nil))
        }
        if !isLoaded {
            isLoaded = true
            inputs.append(.loaded)
        }
        return (inputs, asks)
    }

    /// The database is not reached. A fetch that waits ends with the rows that the cache has; without any the host may
    /// fetch again. Without a waiting fetch the listen stays, since rows may still come.
    mutating func takeUnheard(_ number: CallID) -> (inputs: [StreamInput], asks: [StreamAsk])? {
        guard number == wider, isFetchAwaited else { return nil }
        if let keptForWider { return show(number, keptForWider, short: .offline) }
        limit = narrowerLimit
        wider = nil
        return ([.fetched(hasMore: true, short: Completion.ShortReason.offline.rawValue, nil)], [.unlisten(number)])
    }

    /// A listen was refused, and has ended.
    mutating func take(_ number: CallID, ended failure: DatabaseFailure) -> [StreamInput] {
        let wrong = failure == .signedOut
            ? StreamFailure(.canceled, Completion.signedOut) : StreamFailure(.service, failure.message)
        if number == wider {
            (wider, keptForWider) = (nil, nil)
            return [.fetched(hasMore: true, short: nil, wrong)]
        }
        guard number == listen else { return [] }
        var inputs = change(to: [])
        if !isLoaded { inputs.append(.failed(wrong)) }
        isLoaded = true
        return inputs
    }

    /// No call waits for more rows any more; they may come all the same.
    mutating func endFetch(_ status: Status) -> StreamInput? {
        guard wider != nil else { return nil }
        isFetchAwaited = false
        return .fetched(hasMore: true, short: nil, StreamFailure(status, "the database has not told of more rows yet"))
    }

    private var count: Int {
        switch limit {
        case .first(let count), .last(let count): count
        case nil: Int.max
        }
    }

    /// The old and the new rows are both in the order of their keys.
    private mutating func change(to new: [TreeChild]) -> [StreamInput] {
        var put: [StreamItem] = []
        var removed: [String] = []
        var index = 0
        for child in new {
            while index < rows.count, rows[index].key < child.key {
                removed.append(rows[index].key.text)
                index += 1
            }
            if index < rows.count, rows[index].key == child.key {
                index += 1
                if rows[index - 1].node == child.node { continue }
            }
            put.append(StreamItem(
                key: child.key.text, json: child.node.json(), rank: Rank.text(of: order.rank(child))))
        }
        removed += rows[index...].map(\.key.text)
        rows = new
        return (removed.isEmpty ? [] : [.removed(keys: removed)]) + (put.isEmpty ? [] : [.put(put)])
    }
}
