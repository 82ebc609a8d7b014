import SyncModel
import SyncStore

/// What of the cache a window may show now.
struct MessageSource {
    let coverage: MessageWindows.Coverage
    let context: Context

    init(_ coverage: MessageWindows.Coverage, _ context: Context) {
        self.coverage = coverage
        self.context = context
    }

    /// The chunk a window reads from. Without a chunk at its viewpoint the nearest cached one below stands in, unless
    /// the service can be asked for what really is there. At the newest point that is so once the gap has been checked.
    func chunk(of window: MessageWindow) -> ChunkList.Chunk? {
        if let home = window.home(in: coverage.chunks) { return coverage.chunks.chunks[home] }
        // What is shown is in doubt: nothing that is known for sure stands right beside it.
        guard window.window.isEmpty else { return nil }
        // Who starts is shown what there is at once; the service's page replaces it.
        let isShownAnyway = window.start?.isAnswered == false
        if !isShownAnyway, context.canSync, window.viewpoint != Int64.max || coverage.isGapChecked { return nil }
        return coverage.chunks.index(atOrBelow: window.anchor).map { coverage.chunks.chunks[$0] }
    }

    /// The rows next to what a window shows, within a chunk, as they are shown; `nil` when they cannot be read.
    func rows(
        _ direction: PageDirection, of window: MessageWindow, _ chunk: ChunkList.Chunk, limit: Int
    ) -> [MessageRow]? {
        let url = coverage.channelURL
        // Of those that are shown otherwise than they are cached, some may not be shown at all.
        let others = context.overlays.count(url)
        // A collection's capacity may be without end.
        let (more, isEndless) = limit.addingReportingOverflow(others)
        let stored = storedRows(direction, of: window, chunk, limit: isEndless ? limit : more)
        guard others > 0, let stored else { return stored }
        let rows = stored.compactMap { context.overlays.shown($0, window.filter, url, context) }
        return Array(direction == .previous ? rows.suffix(limit) : rows.prefix(limit))
    }

    private func storedRows(
        _ direction: PageDirection, of window: MessageWindow, _ chunk: ChunkList.Chunk, limit: Int
    ) -> [MessageRow]? {
        let key = coverage.channelKey
        switch direction {
        case .previous:
            let upper = window.lowerEnd
            if !chunk.reachedFirst, upper <= chunk.start.position { return [] }
            return context.storage.cached { (cache) throws(StoreError) in
                try cache.messagesBefore(
                    min(upper, chunk.end.position.successor),
                    notBefore: chunk.reachedFirst ? .first : chunk.start.position, channel: key,
                    filter: window.filter, limit: limit)
            }
        case .next:
            let lower = window.upperEnd
            if lower >= chunk.end.position { return [] }
            return context.storage.cached { (cache) throws(StoreError) in
                try cache.messagesAfter(
                    max(lower, chunk.start.position.predecessor), notAfter: chunk.end.position, channel: key,
                    filter: window.filter, limit: limit)
            }
        }
    }
}
