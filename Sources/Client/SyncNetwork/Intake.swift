import Synchronization

/// How much one owner of transfers takes in: whether its streams and WebSockets are read.
///
/// The owner shuts it, on whatever thread, when too much of what was read waits for it; `NetworkThread.open` opens it
/// again. While it is shut nothing is read from its streams and open WebSockets, so their peers wait as TCP makes
/// them, and no silence of theirs counts. Answers to requests are read on: they were asked for, and have a deadline and
/// a limit.
public final class Intake: Sendable {
    private let shutting = Atomic<Bool>(false)

    public init() {}

    /// Nothing more is to be read. What has been read comes all the same: a buffer's worth of each transfer at most.
    public func shut() { shutting.store(true, ordering: .sequentiallyConsistent) }

    /// Before the network thread is asked to read on.
    func open() { shutting.store(false, ordering: .sequentiallyConsistent) }

    var isShut: Bool { shutting.load(ordering: .sequentiallyConsistent) }
}
