import CLinux
import Glibc
import SyncEngine
import SyncJSON

public typealias EventCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int) -> Void
public typealias ResultCallback = @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int) -> Void
public typealias DestroyCallback = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// Who hears events, and what to do with their context when nobody does any more.
struct Listener: @unchecked Sendable {
    var event: EventCallback?
    var result: ResultCallback?
    var userData: UnsafeMutableRawPointer?
    var destroy: DestroyCallback?

    func end() { destroy?(userData) }
}

/// The events of one client on their way to the host: bounded, in order, drained by one thread at a time.
///
/// Text is made when an event is drained, on the draining thread and with the lock free; the engine only leaves values.
/// When the host lags, events of its collections are let go and the engine is asked to show those collections anew;
/// completions of calls are never let go, since there are no more of them than calls.
final class EventQueue: @unchecked Sendable {
    enum Payload {
        case event(HostEvent)
        case completion(Completion)
    }

    /// A direction of a collection in which one fetch at a time may be under way.
    struct FetchKey: Hashable {
        var collection: UInt64
        var isNext: Bool
    }

    private struct Call {
        var listener: Listener
        var fetch: FetchKey?
    }

    private let monitor = Monitor()
    private let limit: Int
    /// Whether a thread of the library drains, and nobody else may.
    private let hasOwnThread: Bool
    private let descriptor: Int32
    private var isDescriptorUsed = false
    private var waiting: [(payload: Payload, time: Int64)] = []
    private var head = 0
    private var sequence: Int64 = 0
    private var calls: [UInt64: Call] = [:]
    private var fetching: Set<FetchKey> = []
    private var lastCall: UInt64 = 0
    private var clientListener = Listener()
    private var listeners: [UInt64: Listener] = [:]
    private var delivered: [UInt64: DeliveredLists] = [:]
    /// Cleared lists, which the engine lets go when it has nothing better to do: their memory is its own, and while the
    /// host waits for events it should not spend its time with an allocator's lock.
    private var retired: [[[UInt8]]] = []
    private var lagging: [UInt64: Int] = [:]
    private var isAnewAsked = false
    private var isInterrupted = false
    private var isClosed = false
    /// No listener is taken in any more: there is nobody left to end it.
    private var hasEnded = false
    private var drainer: pthread_t?
    /// The collection whose event is in use by the draining thread, and whether it goes to the client's listener.
    private var running: UInt64 = 0
    private var isClientListenerInUse = false
    private var waitingForCallback = 0
    /// Listeners that were replaced while in use; the draining thread ends them when it is done with them.
    private var replaced: [Listener] = []

    init?(limit: Int, hasOwnThread: Bool = false) {
        self.hasOwnThread = hasOwnThread
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.limit = limit
    }

    deinit { Glibc.close(descriptor) }

    /// Readable while events wait. A host that never asks for it never pays for it.
    var fileDescriptor: Int32 {
        monitor.locked {
            if !isDescriptorUsed, waiting.count > head { raise() }
            isDescriptorUsed = true
        }
        return descriptor
    }

    // MARK: Engine thread

    func push(_ payload: Payload) { push([payload]) }

    /// Leaves events for the host, in order.
    func push(_ payloads: [Payload]) {
        guard !payloads.isEmpty else { return }
        monitor.locked {
            let wasEmpty = waiting.count == head
            let time = Clock.wall
            for payload in payloads {
                if case .event(let event) = payload, !admit(event) { continue }
                waiting.append((payload, time))
            }
            guard waiting.count > head else { return }
            if wasEmpty, isDescriptorUsed { raise() }
            monitor.signalAll()
        }
    }

    /// Ends what the host does not hold any more.
    func letGo() {
        var old: [[[UInt8]]] = []
        monitor.locked { swap(&old, &retired) }
    }

