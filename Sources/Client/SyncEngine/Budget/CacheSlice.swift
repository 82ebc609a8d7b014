import SyncModel
import SyncStore

/// One slice of removing messages from a channel: first those of its threads (all of them when room is made), then its
/// oldest ones. The slice is limited in rows and in time, since the client does nothing else meanwhile.
struct CacheSlice {
    /// How many rows are removed between two looks at the stopwatch, at first and at most: a row may have some hundred
    /// bytes or a megabyte.
    private static let steps = 5...100
    /// The maximum duration of a slice, in microseconds.
    private static let longest: Int64 = 2000

    private let options: EngineOptions
    private let capabilities: ServiceCapabilities
    private let began: Int64
    private var step = CacheSlice.steps.lowerBound
    /// How many rows were removed.
    private(set) var rows = 0
    /// Nothing more is to be removed from this channel.
    private(set) var isChannelDone = false

    init(_ options: EngineOptions, _ capabilities: ServiceCapabilities) {
        self.options = options
        self.capabilities = capabilities
        began = options.stopwatch()
    }

    private var nextRows: Int { min(step, options.cacheSliceRows - rows) }

    /// Counts removed rows. Returns whether the slice is over.
    private mutating func isOver(with gone: Int) -> Bool {
        rows += gone
        let taken = options.stopwatch() &- began
        if taken < CacheSlice.longest / 8 { step = min(step * 2, CacheSlice.steps.upperBound) }
        return rows >= options.cacheSliceRows || taken >= CacheSlice.longest
    }

    /// Removes the messages of this slice; called inside the caller's transaction.
    mutating func trim(_ channel: Int64, keeping kept: CacheRoom.Kept, _ cache: CacheStore) throws(StoreError) {
        for thread in try cache.threads.sound(channel: channel) {
            guard try trim(thread: thread.key, keeping: kept, cache) else { return }
        }
        var history = History(channelKey: channel, stored: try cache.chunks.of(channel: channel), capabilities)
        while true {
            let wanted = nextRows
            let gone = try CacheSlice.trim(&history, rows: wanted, keeping: kept, cache)
            let isOver = isOver(with: gone)
            if gone < wanted { break }
            if isOver { return }
        }
        // When no message is left, cursors are removed, too. The newest relations stay: their messages may still come,
        // and a stream tells each relation only once.
        if try cache.room.trimEnd(channel: channel, rows: 1, keeping: .newest(0)) == nil {
            try cache.clearMessages(channel: channel, keepsEarly: capabilities.hasRelations)
        }
        isChannelDone = true
    }

    /// Removes the oldest messages, at most `rows`, but not those to be kept. Returns how many were removed. The chunk
    /// then begins with the oldest message left. This edge has no token, so the service is asked for one before pages
    /// are.
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

    /// Removes rows of a thread. From the first one on, no chunk of the thread counts any more. `false`: there is more
    /// to remove.
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
