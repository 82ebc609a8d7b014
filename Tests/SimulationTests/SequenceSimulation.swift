import Foundation
import SyncJSON
import SyncModel
import SyncSQLite
import SyncStore
import TestSupport

@testable import SyncEngine

/// One run of the whole client, over its own files, with a service whose changes are in its stream and whose messages
/// have an order and no places: the same hosts, stores, faults and invariants as `Simulation`.
final class SequenceSimulation: SimulatedRun, SeededSimulation {
    let seed: UInt64
    let traits: Traits
    let server: SequenceServer
    private(set) var service: SequenceService
    private let network = NoNetwork()
    private let directory: URL
    private(set) var device: Device
    var random: SeededGenerator
    private(set) var time: Int64 = 1_000_000
    private(set) var isFaulty = true

    private(set) var told = Replay()
    private(set) var host: Host
    var openCalls: [CallID: String] = [:]
    private(set) var results: [CallID: Completion] = [:]
    /// Own messages that the host was told are kept, or may be.
    private(set) var written: [RequestID: ChannelURL] = [:]
    private(set) var given: Set<RequestID> = []
    private var sends: [CallID: RequestID] = [:]
    var lastCall: UInt64 = 0
    private var lastCollection: UInt64 = 0
    private var lastOwn = 0
    private var processNumber = 0
    private(set) var isConnected = false
    private(set) var isPaused = false
    var violation: Violation?
    private(set) var seen: Set<String> = []
    let isRecording: Bool
    private(set) var history: [String] = []
    private(set) var steps = 0

    init(seed: UInt64, isRecording: Bool) throws {
        self.seed = seed
        self.isRecording = isRecording
        traits = Traits(seed: seed)
        random = SeededGenerator(seed: seed &* 7 &+ 3)
        server = SequenceServer(seed: seed &+ 1)
        service = SequenceService(server, seed: seed &+ 2)
        directory = try SimulationFolder.make("seq", seed)
        host = Host(isSlow: traits.isHostSlow, limit: traits.queueLimit)
        device = try Device(
            directory: directory.path, options: SequenceSimulation.options(traits, 0), service: service,
            transport: network, now: Moment(monotonic: time, wall: SequenceServer.start + time))
        if isRecording { server.note = { [unowned self] in note($0) } }
        watchPages()
    }