    /// Whether an event finds room.
    private func admit(_ event: HostEvent) -> Bool {
        let isFull = waiting.count - head >= limit
        let id: UInt64
        switch event {
        case .client(let type, _): return !(type == "sync_progress" && isFull)
        case .collection(let collection, let type, _):
            id = collection
            if type == "overflow" {
                lagging[id] = nil
                isAnewAsked = !lagging.isEmpty && isAnewAsked
                return delivered[id] != nil
            }
            // Told once, and not to be seen from the lists that follow an overflow.
            if type == "channel_removed" || type == "huge_gap" { return delivered[id] != nil }
        case .change(let change): id = change.collection
        }
        guard delivered[id] != nil else { return false }
        if lagging[id] != nil || (isFull && !isAnew(event)) {
            lagging[id, default: 0] += 1
            return false
        }
        return true
    }

    /// The full lists that follow an overflow must not be let go again.
    private func isAnew(_ event: HostEvent) -> Bool {
        if case .change(let change) = event { return change.source == .overflow }
        return false
    }

    private func raise() {
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }

    private func lower() {
        var count: UInt64 = 0
        read(descriptor, &count, 8)
    }

    // MARK: Registration

    /// A number for a call whose completion will come through this queue. A second fetch in a direction is refused
    /// until the first one's result is drained.
    func addCall(_ listener: Listener, fetch: FetchKey? = nil) throws(BorderError) -> UInt64 {
        try monitor.locked { () throws(BorderError) in
            if let fetch, !fetching.insert(fetch).inserted {
                throw BorderError(.duplicatedFetch, "a fetch in that direction is under way")
            }
            lastCall += 1
            calls[lastCall] = Call(listener: listener, fetch: fetch)
            return lastCall
        }
    }

    /// The call was not made after all. `false` when the client's end has ended its listener already; else that is
    /// for the caller to do.
    @discardableResult
    func forgetCall(_ call: UInt64) -> Bool {
        monitor.locked {
            guard let call = calls.removeValue(forKey: call) else { return false }
            if let fetch = call.fetch { fetching.remove(fetch) }
            return true
        }
    }

    func addCollection(_ lists: DeliveredLists) { monitor.locked { delivered[lists.id] = lists } }

    func setListener(_ listener: Listener) throws(BorderError) {
        let before = try monitor.locked { () throws(BorderError) -> Listener? in
            if hasEnded { throw BorderError(.closed, "the client is closed") }
            defer { clientListener = listener }
            return retire(clientListener, isInUse: isClientListenerInUse)
        }
        before?.end()
    }

    func setListener(_ listener: Listener, collection id: UInt64) throws(BorderError) {
        let before = try monitor.locked { () throws(BorderError) -> Listener? in
            if hasEnded { throw BorderError(.closed, "the client is closed") }
            guard delivered[id] != nil else { throw BorderError(.invalidHandle, "the collection was removed") }
            return retire(listeners.updateValue(listener, forKey: id), isInUse: running == id && !isClientListenerInUse)
        }
        before?.end()
    }

    /// Gives a listener back that can be ended now. One in use, by another thread or by the very callback that replaces
    /// it, is ended when that callback has returned.
    private func retire(_ listener: Listener?, isInUse: Bool) -> Listener? {
        guard isInUse, let listener else { return listener }
        replaced.append(listener)
        return nil
    }

    /// Ends a collection: nothing of it is delivered any more. Waits for a callback that runs on another thread.
    func removeCollection(_ id: UInt64) {
        let before = monitor.locked { () -> Listener? in
            delivered[id] = nil
            lagging[id] = nil
            while running == id, let drainer, pthread_equal(drainer, pthread_self()) == 0 {
                waitingForCallback += 1
                _ = monitor.wait(until: nil)
                waitingForCallback -= 1
            }
            return retire(listeners.removeValue(forKey: id), isInUse: running == id && !isClientListenerInUse)
        }
        before?.end()
    }

    func info(of id: UInt64) -> [UInt8]? { monitor.locked { delivered[id]?.infoJSON() } }

