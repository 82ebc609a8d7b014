import SyncJSON
import SyncModel
import SyncStore

/// The state machine behind every collection. It has no thread, clock, socket or sleep of its own.
///
/// A driver feeds it inputs (host commands, service replies and events, connection changes, the passing of time), each
/// with the current time, and carries out what `takeOutputs` gives. It calls the stores synchronously. The same engine
/// runs in the library and in a simulator with a virtual clock, where one seed replays one run exactly.
///
/// Parts, each in a file of its own: the connection (`Connection`), requests and their continuations (`Requests`), the
/// channel list (`Engine+Channels`), messages of a channel (`Timeline`), own messages (`Outbox`).
public final class Engine {
    public let options: EngineOptions
    let cache: CacheStore
    let intents: IntentStore

    var now: EngineTime
    var timers = TimerQueue()
    var random: SeededGenerator
    private var outputs: [EngineOutput] = []

    var connection = Connection()
    var requests = Requests()
    var channels = ChannelSync()
    var channelViews: [UInt64: ChannelView] = [:]
    var messageViews: [UInt64: MessageView] = [:]
    var timelines: [String: Timeline] = [:]
    /// Numbers timelines, for timers and a fixed order.
    var lastTimeline: UInt64 = 0
    var outbox = Outbox()
    var typing = Typing()
    /// Edits and deletions the service is asked for: their calls, with their names.
    var edits: [UInt64: String] = [:]
    var isSyncPaused = false
    var isClosed = false
    /// The first thing the store could not do; told once, and calls that need the store fail with it.
    var storeFailure: StoreError?
    private var lastSyncState = ""

    public init(options: EngineOptions, cache: CacheStore, intents: IntentStore, now: EngineTime) {
        self.options = options
        self.cache = cache
        self.intents = intents
        self.now = now
        random = SeededGenerator(seed: options.seed)
        connection.token = options.accessToken
        loadOutbox()
        channels.isComplete = (stored { () throws(StoreError) in try cache.value("channels.complete") } ?? nil) == "1"
    }

    // MARK: Inputs

    public func handle(_ command: HostCommand, now: EngineTime) {
        self.now = now
        switch command {
        case .connect(let call): connect(call: call)
        case .disconnect: disconnect()
        case .resumeSync: resumeSync()
        case .pauseSync: pauseSync()
        case .setToken(let token): setToken(token)
        case .clearCache(let url, let call): clearCache(url, call: call)
        case .openChannelCollection(let id, let query): openChannelView(id, query)
        case .openMessageCollection(let id, let url, let filter, let viewpoint):
            openMessageView(id, url, filter, viewpoint)
        case .removeCollection(let id): removeCollection(id)
        case .fetch(let collection, let direction, let call): fetch(collection, direction, call)
        case .resetViewpoint(let collection, let viewpoint): resetViewpoint(collection, viewpoint)
        case .sendMessage(let collection, let requestID, let body, let call):
            sendMessage(collection, requestID, body, call)
        case .resendMessage(let collection, let requestID, let call): resendMessage(collection, requestID, call)
        case .appendMessage(let collection, let requestID, let body, let call):
            appendMessage(collection, requestID, body, call)
        case .handleSendResponse(let collection, let requestID, let message, let code, let call):
            handleSendResponse(collection, requestID, message, code, call)
        case .updateMessage(let collection, let messageID, let requestID, let body, let call):
            updateMessage(collection, messageID, requestID, body, call)
        case .deleteMessage(let collection, let messageID, let requestID, let call):
            deleteMessage(collection, messageID, requestID, call)
        case .nothing: break
        case .showAnew(let collections): showAnew(collections)
        case .close: close()
        }
        settle()
    }

    /// The time of the next thing to do, by the monotonic clock; `nil` when nothing is planned.
    public var nextDeadline: Int64? { timers.next }

    /// Does what is due.
    public func advance(now: EngineTime) {
        self.now = now
        while !isClosed, let key = timers.takeDue(at: now.monotonic) {
            switch key {
            case .reconnect: openConnection()
            case .ping: sendPing()
            case .pong, .login: connectionTimedOut()
            case .channelSync: pumpChannelSync()
            case .channelChanges: pumpChannelChanges()
            case .messageSync(let id): timeline(number: id).map { pump($0) }
            case .outbox(let url): pumpOutbox(url)
            case .fetch(let call): fetchTimedOut(call)
            case .typing: typingExpired()
            }
        }
        settle()
    }

    // MARK: Outputs

    /// What the driver has to do now, in order. To be called after every input.
    public func takeOutputs() -> [EngineOutput] {
        defer { outputs.removeAll(keepingCapacity: true) }
        return outputs
    }

    func emit(_ output: EngineOutput) { outputs.append(output) }

    func complete(
        _ call: UInt64, _ name: String, _ status: Completion.Status,
        members: [(key: String, value: [UInt8])] = [], info: CollectionInfo? = nil
    ) {
        emit(.completion(Completion(call: call, name: name, status: status, members: members, info: info)))
    }

