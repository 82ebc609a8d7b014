import CLinux
import Glibc
import SyncEngine
import SyncJSON
import SyncModel
import SyncNetwork
import SyncService
import SyncStore

/// One client: its engine on a thread of its own, its way to the service, its queue of events.
///
/// Host calls leave a command in the inbox and return. The engine thread alone touches engine, stores and codec.
final class Client: @unchecked Sendable {
    enum Input {
        case command(HostCommand)
        case http(UInt64, Result<HTTPResponse, NetworkFailure>)
        case socket(UInt64, SocketEvent)
        case stop
    }

    let configuration: Configuration
    let queue: EventQueue
    private let inbox = Monitor()
    private var inputs: [Input] = []
    private var isClosing = false
    private var lastCollection: UInt64 = 0
    private var engineThread = pthread_t()
    private var deliveryThread: pthread_t?
    private let lock: DirectoryLock
    private let cache: CacheStore
    private let intents: IntentStore
    /// The text handed out by the last `sm_next_event`.
    var borrowed: UnsafeMutablePointer<CChar>?
    let borrowedMonitor = Monitor()
    /// Its handle is gone, and it gets no further ones. The registry's lock guards it.
    var isForgotten = false

    init(_ configuration: Configuration) throws(BorderError) {
        self.configuration = configuration
        guard let queue = EventQueue(
            limit: configuration.queueLimit, hasOwnThread: configuration.isThreadDelivery) else {
            throw BorderError(.internal, "no descriptor is left for the event queue")
        }
        self.queue = queue
        do throws(StoreError) {
            lock = try DirectoryLock(directory: configuration.userDirectory)
            cache = try CacheStore(directory: configuration.userDirectory, now: Clock.wall)
            do throws(StoreError) {
                intents = try IntentStore(directory: configuration.userDirectory)
            } catch {
                if case .corrupt = error {
                    throw StoreError.failed(code: Status.corruptIntents.rawValue, message: error.message)
                }
                throw error
            }
        } catch {
            throw Client.border(error)
        }
        if let file = cache.setAsideAs {
            var writer = JSONWriter(capacity: file.utf8.count + 2)
            writer.string(file)
            queue.push(.event(.client(type: "cache_reset", members: [("file", writer.bytes)])))
        }
        if configuration.isThreadDelivery {
            var thread = pthread_t()
            guard Client.start(&thread, clientDeliveryMain, self) else {
                throw BorderError(.internal, "the delivery thread cannot be started")
            }
            deliveryThread = thread
        }
        guard Client.start(&engineThread, clientEngineMain, self) else {
            inbox.locked { isClosing = true }
            endDelivery()
            throw BorderError(.internal, "the engine thread cannot be started")
        }
    }

    deinit { free(borrowed) }

    private static func border(_ error: StoreError) -> BorderError {
        switch error {
        case .locked: BorderError(.locked, error.message)
        case .newerSchema: BorderError(.newerSchema, error.message)
        case .failed(Status.corruptIntents.rawValue, let message): BorderError(.corruptIntents, message)
        default: BorderError(.storage, error.message)
        }
    }

    /// Starts a thread that never handles a signal.
    private static func start(
        _ thread: inout pthread_t, _ main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
        _ client: Client
    ) -> Bool {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let context = Unmanaged.passRetained(client)
        if pthread_create(&thread, nil, main, context.toOpaque()) == 0 { return true }
        context.release()
        return false
    }

    // MARK: Any thread

    func post(_ command: HostCommand) throws(BorderError) {
        let isAccepted = inbox.locked { () -> Bool in
            guard !isClosing else { return false }
            inputs.append(.command(command))
            inbox.signalAll()
            return true
        }
        if !isAccepted { throw BorderError(.closed, "the client is closed") }
    }

    func checkOpen() throws(BorderError) {
        if inbox.locked({ isClosing }) { throw BorderError(.closed, "the client is closed") }
    }

    private func post(input: Input) {
        inbox.locked {
            inputs.append(input)
            inbox.signalAll()
        }
    }

    func nextCollectionID() -> UInt64 {
        inbox.locked {
            lastCollection += 1
            return lastCollection
        }
    }

    /// Ends everything. `false` when another thread is ending it already.
    func close() throws(BorderError) {
        guard !queue.isDrainedByThisThread else {
            throw BorderError(.reentrant, "sm_close cannot wait for the callback it is called from")
        }
        let isFirst = inbox.locked { () -> Bool in
            guard !isClosing else { return false }
            isClosing = true
            inputs.append(.command(.close))
            inputs.append(.stop)
            inbox.signalAll()
            return true
        }
        guard isFirst else { throw BorderError(.closed, "the client is being closed") }
        pthread_join(engineThread, nil)
        endDelivery()
        if (try? queue.beginDraining(isOwnThread: true, evenClosed: true)) != nil {
            while dispatchNext(timeout: 0) {}
            queue.endDraining()
        }
        queue.endListeners()
        // Not before: what these callbacks call is told that the client is closing.
        Registry.removeAll(of: self)
        cache.close()
        intents.close()
        // Not left to deinit: a call on another thread may hold this object a little longer.
        lock.release()
    }

