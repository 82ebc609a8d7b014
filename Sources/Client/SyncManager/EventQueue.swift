import CLinux
import Glibc
import SyncEngine
import SyncModel
import SyncThreads

/// The queue of events and results from one client to its host, drained by one thread at a time.
///
/// JSON is made when an event is drained, on the draining thread and without holding the lock; the engine only adds
/// values. A thread that waits for an event does the engine's work meanwhile, if no other thread does (`EngineWork`).
/// So its event comes without waking another thread.
final class EventQueue: @unchecked Sendable {
    /// The lock of a client, for both its queue and its inbox, since a thread waits for either at the same time.
    private let monitor: Monitor
    private let environment: any ClientEnvironment
    /// The condition that host threads wait for.
    static let hostCondition = 0

    /// The engine's work. Set before any thread waits.
    weak var work: (any EngineWork)?
    private let buffer: EventBuffer
    /// How many times something was added to the queue.
    private(set) var tellings: UInt64 = 0
    private(set) var calls: CallTable
    /// Whether a thread of the library drains, and no other thread may.
    private let hasOwnThread: Bool
    private let descriptor: Int32
    private var isDescriptorUsed = false
    private var clientListener = Listener()
    private var listeners: [CollectionID: Listener] = [:]
    private var isInterrupted = false
    private var isClosed = false
    /// Whether listeners are refused, since nothing would call their destroy functions any more.
    private var hasEnded = false
    private var drainer: pthread_t?
    /// Whether the draining thread waits for an event or for work.
    private(set) var isAwaited = false
    /// A thread does the engine's work only when it has at least so many milliseconds left to wait: one input of the
    /// network may take as long.
    private static let patience: Int64 = 50
    /// The collection whose event the draining thread is delivering, and whether it goes to the client's listener.
    private var running: CollectionID?
    private var isClientListenerInUse = false
    private var waitingForCallback = 0
    /// Listeners that were replaced while in use; the draining thread ends them when it is done with them.
    private var replaced: [Listener] = []

    init?(
        limit: Int, hasOwnThread: Bool = false, monitor: Monitor = Monitor(), environment: any ClientEnvironment
    ) {
        self.monitor = monitor
        self.environment = environment
        self.hasOwnThread = hasOwnThread
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        buffer = EventBuffer(limit: limit)
        calls = CallTable(queueLimit: limit)
    }

    deinit { Glibc.close(descriptor) }

    /// A descriptor that is readable while events wait. It is made when the host first asks for it.
    var fileDescriptor: Int32 {
        monitor.locked {
            if !isDescriptorUsed, !buffer.isEmpty { raise() }
            isDescriptorUsed = true
        }
        return descriptor
    }

    private func raise() {
        var one: UInt64 = 1
        // Fails only when the counter is full, and then the descriptor is readable anyway.
        _ = write(descriptor, &one, 8)
    }

    private func lower() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    // MARK: Engine

    /// Adds events and results for the host, in order.
    func push(_ outputs: [HostOutput]) {
        guard !outputs.isEmpty else { return }
        monitor.locked { pushLocked(outputs) }
    }

    /// The same with the lock held.
    func pushLocked(_ outputs: [HostOutput]) {
        guard !outputs.isEmpty else { return }
        let wasEmpty = buffer.isEmpty
        let time = environment.wall
        tellings += 1
        for output in outputs { buffer.push(output, time: time) }
        guard !buffer.isEmpty else { return }
        if wasEmpty, isDescriptorUsed { raise() }
        monitor.signalAll(EventQueue.hostCondition)
    }

    // MARK: Calls, with the lock held

    /// Accepts a call, whose completion comes through this queue, and gives its number. `bytes`: of its texts;
    /// `others`: the load of commands without a result.
    func addCall(
        _ listener: Listener, fetch: CallTable.FetchKey? = nil, bytes: Int = 0, others: WaitingLoad = WaitingLoad(),
        isSignOut: Bool = false
    ) throws(BorderError) -> CallID {
        try calls.add(listener, fetch: fetch, bytes: bytes, others: others, isSignOut: isSignOut)
    }