    /// What a result says of the failure behind it.
    static func members(of failure: ServiceFailure) -> [(key: String, value: [UInt8])] {
        [("code", jsonText(Int64(failure.code))), ("message", jsonText(failure.message))]
    }

    func tell(_ type: String, _ members: [(key: String, value: [UInt8])] = []) {
        emit(.event(.client(type: type, members: members)))
    }

    /// Tells of the state of sync when it has changed; at the end of every input.
    private func settle() {
        guard !isClosed else { return }
        let busy = channels.isBusy || timers.hasWork || timelines.values.contains { $0.isBusy }
        let state = isSyncPaused ? "paused" : busy ? "running" : "idle"
        if state != lastSyncState {
            lastSyncState = state
            tell("sync_state", [("state", jsonText(state))])
        }
    }

    // MARK: Store

    /// Runs a store operation. A failure is told to the host once per kind and gives `nil`; the cursor stays where it
    /// was, so that the work is done again later.
    @discardableResult
    func stored<T>(_ body: () throws(StoreError) -> T) -> T? {
        do throws(StoreError) {
            let result = try body()
            storeFailure = nil
            return result
        } catch {
            if storeFailure == nil { tell("storage_error", [("message", jsonText(error.message))]) }
            storeFailure = error
            return nil
        }
    }

    // MARK: Life

    private func resumeSync() {
        guard isSyncPaused else { return }
        isSyncPaused = false
        startSync()
    }

    private func pauseSync() {
        guard !isSyncPaused else { return }
        isSyncPaused = true
        for timeline in sortedTimelines { finishWaitingFetches(timeline, short: "paused") }
        for view in sortedChannelViews { finishWaitingFetch(view, short: "paused") }
    }

    /// Background work begins or goes on: after a login, and when a pause ends.
    func startSync() {
        guard connection.isLoggedIn, !isSyncPaused else { return }
        pumpChannelChanges()
        for view in sortedChannelViews { continueFetch(view) }
        for timeline in sortedTimelines { pump(timeline) }
    }

    var canSync: Bool { connection.isLoggedIn && !isSyncPaused && !isClosed }

    /// Whether waiting may help: connected, or an attempt to connect is under way.
    var mayStillSync: Bool { connection.isOpen && !isSyncPaused && !isClosed }

    private func clearCache(_ url: String?, call: UInt64) {
        let affected = sortedTimelines.filter { url == nil || $0.channelURL == url }
        let done: Bool? = stored { () throws(StoreError) -> Bool in
            if let url {
                try cache.clearMessages(channel: try cache.channelKey(url))
            } else {
                try cache.clearMessages(channel: nil)
            }
            return true
        }
        guard done != nil else { return complete(call, "clear_cache", .storage) }
        for timeline in affected { startOver(timeline, source: .cacheCleared) }
        complete(call, "clear_cache", .ok)
    }

    private func close() {
        guard !isClosed else { return }
        if connection.isOpen { emit(.closeConnection) }
        finishConnectCalls(.closed)
        for view in sortedChannelViews { finishFetches(of: view, .closed) }
        for view in sortedMessageViews { finishFetches(of: view, .closed) }
        for call in outbox.takeCalls() { complete(call.call, call.name, .closed) }
        for (call, name) in edits.sorted(by: { $0.key < $1.key }) { complete(call, name, .closed) }
        edits = [:]
        requests.cancelAll()
        timers.cancelAll()
        clearForgotten()
        isClosed = true
        tell("closed")
    }

    private func removeCollection(_ id: UInt64) {
        if let view = channelViews.removeValue(forKey: id) { finishFetches(of: view, .removed) }
        if let view = messageViews.removeValue(forKey: id) {
            finishFetches(of: view, .removed)
            if let timeline = timelines[view.channelURL] {
                timeline.views.removeAll { $0 === view }
                if timeline.views.isEmpty { release(timeline) }
            }
        }
    }

    private func showAnew(_ collections: [UInt64: Int]) {
        for id in collections.keys.sorted() {
            let dropped = jsonText(Int64(collections[id] ?? 0))
            if let view = channelViews[id] {
                emit(.event(.collection(id: id, type: "overflow", members: [("dropped", dropped)])))
                showAnew(view)
            } else if let view = messageViews[id] {
                emit(.event(.collection(id: id, type: "overflow", members: [("dropped", dropped)])))
                showAnew(view)
            }
        }
    }

    // Fixed orders, so that a run repeats.
    var sortedTimelines: [Timeline] { timelines.values.sorted { $0.number < $1.number } }
    var sortedChannelViews: [ChannelView] { channelViews.values.sorted { $0.id < $1.id } }
    var sortedMessageViews: [MessageView] { messageViews.values.sorted { $0.id < $1.id } }
}

/// JSON text of a string, for event members.
func jsonText(_ text: String) -> [UInt8] {
    var writer = JSONWriter(capacity: text.utf8.count + 2)
    writer.string(text)
    return writer.bytes
}

/// JSON text of a number.
func jsonText(_ number: Int64) -> [UInt8] { Array(String(number).utf8) }

/// JSON text of a truth value.
func jsonText(_ value: Bool) -> [UInt8] { Array((value ? "true" : "false").utf8) }
