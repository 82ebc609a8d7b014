import SyncModel

/// A message that was indexed, changed or removed: which one it is in its channel, and where else it may stand.
public struct TouchedMessage: Hashable, Sendable {
    /// The number of the channel, also for a message of a thread; negative: its thread is not known any more.
    public let channel: Int64
    public let id: MessageID
    public let parentID: MessageID
}

/// The indexed messages that were touched since somebody looked, for open searches.
///
/// What is noted and then rolled back is looked at for nothing.
public final class TouchedMessages {
    /// Beyond it all that searches show is looked for again.
    private static let most = 10_000

    private var waiting: [TouchedMessage] = []
    private var known: Set<TouchedMessage> = []
    /// Nobody wants to know.
    public var isIdle = true { didSet { if isIdle { clear() } } }
    /// Something was touched since messages were indexed last, whoever wants to know.
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

    /// They could not be looked at.
    public func giveBack(_ messages: [TouchedMessage]) { for message in messages { add(message) } }

    public func clear() {
        waiting = []
        known = []
        hasOverflown = false
    }
}
