import SyncJSON
import SyncModel
import SyncStore

/// Keeps the cache below its limit. Above it, the channels that were used longest ago lose their messages, oldest
/// first; or, if the host wants to be asked, the channels that it names. The newest messages of each channel are
/// removed only when that was not enough. Messages that are older than the host wants to keep are removed, too,
/// whatever the limit: they are looked for after each login, and every hour.
///
/// The work is done in slices, each an input of its own after everything else that is due, so that a page waits for at
/// most one slice. It is done only while the user is logged in, because then removed messages can be fetched again. A
/// channel with an open collection keeps everything, since its history is in memory. Own messages that are not sent are
/// in another file.
final class CacheBudget: Machine {
    /// The part of the limit to which the cache is reduced; below the limit, so that not every new page has to make
    /// room.
    private static let targetPercent: Int64 = 90
    /// Channels whose counts are read in one slice.
    private static let channelsAtOnce = 500
    /// The time between two looks for old messages, in milliseconds.
    private static let agingPeriod: Int64 = 3_600_000

    private enum State {
        case resting
        /// The size of the cache is being counted.
        case counting
        /// The channels are being listed, in the order of their numbers, before messages are removed.
        case listing([ChannelCounts.Used], keeping: CacheRoom.Kept)
        /// The candidates are being collected from which the host may choose.
        case naming(EvictionOrder, keeping: CacheRoom.Kept)
        /// The host may say until this time which candidates lose messages first.
        case asking(EvictionOrder, keeping: CacheRoom.Kept, until: Int64)
        case trimming(EvictionOrder, keeping: CacheRoom.Kept)
    }

    private var state = State.resting
    private var gate = RetryGate()
    /// The size of the cache when nothing more could be removed.
    private var leftOver: Int64?
    /// The host's choice, as the channels' numbers; `nil`: since the cache is too large, the host was not asked yet.
    private var chosen: [Int64]?
    /// When old messages are looked for again, by the monotonic clock; `nil`: now.
    private var agingDue: Int64?

    func sessionEnded(_ turn: inout Turn) {
        state = .resting
        leftOver = nil
        chosen = nil
        agingDue = nil
        gate = RetryGate()
        turn.add(.timer(.trim, at: nil))
        turn.add(.timer(.aging, at: nil))
    }

    /// A channel is not shown any more, so its messages may be removed now.
    func collectionClosed() {
        leftOver = nil
        agingDue = nil
    }

    /// Called after every input: begins when the cache is too large, or messages may be too old.
    func look(_ turn: inout Turn) {
        guard turn.isLoggedIn, case .resting = state else { return }
        if let since = turn.context.keptSince, agingDue.map({ $0 <= turn.now.monotonic }) ?? true {
            let due = turn.now.monotonic.addingClamped(CacheBudget.agingPeriod)
            agingDue = due
            turn.add(.timer(.aging, at: due))
            return begin(.listing([], keeping: .since(since)), &turn)
        }
        guard let limit = turn.options.cacheLimit else { return }
        guard let total = turn.storage.cacheTotal else { return begin(.counting, &turn) }
        // After nothing could be removed, this is tried again only when the cache has grown by a twentieth of the
        // limit.
        if total > limit, leftOver.map({ total > $0.addingClamped(limit / 20) }) ?? true {
            begin(.listing([], keeping: .newest(turn.options.cacheFloor)), &turn)
        }
    }

    private func begin(_ next: State, _ turn: inout Turn) {
        state = next
        goOn(&turn)
    }

    private func goOn(_ turn: inout Turn) { turn.add(.timer(.trim, at: turn.now.monotonic)) }

    /// One slice. `isOpen`: whether a collection shows messages of a channel.
    func work(isOpen: (ChannelURL) -> Bool, _ turn: inout Turn) {
        guard turn.isLoggedIn else { return state = .resting }
        guard gate.isOpen(at: turn.now.monotonic) else { return turn.add(.timer(.trim, at: gate.pausedUntil)) }
        switch state {
        case .resting: break
        case .counting: count(&turn)
        case .listing(let found, let kept): list(found, keeping: kept, &turn)
        case .naming(let order, let kept): name(order, keeping: kept, isOpen, &turn)
        case .asking(let order, let kept, let until):
            guard until <= turn.now.monotonic else { return turn.add(.timer(.trim, at: until)) }
            chosen = []
            begin(.trimming(order, keeping: kept), &turn)
        case .trimming(let order, let kept):
            if let later = turn.storage.logCopied(turn.now) { return turn.add(.timer(.trim, at: later)) }
            trim(order, keeping: kept, isOpen, &turn)
        }
    }

    private func count(_ turn: inout Turn) {
        let done: Void? = turn.storage.cached { (cache) throws(StoreError) in
            try cache.counts.countTotal(channels: CacheBudget.channelsAtOnce)
        }
        guard done != nil else { return retry(&turn) }
        if turn.storage.cacheTotal == nil { return goOn(&turn) }
        state = .resting
        look(&turn)
    }

