import SyncModel

/// The part of a history about which a page says what is there.
struct PageRange {
    private let page: MessagePage
    let start: HistoryEdge
    let end: HistoryEdge

    /// `nil`: the page says nothing. A channel without any message is complete, too.
    init?(_ page: MessagePage) {
        self.page = page
        if let range = page.range {
            (start, end) = range
        } else if page.reachedFirst, page.reachedNewest {
            start = HistoryEdge(MessagePosition(order: 0, tie: 0))
            end = start
        } else {
            return nil
        }
    }

    /// Whether the page decides about a position: it lies inside the range, not at an outer edge where messages of the
    /// same time may have been cut off.
    func decides(_ position: MessagePosition) -> Bool {
        guard let low = page.messages.first?.position, let high = page.messages.last?.position else {
            // An answer without any row says nothing about the edge from which it was asked.
            return page.reachedFirst && position < start.position || page.reachedNewest && position > end.position
        }
        return (low <= position || page.reachedFirst) && (position <= high || page.reachedNewest)
    }

    /// Whether a position lies inside the range. Messages with the time of an end of the page may have been cut off.
    /// Where no log tells of deletions, the page has to: rows from before the stream broke may lie there.
    func holds(_ position: MessagePosition) -> Bool {
        let (first, last) = (page.messages.first?.position, page.messages.last?.position)
        let isBehindStart = page.reachedFirst || start.position.order < position.order
        let isBeforeEnd = page.reachedNewest || position.order < end.position.order
        return (isBehindStart || first.map { $0 <= position } ?? false)
            && (isBeforeEnd || last.map { position <= $0 } ?? false)
    }
}
