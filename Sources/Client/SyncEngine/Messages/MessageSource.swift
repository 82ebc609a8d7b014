import SyncModel
import SyncStore

/// The cached messages next to a place, as a window shows them.
struct MessageSource {
    let coverage: Coverage
    let context: Context
    let filter: MessageFilter

    /// The rows next to a place, within a chunk, as they are shown; `nil` when they cannot be read.
    func rows(
        _ direction: PageDirection, of place: MessagePosition, _ chunk: ChunkList.Chunk, limit: Int
    ) -> [MessageRow]? {
        let url = coverage.channelURL
        // An overlay may hide messages, so as many more rows are read as there are overlays.
        let others = context.overlays.count(url)
        // A collection's capacity may be unlimited.
        let (more, isEndless) = limit.addingReportingOverflow(others)
        let stored = storedRows(direction, of: place, chunk, limit: isEndless ? limit : more)
        guard others > 0, let stored else { return stored }
        let rows = stored.compactMap {
            context.overlays.shown($0, filter, url, context.rules, by: context.options.userID)
        }
        return Array(direction == .previous ? rows.suffix(limit) : rows.prefix(limit))
    }

    private func storedRows(
        _ direction: PageDirection, of place: MessagePosition, _ chunk: ChunkList.Chunk, limit: Int
    ) -> [MessageRow]? {
        let key = coverage.channelKey
        switch direction {
        case .previous:
            if !chunk.reachedFirst, place <= chunk.start.position { return [] }
            return context.storage.cached { (cache) throws(StoreError) in
                try cache.messagesBefore(
                    min(place, chunk.end.position.successor),
                    notBefore: chunk.reachedFirst ? .first : chunk.start.position, channel: key, filter: filter,
                    limit: limit)
            }
        case .next:
            if place >= chunk.end.position { return [] }
            return context.storage.cached { (cache) throws(StoreError) in
                try cache.messagesAfter(
                    chunk.reachedFirst ? place : max(place, chunk.start.position.predecessor),
                    notAfter: chunk.end.position, channel: key, filter: filter, limit: limit)
            }
        }
    }
}