    private func list(_ found: [ChannelCounts.Used], keeping kept: CacheRoom.Kept, _ turn: inout Turn) {
        let more = turn.storage.cached { (cache) throws(StoreError) in
            try cache.counts.used(after: found.last?.channel ?? 0, limit: CacheBudget.channelsAtOnce)
        }
        guard let more else { return retry(&turn) }
        let all = found + more
        if more.count == CacheBudget.channelsAtOnce { return begin(.listing(all, keeping: kept), &turn) }
        let order = EvictionOrder(all, first: chosen ?? [])
        if case .newest = kept, chosen == nil, turn.options.evictionOrder == .host {
            return begin(.naming(order, keeping: kept), &turn)
        }
        begin(.trimming(order, keeping: kept), &turn)
    }

    // MARK: Asking the host

    private func name(
        _ order: EvictionOrder, keeping kept: CacheRoom.Kept, _ isOpen: (ChannelURL) -> Bool, _ turn: inout Turn
    ) {
        let named = turn.storage.cached { (cache) throws(StoreError) in
            var order = order
            return (isMore: try order.name(isOpen: isOpen, cache), order: order)
        }
        guard let named else { return retry(&turn) }
        if named.isMore { return begin(.naming(named.order, keeping: kept), &turn) }
        guard !named.order.candidates.isEmpty, let limit = turn.options.cacheLimit, let total = turn.storage.cacheTotal
        else {
            // All channels are shown: nothing may be removed, and the host is not asked, until one is closed.
            leftOver = turn.storage.cacheTotal
            return rest(&turn)
        }
        let bytes = total - limit / 100 * CacheBudget.targetPercent
        turn.tell(.cacheFull(named.order.asked(bytes: bytes)))
        let until = turn.now.monotonic.addingClamped(EvictionOrder.patience)
        state = .asking(named.order, keeping: kept, until: until)
        turn.add(.timer(.trim, at: until))
    }

    /// The host says which of the candidates lose messages first.
    func evict(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        guard case .asking(var order, let kept, _) = state else {
            return ServiceActions.done(
                action, call, .notFound, explanation: "the cache does not wait to be told what to evict", &turn)
        }
        let keys = order.put(first: (action.texts("channel_urls") ?? []).map { ChannelURL($0) })
        chosen = keys
        ServiceActions.done(action, call, count: keys.count, &turn)
        begin(.trimming(order, keeping: kept), &turn)
    }

    // MARK: Making room

    private func trim(
        _ order: EvictionOrder, keeping kept: CacheRoom.Kept, _ isOpen: (ChannelURL) -> Bool, _ turn: inout Turn
    ) {
        var order = order
        if case .newest(let newest) = kept {
            guard let limit = turn.options.cacheLimit else { return rest(&turn) }
            guard let total = turn.storage.cacheTotal else { return begin(.counting, &turn) }
            guard total > limit / 100 * CacheBudget.targetPercent else { return rest(&turn) }
            if order.channels.isEmpty {
                // Keeping the newest of each channel was not enough.
                if newest > 0 { return begin(.listing([], keeping: .newest(0)), &turn) }
                leftOver = total
            }
        }
        guard let next = order.channels.last else { return rest(&turn) }
        let found = turn.storage.cached { (cache) throws(StoreError) in
            try cache.room.channelURL(ofKey: next.channel)
        }
        guard let found else { return retry(&turn) }
        guard let url = found, !isOpen(url) else {
            order.dropNext()
            return begin(.trimming(order, keeping: kept), &turn)
        }
        guard let slice = trim(next.channel, url, keeping: kept, &turn) else { return retry(&turn) }
        gate.succeed()
        if slice.isChannelDone { order.dropNext() }
        begin(.trimming(order, keeping: kept), &turn)
    }

    private func trim(
        _ channel: Int64, _ url: ChannelURL, keeping kept: CacheRoom.Kept, _ turn: inout Turn
    ) -> CacheSlice? {
        let (options, capabilities) = (turn.options, turn.capabilities)
        let usage = turn.storage.cached { (cache) throws(StoreError) in try cache.counts.usage(channel: channel) }
        let slice = turn.storage.committed { (cache) throws(StoreError) in
            var slice = CacheSlice(options, capabilities)
            try slice.trim(channel, keeping: kept, cache)
            return slice
        }
        let left = turn.storage.cached { (cache) throws(StoreError) in try cache.counts.usage(channel: channel) }
        guard let slice, case let before?? = usage, case let after?? = left else { return nil }
        let (messages, bytes) = (before.messages - after.messages, before.bytes - after.bytes)
        if messages > 0 || bytes > 0 {
            turn.tell(.cacheTrimmed(channelURL: url, messages: messages, bytes: bytes))
        }
        return slice
    }

    private func rest(_ turn: inout Turn) {
        state = .resting
        chosen = nil
        look(&turn)
    }

    private func retry(_ turn: inout Turn) {
        gate.fail(nil, at: turn.now.monotonic, turn.random)
        turn.add(.timer(.trim, at: gate.pausedUntil))
    }
}