    func remove() {
        device.close()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func options(_ traits: Traits, _ process: Int) -> EngineOptions {
        var options = traits.options(token: "t", process: process)
        options.database = nil
        options.failedRetentionDays = 7
        options.maxFailedPerChannel = 1000
        return options
    }

    var now: Moment { Moment(monotonic: time, wall: SequenceServer.start + time + traits.clockError) }

    func note(_ text: @autoclosure () -> String) { if isRecording { history.append("\(time) \(text())") } }

    func printHistory(_ lines: Int, _ error: any Error) {
        print("sequence seed \(seed), step \(steps): \(error)")
        print("  \(traits)")
        for line in history.suffix(lines) { print("  " + line) }
        print("  in flight: \(engine.underWay)")
    }

    /// A page without a bound must not go beyond what is held. Until the first batch after a refused point is stored,
    /// the file says more than counts.
    private func watchPages() {
        service.isHeldBehind = { [unowned self] url, edge, direction in
            guard let stored = try? device.cache.value("service.resume"), stored == service.position.map({ "\($0)" }),
                let chunks = try? device.cache.chunks.of(channel: device.cache.channels.key(url))
            else { return false }
            return chunks.contains {
                direction == .previous ? $0.end.position < edge.position : $0.start.position > edge.position
            }
        }
    }

    // MARK: Running

    func run(steps count: Int) throws {
        for _ in 0..<random.below(Int64(60)) { server.happen() }
        take(device.core.takeOutputs())
        command(.call(newCall("connect"), .connect))
        for _ in 0..<count {
            steps += 1
            act()
            try advance(random.below(random.chance(5) ? 3_000 : 200))
            try check()
        }
        try converge()
    }

    private func act() {
        switch random.below(100) {
        case 0..<30: for _ in 0...random.below(5) { server.happen() }
        case 30..<34: if random.chance(40) { service.lose() }
        case 34..<36: if random.chance(50) { restart() }
        case 36..<42:
            if traits.hasStoreFaults { storeFault() }
        default: hostAct()
        }
    }

    private func storeFault() {
        let after = Int(random.below(Int64(40)))
        if random.chance(50) {
            note("the process will die after \(after) statements")
            return device.faults.die(after: after)
        }
        let count = random.chance(60) ? 1 : Int(1 + random.below(Int64(20)))
        let error = random.chance(50) ? StoreError.full : StoreError.failed(code: 10, message: "disk I/O error")
        note("\(count) statements will fail after \(after): \(error.message)")
        device.faults.fail(after: after, count: count, error)
    }

    private func hostAct() {
        let view = random.pick(engine.shownMessages)
        switch random.below(60) {
        case 0..<10: open()
        case 10..<13: if let view { command(.call(newCall("start"), .start(collection: view.window.id))) }
        case 13..<33: if let view { fetch(view.window.id, random.chance(60) ? .previous : .next) }
        case 33..<35: if let view { command(.call(newCall("all"), .fetchAllNext(collection: view.window.id))) }
        case 35..<38:
            guard let view else { return }
            command(.post(.resetViewpoint(collection: view.window.id, viewpoint: viewpoint())))
        case 38..<41: if let view { close(view.window.id) }
        case 41..<51: if let view { send(view) }
        case 51..<53:
            guard let view, let own = random.pick(engine.shownOwnMessages(view.window.id).failed.map(\.id))
            else { return }
            let call = newCall("send_message")
            command(.call(call, .own(.resend(requestID: own), in: view.window.id)))
        case 53:
            command(.post(.disconnect))
            isConnected = false
        case 54, 55: command(.call(newCall("connect"), .connect))
        case 56: command(.post(random.chance(50) ? .pauseSync : .resumeSync))
        case 57:
            let url = random.chance(70) ? random.pick(server.urls) : nil
            command(.call(newCall("clear_cache"), .clearCache(channelURL: url)))
        default: drain(1 + Int(random.below(20)))
        }
    }

    private func viewpoint() -> Int64 {
        random.chance(50) ? .max : SequenceServer.start + time - random.below(Int64(200_000))
    }

    @discardableResult
    func open(_ url: ChannelURL? = nil, atNewest: Bool = false) -> CollectionID? {
        guard engine.shownMessages.count < 4, let url = url ?? random.pick(server.urls) else { return nil }
        lastCollection += 1
        let id = CollectionID.host(lastCollection)
        var filter = MessageFilter()
        filter.limit = 1 + Int(random.below(Int64(20)))
        filter.isReversed = random.chance(25)
        let place = atNewest ? .max : viewpoint()
        told.open(id)
        host.open(CollectionInfo(messages: id, filter, viewpoint: place), channelURL: url.text)
        command(.post(.openMessageCollection(id: id, channelURL: url, filter: filter, viewpoint: place)))
        return id
    }

    func close(_ id: CollectionID) {
        told.close(id)
        host.close(id)
        command(.post(.removeCollection(id: id)))
    }

    @discardableResult
    func fetch(_ id: CollectionID, _ direction: PageDirection) -> CallID {
        let call = newCall("fetch")
        command(.call(call, .fetch(collection: id, direction: direction)))
        return call
    }

    private func send(_ view: (channelURL: String, window: MessageWindow)) {
        lastOwn += 1
        let requestID = RequestID("own-\(seed)-\(lastOwn)")
        let call = newCall("send_message")
        sends[call] = requestID
        written[requestID] = ChannelURL(view.channelURL)
        let body = Array(#"{"message":"\#(requestID)"}"#.utf8)
        command(.call(call, .own(.send(requestID: requestID, body: body), in: view.window.id)))
    }

    // MARK: Inputs and outputs

    func command(_ command: HostCommand) {
        note("host \(command)")
        device.core.handle(command, now: now)
        inputDone()
    }

    private func inputDone() {
        if device.faults.isDead {
            note("the process died at: \(device.faults.place)")
            seen.insert("death between statements")
            return begin()
        }
        take(device.core.takeOutputs())
        if !host.isSlow { drain() }
    }

    private func take(_ outputs: [HostOutput]) {
        for output in outputs {
            switch output {
            case .event(.change(let change)):
                seen.insert(change.cause.source.rawValue)
                seen.insert(change.action.rawValue)
                note("  \(change.collection) \(change.list) \(change.action) "
                    + change.items.prefix(6).map { "\($0.index)=\($0.id)" }.joined(separator: " "))
                do { try told.apply(change) } catch { violation = violation ?? error as? Violation }
                noteOwn(change)
            case .event(.client(.connection(let state, _, _))): isConnected = state == .connected
            case .event(.client(.syncState(let state))): isPaused = state == .paused
            case .event: break
            case .completion(let completion): take(completion)
            }
            host.push(output)
        }
    }

    /// What the host was shown as pending or failed is owed, until it is told that it failed and is not kept.
    private func noteOwn(_ change: CollectionChange) {
        let ids = change.items.map { RequestID($0.id) }
        switch (change.list, change.action) {
        // Who wants nothing sent again is owed only what was told to be sent: of what fails, only collections tell.
        case (.pending, .insert) where traits.policy != .none, (.failed, .insert): given.formUnion(ids)
        case (.pending, .remove) where change.cause.source == .localMessageFailed: given.subtract(ids)
        default: break
        }
    }

    private func take(_ completion: Completion) {
        note("  completed \(completion.call) \(completion.name) \(completion.status)")
        guard openCalls.removeValue(forKey: completion.call) != nil else {
            violation = violation ?? Violation(description: "call \(completion.call) completed without being open")
            return
        }
        results[completion.call] = completion
        seen.insert("\(completion.name.rawValue) \(completion.status)")
        if let info = completion.info { told.note(info) }
        guard let requestID = sends.removeValue(forKey: completion.call) else { return }
        if completion.status == .ok { given.insert(requestID) }
        // The host was told that it failed, and what is not kept is not owed.
        if completion.status != .ok, !engine.ownMessages.contains(where: { $0.requestID == requestID }) {
            given.remove(requestID)
        }
    }

    private func restart() {
        note("the process is killed")
        seen.insert("kill")
        begin()
    }

    private func begin() {
        processNumber += 1
        service.end()
        seen.formUnion(service.seen)
        violation = violation ?? service.violation
        device.close()
        (openCalls, sends, told, isConnected, isPaused) = ([:], [:], Replay(), false, false)
        host = Host(isSlow: traits.isHostSlow, limit: traits.queueLimit)
        service = SequenceService(server, seed: seed &+ UInt64(1000 * processNumber))
        service.isFaulty = isFaulty
        do {
            device = try Device(
                directory: directory.path, options: SequenceSimulation.options(traits, processNumber),
                service: service, transport: network, now: now)
        } catch {
            violation = violation ?? Violation(description: "the process cannot begin again: \(error)")
            return
        }
        watchPages()
        take(device.core.takeOutputs())
        // Who wants nothing sent again is owed nothing that was on its way when the process ended: of what fails now,
        // only collections tell.
        if traits.policy == .none { given = [] }
        command(.call(newCall("connect"), .connect))
    }

    // MARK: Time

    func advance(_ duration: Int64) throws {
        let end = time + duration
        while let due = device.core.nextDeadline, due <= end {
            time = max(time, due)
            server.now = SequenceServer.start + time
            device.core.advance(now: now)
            inputDone()
            if let violation = violation ?? service.violation { throw violation }
            try checkSizes()
        }
        time = end
        server.now = SequenceServer.start + time
        if let violation = violation ?? service.violation { throw violation }
    }

    func stopFaults() {
        note("faults stop")
        isFaulty = false
        service.isFaulty = false
        device.faults.clear()
    }

    /// As a host does at its end.
    func closeDevice() {
        seen.formUnion(service.seen)
        device.core.close([], now: now)
        take(device.core.takeOutputs())
    }
}

/// The realtime database is not there, and `SequenceService` is its own network.
private final class NoNetwork: Transport {
    func carryOut(_ command: TransportCommand, of owner: TransportOwner) {}
}
