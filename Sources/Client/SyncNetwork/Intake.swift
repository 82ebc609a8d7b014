import Synchronization

/// How much one owner of transfers takes in: whether its streams and WebSockets are read, and how many bytes of answers
/// to its requests are held.
///
/// The owner shuts it, on whatever thread, when too much of what was read waits for it; `NetworkThread.open` opens it
/// again. While it is shut nothing is read from its streams and open WebSockets, so their peers wait as TCP makes
/// them, and no silence of theirs counts. Answers to requests are read on: they were asked for, and have a deadline and
/// a limit, each one and all together.
///
/// A body counts from its first byte on, unpacked, until the request has failed or the owner has called `release` for
/// the answer that it was given.
public final class Intake: Sendable {
    private let shutting = Atomic<Bool>(false)
    private let unread = Atomic<Int64>(Int64.max)
    private let ending = Atomic<Bool>(false)
    private let held = Atomic<Int>(0)
    /// The bytes of all bodies together.
    let bodyLimit: Int

    public init(bodyLimit: Int = 128 << 20) { self.bodyLimit = bodyLimit }

    /// Nothing more is to be read. What has been read comes all the same: a buffer's worth of each transfer at most.
    public func shut() { shutting.store(true, ordering: .sequentiallyConsistent) }

    /// Before the network thread is asked to read on.
    func open() { shutting.store(false, ordering: .sequentiallyConsistent) }

    public var isShut: Bool { shutting.load(ordering: .sequentiallyConsistent) }

    /// Since when bytes wait to be read while it is shut, or since it was, by the monotonic clock; of all transfers the
    /// earliest. `nil`: none wait.
    public var unreadSince: Int64? {
        let time = unread.load(ordering: .sequentiallyConsistent)
        return time == Int64.max ? nil : time
    }

    func setUnread(since time: Int64?) { unread.store(time ?? Int64.max, ordering: .sequentiallyConsistent) }

    /// The owner is gone: what is under way is sent, and no answer is wanted any more.
    public func end() { ending.store(true, ordering: .relaxed) }

    var isOver: Bool { ending.load(ordering: .relaxed) }

    /// The bytes of bodies that are held.
    public var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Counts bytes of a body; `false` when there is no room for them.
    func reserve(_ count: Int) -> Bool {
        if held.wrappingAdd(count, ordering: .relaxed).newValue <= bodyLimit { return true }
        release(count)
        return false
    }

    /// The owner has taken so many bytes of an answer.
    public func release(_ count: Int) { held.wrappingSubtract(count, ordering: .relaxed) }
}