    // MARK: Registration

    func addCollection(_ lists: DeliveredLists) { monitor.locked { buffer.add(lists) } }

    func setListener(_ listener: Listener) throws(BorderError) {
        let before = try monitor.locked { () throws(BorderError) -> Listener? in
            if hasEnded { throw BorderError(.closed, "the client is closed") }
            defer { clientListener = listener }
            return retire(clientListener, isInUse: isClientListenerInUse)
        }
        before?.end()
    }

    func setListener(_ listener: Listener, collection id: CollectionID) throws(BorderError) {
        let before = try monitor.locked { () throws(BorderError) -> Listener? in
            if hasEnded { throw BorderError(.closed, "the client is closed") }
            guard buffer.contains(collection: id) else {
                throw BorderError(.invalidHandle, "the collection was removed")
            }
            return retire(listeners.updateValue(listener, forKey: id), isInUse: running == id && !isClientListenerInUse)
        }
        before?.end()
    }

    /// Returns the listener if it can be ended now. A listener whose callback is running, on another thread or on this
    /// one (which then replaces it from inside), is ended when the callback has returned.
    private func retire(_ listener: Listener?, isInUse: Bool) -> Listener? {
        guard isInUse, let listener else { return listener }
        replaced.append(listener)
        return nil
    }

    /// Removes a collection: none of its events is delivered any more. Waits for a callback of it that runs on another
    /// thread.
    func removeCollection(_ id: CollectionID) {
        let before = monitor.locked { () -> Listener? in
            buffer.remove(collection: id)
            while running == id, let drainer, pthread_equal(drainer, pthread_self()) == 0 {
                waitingForCallback += 1
                _ = monitor.wait(for: EventQueue.hostCondition, until: nil)
                waitingForCallback -= 1
            }
            return retire(listeners.removeValue(forKey: id), isInUse: running == id && !isClientListenerInUse)
        }
        before?.end()
    }

    /// The stream with a number that the host knows.
    func stream(_ number: UInt64) -> StreamHandle? { monitor.locked { buffer.stream(.host(number)) } }

    func info(of id: CollectionID) -> [UInt8]? { monitor.locked { buffer.info(of: id) } }

    func contains(_ item: String, in id: CollectionID) -> Bool? { monitor.locked { buffer.contains(item, in: id) } }

    func snapshot(of id: CollectionID) -> [UInt8]? { monitor.locked { buffer.snapshot(of: id) } }

    // MARK: Draining

    /// Makes this thread the one that drains. `isOwnThread`: it is a thread of the library, or the one that closes.
    func beginDraining(isOwnThread: Bool = false, evenClosed: Bool = false) throws(BorderError) {
        try monitor.locked { () throws(BorderError) in
            if let drainer, pthread_equal(drainer, pthread_self()) != 0 {
                throw BorderError(.reentrant, "the queue is being drained by this very thread")
            }
            if isClosed, !evenClosed { throw BorderError(.closed, "the client is closed") }
            if drainer != nil || hasOwnThread && !isOwnThread {
                throw BorderError(.busy, "another thread drains the queue")
            }
            drainer = pthread_self()
        }
    }

    func endDraining() {
        monitor.locked {
            drainer = nil
            running = nil
            isClientListenerInUse = false
            if isClosed || waitingForCallback > 0 { monitor.signalAll(EventQueue.hostCondition) }
        }
    }

    /// The draining thread has delivered its event: threads that wait for the callback go on, and listeners that were
    /// replaced meanwhile are ended.
    func finished() {
        let ended = monitor.locked { () -> [Listener] in
            running = nil
            isClientListenerInUse = false
            if waitingForCallback > 0 { monitor.signalAll(EventQueue.hostCondition) }
            guard !replaced.isEmpty else { return [] }
            defer { replaced = [] }
            return replaced
        }
        for listener in ended { listener.end() }
    }