    func snapshot(of id: UInt64) -> [UInt8]? {
        monitor.locked { delivered[id]?.snapshotJSON(sequence: sequence) }
    }

    // MARK: Draining

    /// Makes this thread the one that drains. `isOwnThread`: it is the library's, or the one that closes.
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
            running = 0
            isClientListenerInUse = false
            monitor.signalAll()
        }
    }

    /// The draining thread is done with the event it took: who waits for its callback goes on, and what was replaced
    /// meanwhile ends.
    func finished() {
        let ended = monitor.locked { () -> [Listener] in
            running = 0
            isClientListenerInUse = false
            if waitingForCallback > 0 { monitor.signalAll() }
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
            monitor.signalAll()
        }
    }

    /// Ends all draining but that of the closing thread, and waits until it has ended.
    func close() {
        monitor.locked {
            isClosed = true
            monitor.signalAll()
            while drainer != nil { _ = monitor.wait(until: nil) }
        }
    }

    /// The next event, waiting up to `timeout` milliseconds (negative: for ever). `anew` names the collections the
    /// engine has to show anew, when it is time.
    func take(timeout: Int32, anew: inout [UInt64: Int]) -> DrainedEvent? {
        monitor.locked {
            let deadline = timeout < 0 ? nil : Clock.monotonic + Int64(timeout)
            while true {
                while head == waiting.count {
                    if isInterrupted || isClosed || timeout == 0 {
                        isInterrupted = false
                        return nil
                    }
                    // What the cache has comes at once.
                    if !monitor.wait(until: deadline, looksOn: !calls.isEmpty) { return nil }
                }
                let entry = waiting[head]
                head += 1
                if head == waiting.count {
                    waiting.removeAll(keepingCapacity: true)
                    head = 0
                    if isDescriptorUsed { lower() }
                } else if head > 4096 {
                    waiting.removeFirst(head)
                    head = 0
                }
                if !lagging.isEmpty, !isAnewAsked, waiting.count - head <= limit / 2 {
                    isAnewAsked = true
                    anew = lagging
                }
                if let event = deliver(entry.payload, entry.time) { return event }
            }
        }
    }

    /// Counts an event as delivered; `nil` when it is of a collection that is gone.
    private func deliver(_ payload: Payload, _ time: Int64) -> DrainedEvent? {
        var collection: UInt64 = 0
        var call: Call?
        switch payload {
        case .completion(let completion):
            if let info = completion.info { delivered[info.collection]?.take(info) }
            call = calls.removeValue(forKey: completion.call)
            if let fetch = call?.fetch { fetching.remove(fetch) }
        case .event(.client): break
        case .event(.collection(let id, let type, _)):
            guard delivered[id] != nil else { return nil }
            if type == "huge_gap" { delivered[id]?.hasMoreNext() }
            collection = id
        case .event(.change(let change)):
            guard let lists = delivered[change.collection] else { return nil }
            let cleared = lists.apply(change)
            if !cleared.isEmpty { retired.append(cleared) }
            collection = change.collection
        }
        sequence += 1
        running = collection
        // One without a callback is only kept for the sake of its destroy function.
        let own = collection == 0 ? nil : listeners[collection].flatMap { $0.event == nil ? nil : $0 }
        isClientListenerInUse = own == nil
        let target = own ?? clientListener
        return DrainedEvent(
            payload: payload, time: time, sequence: sequence, caller: call?.listener,
            target: Listener(event: target.event, userData: target.userData))
    }

    /// Ends every listener that is left; nothing is delivered afterwards.
    func endListeners() {
        let left = monitor.locked { () -> [Listener] in
            hasEnded = true
            defer {
                calls = [:]
                listeners = [:]
                clientListener = Listener()
                delivered = [:]
                waiting = []
                head = 0
            }
            return calls.values.map(\.listener) + Array(listeners.values) + [clientListener]
        }
        for listener in left { listener.end() }
    }
}
