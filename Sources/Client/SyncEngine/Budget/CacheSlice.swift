import SyncModel
import SyncStore

/// One slice of taking messages out of a channel: those of its threads go first (all of them where room is made), then
/// its oldest ones. Bounded in rows and in time, since nothing else of the client is done meanwhile.
struct CacheSlice {
    /// Rows between two looks at the watch, at first and at most: they may be of some hundred bytes or of a megabyte.
    private static let steps = 5...100
    /// How long one takes, in microseconds.
    private static let longest: Int64 = 2000

    private let options: EngineOptions
    private let capabilities: ServiceCapabilities
    private let began: Int64
    private var step = CacheSlice.steps.lowerBound
    /// Rows that went.
    private(set) var rows = 0
    /// Nothing more goes of this channel.
    private(set) var isChannelDone = false

    init(_ options: EngineOptions, _ capabilities: ServiceCapabilities) {
        self.options = options
        self.capabilities = capabilities
        began = options.stopwatch()
    }

    private var nextRows: Int { min(step, options.cacheSliceRows - rows) }

    /// So many rows went. Whether that was enough for this slice.
    private mutating func isOver(with gone: Int) -> Bool {
        rows += gone
        let taken = options.stopwatch() &- began
        if taken < CacheSlice.longest / 8 { step = min(step * 2, CacheSlice.steps.upperBound) }
        return rows >= options.cacheSliceRows || taken >= CacheSlice.longest
    }

    /// Takes out what goes in this slice, as a part of the transaction of who calls.
    mutating func trim(_ channel: Int64, keeping kept: CacheRoom.Kept, _ cache: CacheStore) throws(StoreError) {
        for thread in try cache.soundThreads(channel: channel) {
            guard try trim(thread: thread.key, keeping: kept, cache) else { return }
        }
        var history = History(channelKey: channel, stored: try cache.chunks(channel: channel), capabilities)
        while true {
            let wanted = nextRows
            let gone = try CacheSlice.trim(&history, rows: wanted, keeping: kept, cache)
            let isOver = isOver(with: gone)
            if gone < wanted { break }
            if isOver { return }
        }
        // Without a message cursors go, too. The newest relations stay: their messages may still come, and a stream
        // tells of each once.
        if try cache.room.trimEnd(channel: channel, rows: 1, keeping: .newest(0)) == nil {
            try cache.clearMessages(channel: channel, keepsEarly: capabilities.hasRelations)
        }
        isChannelDone = true
    }

    /// Takes out the oldest messages: so many at most, but for the newest. Gives how many went. What is complete begins
    /// with the oldest that stays; its edge has no token, so the service is asked for one before it is paged.
    private static func trim(
        _ history: inout History, rows: Int, keeping kept: CacheRoom.Kept, _ cache: CacheStore
    ) throws(StoreError) -> Int {
        let (key, room) = (history.channelKey, cache.room)
        guard let end = try room.trimEnd(channel: key, rows: rows, keeping: kept) else { return 0 }
        let gone = try room.deleteMessages(channel: key, through: end)
        var left = history.chunks
        let oldest = try cache.outermost(.previous, from: end.successor, through: .last, channel: key)
        left.trim(through: end, oldest: oldest)
        history.adopt(left)
        try history.saveChunks(cache)
        return gone
    }

    /// A thread counts as complete nowhere from the first row on that goes. `false`: more of it goes.
    private mutating func trim(
        thread key: Int64, keeping kept: CacheRoom.Kept, _ cache: CacheStore
    ) throws(StoreError) -> Bool {
        var kept = kept
        switch kept {
        case .newest:
            guard try cache.room.holdsAnything(channel: key) else { return true }
            kept = .newest(0)
        case .since:
            guard try cache.room.trimEnd(channel: key, rows: 1, keeping: kept) != nil else { return true }
        }
        try cache.room.forgetCompleteness(channel: key)
        while true {
            let wanted = nextRows
            guard let end = try cache.room.trimEnd(channel: key, rows: wanted, keeping: kept) else { return true }
            if isOver(with: try cache.room.deleteMessages(channel: key, through: end)) { return false }
        }
    }
}
