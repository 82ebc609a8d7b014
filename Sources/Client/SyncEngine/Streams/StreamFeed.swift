import SyncModel
import SyncStreams

/// Feeds one stream over a collection, by a collection of its own that no host sees.
///
/// The ids of this collection and of its calls belong to the stream, so all their events and results go to the stream.
/// There is one call at a time.
struct StreamFeed {
    enum Work {
        /// Load the first rows; `wanted`: how many more.
        case load(wanted: Int)
        case fetchMore(PageDirection, wanted: Int)
        /// Load the first rows again, because the list was emptied or was too short; no call waits for them.
        case reload(wanted: Int)

        var wanted: Int {
            get {
                switch self {
                case .load(let wanted), .fetchMore(_, let wanted), .reload(let wanted): wanted
                }
            }
            set {
                self =
                    switch self {
                    case .load: .load(wanted: newValue)
                    case .fetchMore(let direction, _): .fetchMore(direction, wanted: newValue)
                    case .reload: .reload(wanted: newValue)
                    }
            }
        }
    }

    let stream: UInt64
    let source: ExternalSource
    /// How many rows are wanted at first; 0: one page.
    let limit: Int
    private var list = ListFeed()
    private(set) var work: Work?
    /// The work to begin when the present one is done.
    private var next: Work?
    /// Some of the first rows are missing, because there was no connection, sync was paused, or they could not be read.
    private var isShort = false
    /// The present call has brought rows.
    private var hasBrought = false

    init(_ stream: UInt64, _ source: ExternalSource, limit: Int?) {
        self.stream = stream
        self.source = source
        self.limit = limit ?? 0
    }

    var call: CallID { .stream(stream) }

    /// A change of the list that the stream shows; `nil` for a change of the pending or failed list.
    mutating func take(_ change: CollectionChange) -> StreamInput? {
        guard change.list == .channels || change.list == .succeeded else { return nil }
        if change.action == .insert {
            work?.wanted -= change.items.count
            hasBrought = true
        }
        return list.apply(WindowChange(change.action, change.items))
    }

    // MARK: Calls

    mutating func open() -> [StreamAsk] {
        switch source {
        case .channels(let query): [.openChannels(query)] + begin(.load(wanted: limit))
        case .messages(let url, let filter, let viewpoint):
            [.openMessages(channelURL: url, filter, viewpoint: viewpoint)] + begin(.load(wanted: limit))
        // `DatabaseFeed` feeds these.
        case .database: []
        }
    }

    mutating func fetchMore(_ count: Int?, _ direction: PageDirection?) -> [StreamAsk] {
        let usual: PageDirection = if case .channels = source { .next } else { .previous }
        return begin(.fetchMore(direction ?? usual, wanted: count ?? 0))
    }

    /// The list was emptied, and its rows may be loaded again.
    mutating func reload() -> [StreamAsk] {
        if case .load? = work { return [] }
        return begin(.reload(wanted: limit))
    }

    /// Sync goes on: rows may come that were missing because of a lost connection, a pause of sync or a failure of the
    /// disk.
    mutating func syncResumed() -> [StreamAsk] {
        guard isShort else { return [] }
        if case .load? = work { return [] }
        return begin(.reload(wanted: limit - list.count))
    }

    /// There are new messages behind a huge gap: the list begins again at the newest.
    mutating func gapOpened() -> [StreamAsk] {
        guard case .messages(_, _, let viewpoint) = source, viewpoint == Int64.max else { return [] }
        return [.resetViewpoint(viewpoint)] + reload()
    }

    /// Whether the collection has been asked for what `fetchMore` wants; otherwise the fetch waits for the first rows.
    var isFetchingMore: Bool { if case .fetchMore? = work { true } else { false } }

    /// Ends a fetch that still waits for the first rows. Returns what to tell the stream.
    mutating func endWaitingFetch(_ status: Status) -> StreamInput? {
        guard case .fetchMore? = next else { return nil }
        next = nil
        let short = status == .timeout ? Completion.ShortReason.error.rawValue : nil
        return .fetched(hasMore: true, short: short, StreamFailure(status, "the first rows are still on their way"))
    }

    private mutating func begin(_ new: Work) -> [StreamAsk] {
        guard work == nil else {
            // A waiting fetch must get its answer; it brings the first rows, too, if they are to be loaded again.
            if case .fetchMore? = next { return [] }
            next = new
            return []
        }
        work = new
        hasBrought = false
        if case .fetchMore(let direction, _) = new { return [.fetch(direction)] }
        return if case .channels = source { [.fetch(.next)] } else { [.start] }
    }

    /// The call has ended. Returns what to tell the stream, and what to ask next.
    mutating func take(_ completion: Completion) -> (input: StreamInput?, asks: [StreamAsk]) {
        guard let done = work else { return (nil, []) }
        let hasMore = completion.hasMore ?? completion.info?.hasPrevious ?? false
        let isShort = completion.short != nil
        // After a short page from the cache there may be another one, until a page brings nothing.
        let mayGoOn = !isShort || completion.short != .reset && hasBrought
        hasBrought = false
        if completion.status == .ok, mayGoOn, hasMore, done.wanted > 0 {
            if case .fetchMore(let direction, _) = done { return (nil, [.fetch(direction)]) }
            return if case .channels = source { (nil, [.fetch(.next)]) } else { (nil, [.fetch(.previous)]) }
        }
        work = nil
        var failure: StreamFailure?
        if completion.status != .ok {
            let usual =
                switch completion.status {
                case .canceled: "the host canceled it"
                case .timeout: "not all rows came in time"
                default: "the rows could not be read"
                }
            failure = StreamFailure(
                completion.status, completion.failure?.message ?? completion.explanation ?? usual)
        }
        var asks: [StreamAsk] = []
        if let next {
            self.next = nil
            asks = begin(next)
        }
        switch done {
        case .load, .reload:
            self.isShort = isShort && completion.short != .reset || completion.status == .storage
            if completion.short == .reset, asks.isEmpty { asks = reload() }
            if case .reload = done { return (nil, asks) }
            return (failure.map { .failed($0) } ?? .loaded, asks)
        case .fetchMore:
            return (.fetched(hasMore: hasMore || isShort, short: completion.short?.rawValue, failure), asks)
        }
    }
}
