import SyncModel

/// A message that was indexed, changed or removed: its channel and id, and the parent of its thread.
public struct TouchedMessage: Hashable, Sendable {
    /// The number of the channel, also for a message of a thread; negative: its thread is not known any more.
    public let channel: Int64
    public let id: MessageID
    public let parentID: MessageID
}

/// The indexed messages that were touched since somebody looked, for open searches.
///
/// A message whose change was rolled back stays noted, which costs only a needless look.
public final class TouchedMessages {
    /// When more messages than this wait, their list is dropped, and open searches look for all of their results again.
    private static let most = 10_000

    private var waiting: [TouchedMessage] = []
    private var known: Set<TouchedMessage> = []
    /// No search is open, so nothing is noted.
    public var isIdle = true { didSet { if isIdle { clear() } } }
    /// Something was touched since messages were indexed last; also set while `isIdle`.
    public internal(set) var hasAny = false
    /// More was touched than is listed.
    public private(set) var hasOverflown = false

    public var isEmpty: Bool { waiting.isEmpty && !hasOverflown }

    func add(_ message: TouchedMessage) {
        guard !isIdle, !hasOverflown else { return }
        guard message.channel > 0, waiting.count < TouchedMessages.most else { return overflow() }
        if known.insert(message).inserted { waiting.append(message) }
    }

    func overflow() {
        guard !isIdle else { return }
        clear()
        hasOverflown = true
    }

    /// The next ones, in the order in which they were touched.
    public func take(_ count: Int) -> [TouchedMessage] {
        let taken = Array(waiting.prefix(count))
        waiting.removeFirst(taken.count)
        for message in taken { known.remove(message) }
        return taken
    }

    /// Takes back messages that could not be looked at.
    public func giveBack(_ messages: [TouchedMessage]) { for message in messages { add(message) } }

    public func clear() {
        waiting = []
        known = []
        hasOverflown = false
    }
}