    private func endDelivery() {
        queue.close()
        if let deliveryThread { pthread_join(deliveryThread, nil) }
    }

    // MARK: Draining

    /// Takes one event and makes use of it, with the queue's lock free: neither the engine nor another thread's
    /// snapshot waits for text or for the host. `false` when none came.
    private func take(timeout: Int32, _ use: (DrainedEvent) -> Void) -> Bool {
        var anew: [UInt64: Int] = [:]
        let event = queue.take(timeout: timeout, anew: &anew)
        if !anew.isEmpty { try? post(.showAnew(collections: anew)) }
        guard let event else { return false }
        use(event)
        event.caller?.end()
        queue.finished()
        return true
    }

    /// Runs the callback of the next event. `false` when none came.
    func dispatchNext(timeout: Int32) -> Bool { take(timeout: timeout) { $0.deliver() } }

    /// Lends the host the text of the next event, until it asks again; gives its length.
    func borrowNext(timeout: Int32) -> Int {
        free(borrowed)
        borrowed = nil
        var length = 0
        _ = take(timeout: timeout) { event in
            var text = event.text()
            text.withText { text, count in
                borrowed = CText.copy(UnsafeRawBufferPointer(start: text, count: count))
                length = count
            }
        }
        return length
    }

    fileprivate func deliver() {
        pthread_setname_np(pthread_self(), "sm-delivery")
        guard (try? queue.beginDraining(isOwnThread: true)) != nil else { return }
        while !inbox.locked({ isClosing }) { _ = dispatchNext(timeout: -1) }
        queue.endDraining()
    }

    // MARK: Engine thread

    fileprivate func runEngine() {
        pthread_setname_np(pthread_self(), "sm-engine")
        let engine = Engine(options: configuration.engine, cache: cache, intents: intents, now: Client.now)
        let driver = ServiceDriver(configuration) { [weak self] in self?.post(input: $0) }
        var told: [EventQueue.Payload] = []
        carryOut(engine, driver, &told)
        queue.push(told)
        while true {
            let deadline = [engine.nextDeadline, driver.nextDeadline].compactMap { $0 }.min()
            let batch = inbox.locked { () -> [Input] in
                while inputs.isEmpty, deadline.map({ $0 > Clock.monotonic }) ?? true {
                    if !inbox.wait(until: deadline, looksOn: true) { break }
                }
                defer { inputs = [] }
                return inputs
            }
            told = []
            let start = Clock.monotonic
            for input in batch {
                switch input {
                case .command(let command): engine.handle(command, now: Client.now)
                case .http(let id, let result): driver.received(result, for: id, engine, now: Client.now)
                case .socket(let number, let event): driver.received(event, from: number, engine, now: Client.now)
                case .stop:
                    carryOut(engine, driver, &told)
                    queue.push(told)
                    driver.close()
                    return
                }
                carryOut(engine, driver, &told)
                if Clock.monotonic - start >= Client.longestHold {
                    queue.push(told)
                    told = []
                }
            }
            driver.advance(engine, now: Client.now)
            engine.advance(now: Client.now)
            carryOut(engine, driver, &told)
            queue.push(told)
            queue.letGo()
        }
    }

    /// Milliseconds for which events are held back so that they go over together: a wake of the host costs more than
    /// most events do.
    private static let longestHold: Int64 = 2

    /// Carries out what the engine wants. What it tells the host is added to `told`.
    private func carryOut(_ engine: Engine, _ driver: ServiceDriver, _ told: inout [EventQueue.Payload]) {
        var outputs = engine.takeOutputs()
        while !outputs.isEmpty {
            for output in outputs {
                switch output {
                case .event(let event): told.append(.event(event))
                case .completion(let completion): told.append(.completion(completion))
                case .request(let id, let request, let timeout):
                    driver.send(request, id: id, timeout: timeout, engine, now: Client.now)
                case .openConnection(let token): driver.open(token: token)
                case .closeConnection: driver.closeSocket()
                }
            }
            outputs = engine.takeOutputs()
        }
    }

    private static var now: EngineTime { EngineTime(monotonic: Clock.monotonic, wall: Clock.wall) }
}

private func clientEngineMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Client>.fromOpaque(context).takeRetainedValue().runEngine()
    return nil
}

private func clientDeliveryMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Client>.fromOpaque(context).takeRetainedValue().deliver()
    return nil
}
