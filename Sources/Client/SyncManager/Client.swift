import Glibc
import SyncEngine
import SyncModel
import SyncRealtime
import SyncStreams
import SyncThreads

/// One client: its engine, its queue of events, its files, its threads.
package final class Client: @unchecked Sendable {
    let queue: EventQueue
    /// Reads the service's message object from a document of the host; `nil` when it is not one.
    let readMessage: ChosenService.MessageReader
    /// Whether the configuration names a realtime database.
    let hasDatabase: Bool
    /// Whether the configuration lets cached messages be searched.
    let searches: Bool
    private let loop: EngineLoop
    /// Where the client lives.
    package let environment: any ClientEnvironment
    private var virtualTime: (any VirtualTime)? { environment.virtualTime }
    /// The lock of both the queue and the inbox.
    private let monitor: Monitor
    private var lastCollection: UInt64 = 0
    private var engineThread: NativeThread?
    private var deliveryThread: NativeThread?
    private let files: UserFiles
    /// The text handed out by the last `sm_next_event`.
    private(set) var borrowed: UnsafeMutablePointer<CChar>?
    /// Whether its handle was removed, so that no handle of it can be added any more. Guarded by the registry's lock.
    var isForgotten = false

    init(
        _ configuration: Configuration, in environment: any ClientEnvironment = Environments.current
    ) throws(BorderError) {
        self.environment = environment
        monitor = Monitor(conditions: 2)
        hasDatabase = configuration.engine.database != nil
        searches = configuration.engine.searches
        guard let queue = EventQueue(
            limit: configuration.queueLimit, hasOwnThread: configuration.isThreadDelivery, monitor: monitor,
            environment: environment
        ) else {
            throw BorderError(.internal, "no descriptor is left for the event queue")
        }
        self.queue = queue
        files = try UserFiles(configuration.place, configuration.hostKey, environment)
        queue.push(files.notices)
        let transport = environment.makeTransport(configuration)
        var options = configuration.engine
        options.seed = environment.nextSeed()
        // How much is done at once would depend on how fast the machine is.
        if environment.virtualTime != nil { options.stopwatch = { 0 } }
        let chosen = ChosenService(configuration)
        readMessage = chosen.readMessage
        let core = SyncCore(
            options: options, cache: files.cache, intents: files.intents, service: chosen.service,
            transport: transport, files: environment.makeFiles(), now: environment.now)
        loop = EngineLoop(
            core: core, transport: transport, queue: queue, monitor: monitor, environment: environment)
        if configuration.isThreadDelivery {
            deliveryThread = NativeThread("sm-delivery") { [self] in deliver() }
            guard deliveryThread != nil else {
                throw BorderError(.internal, "the delivery thread cannot be started")
            }
        }
        if let virtualTime { virtualTime.begin(loop, over: transport) } else {
            engineThread = NativeThread("sm-engine") { [loop] in loop.run() }
        }
        guard virtualTime != nil || engineThread != nil else {
            _ = loop.close()
            endDelivery()
            throw BorderError(.internal, "the engine thread cannot be started")
        }
    }

    deinit { free(borrowed) }

    // MARK: Any thread

    func post(_ post: HostPost) throws(BorderError) {
        try loop.post(post)
        virtualTime?.run(loop)
    }

    func call(
        _ listener: Listener, fetch: CallTable.FetchKey? = nil, _ call: HostCall
    ) throws(BorderError) -> CallID {
        let id = try loop.call(listener, fetch: fetch, call)
        virtualTime?.run(loop)
        return id
    }

    private static func noDatabase(_ path: String) -> DocumentError {
        DocumentError(path: path, message: "the configuration of sm_setup() has no \"database\"")
    }

    /// The call that carries an action out, by the chat service, the database, or resources.
    func call(for action: ActionCall) throws(DocumentError) -> HostCall {
        let call: HostCall
        if let request = try DatabaseRequest(action) {
            call = .database(request)
        } else if let request = try ResourceCall(action) {
            call = .resource(request)
        } else {
            return .action(action)
        }
        guard hasDatabase else { throw Client.noDatabase("$.action") }
        return call
    }

    /// The place of the database that a stream with this source shows; `nil` for other sources. Refuses a source that
    /// this client cannot have.
    func place(of source: StreamSource) throws(DocumentError) -> DatabaseLocation? {
        guard case .external(.database(let call)) = source else { return nil }
        let location = try DatabaseLocation(call, at: "$.source.database")
        guard hasDatabase else { throw Client.noDatabase("$.source.database") }
        return location
    }

    func checkOpen() throws(BorderError) { try loop.checkOpen() }

    func nextCollectionID() -> CollectionID {
        monitor.locked {
            lastCollection += 1
            return .host(lastCollection)
        }
    }

    /// Opens a collection. Its events are kept for the host from the first one on.
    func open(_ lists: DeliveredLists, _ command: HostPost) throws(BorderError) {
        queue.addCollection(lists)
        do throws(BorderError) {
            try post(command)
        } catch {
            queue.removeCollection(lists.id)
            throw error
        }
    }

    /// Closes the client. Refused when another thread is closing it already.
    func close() throws(BorderError) {
        guard !queue.isDrainedByThisThread else {
            throw BorderError(.reentrant, "sm_close cannot wait for the callback it is called from")
        }
        guard loop.close() else { throw BorderError(.closed, "the client is being closed") }
        virtualTime?.finish(loop)
        engineThread?.join()
        endDelivery()
        if (try? queue.beginDraining(isOwnThread: true, evenClosed: true)) != nil {
            while dispatchNext(timeout: 0) {}
            queue.endDraining()
        }
        end()
    }

    /// Whether a callback of it runs on this thread.
    package var isDrainedByThisThread: Bool { queue.isDrainedByThisThread }

    /// Ends without closing, as a process that is killed: nothing more is stored, sent or told. Only in virtual time.
    package func kill() throws(BorderError) {
        guard let virtualTime else { throw BorderError(.invalidArgument, "the client is not in a world") }
        guard !queue.isDrainedByThisThread else {
            throw BorderError(.reentrant, "a client cannot be killed by a callback of its own")
        }
        guard loop.close() else { throw BorderError(.closed, "the client is being closed") }
        virtualTime.kill(loop)
        endDelivery()
        end()
    }

    private func end() {
        queue.endListeners()
        // Not earlier: functions that these callbacks call must give CLOSED, not INVALID_HANDLE.
        Registry.removeAll(of: self)
        // Not in deinit, since a call on another thread may keep this object alive a little longer.
        files.close()
    }

    private func endDelivery() {
        queue.close()
        deliveryThread?.join()
    }

    // MARK: Draining

    /// Takes one event and uses it without holding the lock, so neither the engine nor a snapshot on another thread
    /// waits while text is made or the host's callback runs. `false` when none came.
    private func take(timeout: Int32, _ use: (DrainedEvent) -> Void) -> Bool {
        var wants = DrainWants()
        let event = queue.take(timeout: timeout, wants: &wants)
        // A post is refused only when the client closes, and then the engine needs it no more.
        for wanted in wants.posts { try? post(wanted) }
        guard let event else { return false }
        use(event)
        event.caller?.end()
        queue.finished()
        return true
    }

    /// Runs the callback of the next event. `false` when none came.
    func dispatchNext(timeout: Int32) -> Bool { take(timeout: timeout) { $0.deliver() } }

    /// Lends the host the text of the next event, until the host asks for another one; gives its length.
    func borrowNext(timeout: Int32) -> Int {
        free(borrowed)
        borrowed = nil
        var length = 0
        _ = take(timeout: timeout) { event in
            var text = EventText.text(of: event.event)
            text.withText { text, count in
                borrowed = CText.copy(UnsafeRawBufferPointer(start: text, count: count))
                length = count
            }
        }
        return length
    }

    private func deliver() {
        guard (try? queue.beginDraining(isOwnThread: true)) != nil else { return }
        while loop.isOpen { _ = dispatchNext(timeout: -1) }
        queue.endDraining()
    }
}
