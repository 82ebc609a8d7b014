import SyncJSON
import SyncModel
import SyncStore

/// Keeps the cache below its bound: over it, the channels that were used longest ago lose their messages, from the
/// oldest on. The newest of each channel go only when that was not enough. Messages that are older than the host wants
/// to keep any go too, whatever the bound: looked for after each login, and every hour.
///
/// The work is done in slices, each an input of its own behind all that is due, so that a page waits for one of them at
/// most. It is done only while the user is logged in: what goes can be had again then. A channel with an open
/// collection keeps everything, since its history is in memory; own messages that are not sent are in another file.
final class CacheBudget: Machine {
    /// How far below the bound the cache is brought, so that not every page makes room for the next one.
    private static let targetPercent: Int64 = 90
    /// Channels of which the counts are read in one slice.
    private static let channelsAtOnce = 500
    /// Rows that go between two checkpoints. SQLite would make one within a slice when the log is longer.
    private static let rowsPerCheckpoint = 400
    /// How often old messages are looked for, in milliseconds.
    private static let agingPeriod: Int64 = 3_600_000

    private enum State {
        case resting
        /// How much is cached is not known yet.
        case counting
        /// Which channels there are, in the order of their numbers, before they lose messages.
        case listing([ChannelCounts.Used], keeping: CacheRoom.Kept)
        /// Channels that lose messages, the next one last.
        case trimming([ChannelCounts.Used], keeping: CacheRoom.Kept)
    }

    private var state = State.resting
    private var gate = RetryGate()
    private var rowsSinceCheckpoint = 0
    /// What was left when nothing more could go.
    private var leftOver: Int64?
    /// When old messages are looked for next, by the monotonic clock; `nil`: at once.
    private var agingDue: Int64?

    func sessionEnded(_ turn: inout Turn) {
        state = .resting
        leftOver = nil
        agingDue = nil
        gate = RetryGate()
        turn.add(.timer(.trim, at: nil))
        turn.add(.timer(.aging, at: nil))
    }

    /// A channel is not shown any more: it may lose messages now.
    func collectionClosed() {
        leftOver = nil
        agingDue = nil
    }

    /// Behind every input: begins when there is too much, or something may be too old.
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
        // When nothing could go, it is looked for again once there is noticeably more.
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
        if rowsSinceCheckpoint >= CacheBudget.rowsPerCheckpoint { return checkpoint(&turn) }
        switch state {
        case .resting: break
        case .counting: count(&turn)
        case .listing(let found, let kept): list(found, keeping: kept, &turn)
        case .trimming(let channels, let kept): trim(channels, keeping: kept, isOpen, &turn)
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
        begin(.trimming(CacheBudget.ordered(all), keeping: kept), &turn)
    }

    /// The next one to lose messages stands last.
    private static func ordered(_ channels: [ChannelCounts.Used]) -> [ChannelCounts.Used] {
        channels.filter { $0.usage.bytes > 0 }.sorted {
            ($0.usage.usedAt, $0.channel) > ($1.usage.usedAt, $1.channel)
        }
    }

    private func trim(
        _ channels: [ChannelCounts.Used], keeping kept: CacheRoom.Kept, _ isOpen: (ChannelURL) -> Bool,
        _ turn: inout Turn
    ) {
        if case .newest(let newest) = kept {
            guard let limit = turn.options.cacheLimit else { return rest(&turn) }
            guard let total = turn.storage.cacheTotal else { return begin(.counting, &turn) }
            guard total > limit / 100 * CacheBudget.targetPercent else { return rest(&turn) }
            if channels.isEmpty {
                // Keeping the newest of each channel was not enough.
                if newest > 0 { return begin(.listing([], keeping: .newest(0)), &turn) }
                leftOver = total
            }
        }
        guard let next = channels.last else { return rest(&turn) }
        let found = turn.storage.cached { (cache) throws(StoreError) in
            try cache.room.channelURL(ofKey: next.channel)
        }
        guard let found else { return retry(&turn) }
        guard let url = found, !isOpen(url) else { return begin(.trimming(channels.dropLast(), keeping: kept), &turn) }
        guard let slice = trim(next.channel, url, keeping: kept, &turn) else { return retry(&turn) }
        gate.succeed()
        begin(.trimming(slice.isChannelDone ? channels.dropLast() : channels, keeping: kept), &turn)
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
        rowsSinceCheckpoint += slice.rows
        let (messages, bytes) = (before.messages - after.messages, before.bytes - after.bytes)
        if messages > 0 || bytes > 0 {
            turn.tell(.cacheTrimmed(channelURL: url, messages: messages, bytes: bytes))
        }
        return slice
    }

    private func checkpoint(_ turn: inout Turn) {
        rowsSinceCheckpoint = 0
        let done: Void? = turn.storage.cached { (cache) throws(StoreError) in try cache.room.checkpoint() }
        if done == nil { retry(&turn) } else { goOn(&turn) }
    }

    private func rest(_ turn: inout Turn) {
        state = .resting
        look(&turn)
    }

    private func retry(_ turn: inout Turn) {
        gate.fail(nil, at: turn.now.monotonic, turn.random)
        turn.add(.timer(.trim, at: gate.pausedUntil))
    }
}