    var isDrainedByThisThread: Bool {
        monitor.locked { drainer.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    func interrupt() {
        monitor.locked {
            isInterrupted = true
            monitor.signalAll(EventQueue.hostCondition)
        }
    }

    /// Ends the draining by all other threads than the closing one, and waits until it has ended.
    func close() {
        monitor.locked {
            isClosed = true
            monitor.signalAll(EventQueue.hostCondition)
            while drainer != nil { _ = monitor.wait(for: EventQueue.hostCondition, until: nil) }
        }
    }

    /// The next event, waiting up to `timeout` milliseconds (negative: for ever). A thread with little time leaves the
    /// engine's work to the engine thread. `wants` is what the engine has to hear of now.
    func take(timeout: Int32, wants: inout DrainWants) -> DrainedEvent? {
        if !hasOwnThread, let time = environment.virtualTime { return take(timeout: timeout, time, &wants) }
        let deadline = timeout > 0 ? Clock.monotonic + Int64(timeout) : nil
        let work = work
        while true {
            var mayWork = false
            let event = monitor.locked { () -> DrainedEvent? in
                while true {
                    if let event = next(&wants) {
                        if timeout != 0 { work?.handOver() }
                        return event
                    }
                    let isOver = timeout == 0 || deadline.map { $0 <= Clock.monotonic } ?? false
                    if isInterrupted || isClosed || isOver {
                        isInterrupted = false
                        if timeout != 0 { work?.handOver() }
                        return nil
                    }
                    if deadline.map({ $0 - Clock.monotonic < EventQueue.patience }) ?? false {
                        work?.handOver()
                        _ = monitor.wait(for: EventQueue.hostCondition, until: deadline)
                        continue
                    }
                    if work?.claim() ?? false {
                        mayWork = true
                        return nil
                    }
                    isAwaited = true
                    let until = Moment.earlier(deadline, work?.deadline)
                    _ = monitor.wait(for: EventQueue.hostCondition, until: until)
                    isAwaited = false
                }
            }
            guard mayWork else { return event }
            work?.perform()
        }
    }

    /// The longest wait in virtual time: with nothing to come, a wait without an end would never return.
    private static let longestWait: Int64 = 86_400_000

    /// The same in virtual time, which passes while nothing waits. No longer than a day: then as if interrupted.
    private func take(
        timeout: Int32, _ time: any VirtualTime, _ wants: inout DrainWants
    ) -> DrainedEvent? {
        let wait = timeout < 0 ? EventQueue.longestWait : min(Int64(timeout), EventQueue.longestWait)
        let deadline = environment.monotonic + wait
        while true {
            var isOver = false
            let event = monitor.locked { () -> DrainedEvent? in
                if let event = next(&wants) { return event }
                isOver = isInterrupted || isClosed || environment.monotonic >= deadline
                if isOver { isInterrupted = false }
                return nil
            }
            if event != nil || isOver { return event }
            time.pass(until: deadline)
        }
    }

    private func next(_ wants: inout DrainWants) -> DrainedEvent? {
        guard !buffer.isEmpty else { return nil }
        let event = buffer.take()
        wants = buffer.takeWants()
        if buffer.isEmpty, isDescriptorUsed { lower() }
        guard let event else { return nil }
        var caller: Listener?
        if case .completion(let completion) = event.output { caller = calls.remove(completion.call) }
        running = event.collection
        // A listener without a callback is kept only for its destroy function.
        let own = running.flatMap { listeners[$0] }.flatMap { $0.event == nil ? nil : $0 }
        isClientListenerInUse = own == nil
        let target = own ?? clientListener
        return DrainedEvent(
            event: event, caller: caller, target: Listener(event: target.event, userData: target.userData))
    }

    /// Ends every listener that is left; nothing is delivered afterwards.
    func endListeners() {
        let left = monitor.locked { () -> [Listener] in
            hasEnded = true
            defer {
                listeners = [:]
                clientListener = Listener()
                buffer.removeAll()
            }
            return calls.removeAll() + Array(listeners.values) + [clientListener]
        }
        for listener in left { listener.end() }
    }
}
