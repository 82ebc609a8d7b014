import SyncModel

/// Decides which stretch of a channel's history is complete after an answer.
///
/// What the service promises of a page: it has all messages at the time that was asked about, and besides the nearest
/// ones in the order of time and id, up to `limit` before that time and up to `limit` after it. So
///
/// - A side has reached its end when the whole answer has fewer than `limit` rows. Rows at the time itself count, so
///   that the rule also holds for a service that takes them off the limit; rows that cannot be read count, since the
///   service has them.
/// - A full answer that brings nothing beyond the edge it was asked from (all rows share its time) has reached the
///   end, too: `limit` more were asked for. Taken for unfinished, it would be asked for in an endless loop.
/// - Otherwise the stretch ends with the farthest row. Messages of the same time behind it may have been cut off: they
///   are outside the stretch, and come with the next page, which is asked for from that time on.
/// - The edge that was asked from belongs to the stretch, whether its message is still there or not. A page says
///   nothing about what lies on the other side of the edge, but for rows of the edge's own time.
/// - Rows on the wrong side of the time are no part of the answer and are left out.
/// - An answer without rows says that there is nothing beyond the edge, and nothing of the edge itself.
/// - `has_next` and `is_continuous_messages` are not used: no documentation says to which side they refer.
enum HistoryPages {
    /// Rows in ascending order of position, each once.
    struct Rows {
        private(set) var messages: [MessageRecord] = []
        /// Rows of the answer, with those that could not be read.
        private(set) var count = 0
        private var isAscending = true

        var hasUnreadable: Bool { count > messages.count }

        /// Adds a row; `nil` is one that cannot be read.
        mutating func append(_ message: MessageRecord?) {
            count += 1
            guard let message else { return }
            if let last = messages.last?.position, last >= message.position { isAscending = false }
            messages.append(message)
        }

        /// The messages of a time or later; usually all of them.
        func from(_ time: Int64) -> [MessageRecord] {
            guard let first = messages.first, first.position.order < time else { return messages }
            return messages.filter { $0.position.order >= time }
        }

        /// Sorts rows that did not come in order. Of several rows of one position it keeps the one that came last.
        mutating func settle() {
            if isAscending { return }
            isAscending = true
            var sorted: [MessageRecord] = []
            let order = messages.indices.sorted {
                let (left, right) = (messages[$0].position, messages[$1].position)
                return left == right ? $0 < $1 : left < right
            }
            for index in order {
                if sorted.last?.position == messages[index].position {
                    sorted[sorted.count - 1] = messages[index]
                    count -= 1
                } else {
                    sorted.append(messages[index])
                }
            }
            messages = sorted
        }
    }

    /// The answer to `messages`; `nil` when it is of no use: full, and nothing of it beyond the edge can be read.
    static func page(_ rows: Rows, from edge: HistoryEdge, _ direction: PageDirection, limit: Int) -> MessagePage? {
        let from = edge.position
        let isShort = rows.count < limit
        switch direction {
        case .previous:
            var messages = rows.messages
            while let last = messages.last, last.position.order > from.order { messages.removeLast() }
            let lowest = messages.first?.position ?? from
            let isStuck = lowest >= from
            if !isShort, isStuck, rows.hasUnreadable { return nil }
            return page(
                messages, from: min(lowest, from), through: max(messages.last?.position ?? from, from),
                reachedFirst: isShort || isStuck, reachedNewest: false)
        case .next:
            let messages = rows.from(from.order)
            let highest = messages.last?.position ?? from
            let isStuck = highest <= from
            if !isShort, isStuck, rows.hasUnreadable { return nil }
            return page(
                messages, from: min(messages.first?.position ?? from, from), through: max(highest, from),
                reachedFirst: false, reachedNewest: isShort || isStuck)
        }
    }

    /// The answer to `messagesAround`; about the newest point (`Int64.max`) nothing newer was asked for. `nil` when
    /// nothing of it can be read.
    static func page(_ rows: Rows, around time: Int64, limit: Int) -> MessagePage? {
        let unreadable = rows.count - rows.messages.count
        let older = rows.messages.count { $0.position.order <= time } + unreadable
        let newer = rows.messages.count { $0.position.order >= time } + (time == Int64.max ? 0 : unreadable)
        guard let first = rows.messages.first?.position, let last = rows.messages.last?.position else {
            // Rows that cannot be read do not mean that the channel is empty.
            guard unreadable == 0 else { return nil }
            return MessagePage(messages: [], range: nil, reachedFirst: true, reachedNewest: true)
        }
        return page(
            rows.messages, from: first, through: last, reachedFirst: older < limit, reachedNewest: newer < limit)
    }

    /// The answer to `messageGap`: what follows the end of what is held. `hasMore` is `nil` when the service does not
    /// say whether more follows; then more is assumed to follow.
    static func fill(_ rows: Rows, from end: HistoryEdge, hasMore: Bool?) -> MessagePage {
        let from = end.position
        let messages = rows.from(from.order)
        return page(
            messages, from: min(messages.first?.position ?? from, from),
            through: max(messages.last?.position ?? from, from), reachedFirst: false, reachedNewest: hasMore == false)
    }

    private static func page(
        _ messages: [MessageRecord], from start: MessagePosition, through end: MessagePosition, reachedFirst: Bool,
        reachedNewest: Bool
    ) -> MessagePage {
        MessagePage(
            messages: messages, range: (HistoryEdge(start), HistoryEdge(end)), reachedFirst: reachedFirst,
            reachedNewest: reachedNewest)
    }
}
