import Synchronization

/// How much one owner takes from the network: whether its streams and WebSockets are read, and how many bytes of
/// answers to its requests are held.
///
/// The owner shuts it, on whatever thread, when too much of what was read waits for it; `NetworkThread.open` opens it
/// again. While it is shut, nothing is read from its streams and open WebSockets, so TCP makes their peers wait, and
/// their silence does not count as a loss. Answers to requests are still read: they were asked for, have deadlines, and
/// are limited one by one and together.
///
/// A body counts from its first byte on, unpacked, until the request has failed or the owner has called `release` for
/// the answer that it was given.
public final class Intake: Sendable {
    private let shutting = Atomic<Bool>(false)
    private let unread = Atomic<Int64>(Int64.max)
    private let ending = Atomic<Bool>(false)
    private let held = Atomic<Int>(0)
    /// The most bytes of all bodies together.
    let bodyLimit: Int

    public init(bodyLimit: Int = 128 << 20) { self.bodyLimit = bodyLimit }

    /// Stops the reading. Bytes that have been read still come: at most one buffer for each transfer.
    public func shut() { shutting.store(true, ordering: .sequentiallyConsistent) }

    /// Called before the network thread is asked to read again.
    func open() { shutting.store(false, ordering: .sequentiallyConsistent) }

    public var isShut: Bool { shutting.load(ordering: .sequentiallyConsistent) }

    /// The earliest time since when bytes of a transfer wait to be read, by the monotonic clock, while it is shut or
    /// has just been opened. `nil`: none wait.
    public var unreadSince: Int64? {
        let time = unread.load(ordering: .sequentiallyConsistent)
        return time == Int64.max ? nil : time
    }

    func setUnread(since time: Int64?) { unread.store(time ?? Int64.max, ordering: .sequentiallyConsistent) }

    /// The owner has ended: requests in flight are sent, and their answers are dropped.
    public func end() { ending.store(true, ordering: .relaxed) }

    var isOver: Bool { ending.load(ordering: .relaxed) }

    /// How many bytes of bodies are held.
    public var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Counts bytes of a body; `false` when they would exceed the limit.
    func reserve(_ count: Int) -> Bool {
        if held.wrappingAdd(count, ordering: .relaxed).newValue <= bodyLimit { return true }
        release(count)
        return false
    }

    /// The owner has processed so many bytes of an answer.
    public func release(_ count: Int) { held.wrappingSubtract(count, ordering: .relaxed) }
}
