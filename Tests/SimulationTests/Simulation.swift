import TestSupport
import Foundation
import SyncJSON
import SyncModel
import SyncSimulation

@testable import SyncEngine

/// One run of the whole stack: hosts, engine, service machine, a simulated network and the real server's own code, in
/// one thread and virtual time, everything from one seed.
final class Simulation: SimulatedRun, SeededSimulation {
    let seed: UInt64
    let traits: Traits
    var random: SeededGenerator
    let service: SimulatedService
    let network: SimulatedNetwork
    let disk = SimulatedFiles()
    let downloadHost: DownloadHost
    let partDisk = ForgetfulDisk()
    /// What puts numbers in the place of others, in both directions.
    var hostile: HostileNumbers?
    let directory: URL
    private(set) var device: Device
    private(set) var time: Int64 = 1_000_000
    var isFaulty = true

    /// What the engine told, seen before any queue: it has to fit at every moment.
    var told = Replay()
    /// What the host made of what it drained.
    private(set) var host: Host
    var plans: [(time: Int64, order: Int, plan: HostPlan)] = []
    private var planOrder = 0
    private(set) var processNumber = 0
    var database = DatabaseKnowledge()
    var drafts: DraftKnowledge
    var notices: NoticeKnowledge
    var evictions: EvictionKnowledge
    var exports: ExportKnowledge
    var searches: SearchKnowledge
    /// How often the user has signed out, or may have.
    var signOuts = 0
    var files: FileKnowledge
    var downloads: DownloadKnowledge
    /// Polls that were sent, the latest last.
    var polls: [(id: Int64, url: String, owner: String)] = []

    /// The streams that the host has open, as told.
    var streams: [UInt64: ShownStream] = [:]
    var lastCollection: UInt64 = 0
    /// Message collections that have shown messages since the host opened or emptied them.
    var loaded: Set<CollectionID> = []
    /// Lists that showed nothing when a fetch came short, with the directions in which they were fetched.
    var unfilled: [CollectionID: Set<PageDirection>] = [:]
    var fetched: [CallID: PageDirection] = [:]
    /// Request ids of messages that have failed as known to the service, and were rightly not found there.
    var missed: Set<String> = []
    var lastCall: UInt64 = 0
    var lastText = 0
    /// Calls whose completion the engine has not told.
    var openCalls: [CallID: String] = [:]
    var results: [CallID: Completion] = [:]
    var knowledge: Knowledge
    var violation: Violation?
    private(set) var isConnected = false
    var session = SessionView()
    /// Since when the host is in the background; `nil` in the foreground.
    var backgroundSince: Int64?
    /// How much longer the machine has slept than the monotonic clock shows, in milliseconds.
    var slept: Int64 = 0
    private var isPausedByHost = false
    /// What is told now came of a frame of the socket, not of an answer.
    private(set) var isTakingFrame = false
    private(set) var isTokenNeeded = false
    private(set) var isPaused = false
    /// The totals that the host was told last.
    private(set) var unreadTotal: Int64?
    var quietChecks = 0

    /// What happened at all, so that a run over many seeds can tell whether it met what it is there for.
    var seen: Set<String> = []
    let isRecording: Bool
    private(set) var history: [String] = []
    private(set) var steps = 0

    init(seed: UInt64, isRecording: Bool) throws {
        self.seed = seed
        self.isRecording = isRecording
        traits = Traits(seed: seed)
        knowledge = Knowledge(seed: seed)
        drafts = DraftKnowledge(seed: seed)
        notices = NoticeKnowledge(seed: seed)
        evictions = EvictionKnowledge(seed: seed)
        exports = ExportKnowledge(seed: seed)
        searches = SearchKnowledge(seed: seed)
        files = FileKnowledge(seed: seed)
        downloads = DownloadKnowledge(seed: seed)
        random = SeededGenerator(seed: seed)
        directory = try SimulationFolder.make("sim", seed)
        service = try SimulatedService(seed: seed, hugeGap: traits.hugeGap, time: time)
        downloadHost = DownloadHost(seed: seed &+ 6001)
        network = SimulatedNetwork(
            server: service, files: disk, downloads: downloadHost, seed: seed &+ 1, pageSize: traits.pageSize)
        network.downloads.disk = partDisk.calls
        network.weather = traits.weather
        service.control("settings", .object([
            "unread_cnt_threading_policy": .int(traits.unreadPolicy),
            "last_msg_threading_policy": .int(traits.lastMessagePolicy),
        ]))
        service.control("refuse_repeats", .object(["on": .bool(traits.refusesRepeats)]))
        network.move(to: time)
        host = Host(isSlow: traits.isHostSlow, limit: traits.queueLimit)
        device = try Device(
            directory: directory.path, options: traits.options(token: service.token, process: 0), network: network,
            files: disk, now: Moment(monotonic: time, wall: SimulatedService.start + time + traits.clockError))
        network.loggedIn = { [unowned self] in sessionBegins() }
        if !traits.tellsMuteEnds {
            network.isLeftUnsaid = { String(decoding: $0, as: UTF8.self).contains("\"cat\":10200,") }
        }
        network.messageSent = { [unowned self] in violationOfSending($0, isByRequest: $1)?.description }
        network.uploadAsked = { [unowned self] in
            files.begin($0.path)
            return violationOfUpload($0, among: $1)?.description
        }
        try prepareDownloads()
        network.database.spoiled = { [unowned self] in if Simulation.isSum($0) { database.lostSums += 1 } }
        network.database.executing = { [unowned self] in executing(isLate: $0, $1) }
        if isRecording {
            service.note = { [unowned self] in note($0) }
            network.note = { [unowned self] in note($0) }
        }
    }

    func remove() {
        device.close()
        service.close()
        try? FileManager.default.removeItem(at: directory)
    }

    var now: Moment { Moment(monotonic: time, wall: SimulatedService.start + time + traits.clockError + slept) }

    func note(_ text: @autoclosure () -> String) { if isRecording { history.append("\(time) \(text())") } }

    func plan(_ plan: HostPlan, in delay: Int64) {
        planOrder += 1
        plans.append((time + delay, planOrder, plan))
        plans.sort { ($0.time, $0.order) < ($1.time, $1.order) }
    }

    func printHistory(_ lines: Int, _ error: any Error) {
        print("seed \(seed), step \(steps): \(error)")
        print("  \(traits)")
        for line in history.suffix(lines) { print("  " + line) }
        print("  in flight: \(engine.underWay)")
        for (at, parcel) in network.agenda.all { print("  under way: \(at) \(parcel)") }
    }

    // MARK: Running

    func run(steps count: Int) throws {
        fillChannels()
        take(device.core.takeOutputs())
        command(.call(newCall("connect"), .connect))
        for _ in 0..<count {
            steps += 1
            try act()
            try advance(random.below(random.chance(5) ? 3_000 : 200))
            try check()
            // It costs a few REST answers.
            if random.chance(40) { try checkQuiet() }
        }
        try converge()
    }

    /// The same with a service and a device that hear numbers that nobody said. Nothing can be expected of what is
    /// shown; gives the names of those numbers.
    func run(steps count: Int, among hostile: HostileNumbers) -> [String: Int] {
        fillChannels()
        self.hostile = hostile
        network.spoilRequest = { [unowned self] in self.hostile?.spoiled($0) ?? $0 }
        network.spoilText = { [unowned self] in self.hostile?.spoiled($0) ?? $0 }
        take(device.core.takeOutputs())
        command(.call(newCall("connect"), .connect))
        for _ in 0..<count {
            steps += 1
            // A mute and its end have numbers of their own, and of the acts it is a rare one.
            if steps % 30 == 0, let url = random.pick(knowledge.urls) { act(of: 106, in: url) }
            try? act()
            try? advance(random.below(random.chance(5) ? 3_000 : 200))
            violation = nil
            network.forgive()
        }
        return self.hostile?.replaced ?? [:]
    }

    private func fillChannels() {
        for index in 0..<(2 + Int(random.below(3))) {
            let url = "channel_\(index)"
            addChannel(url, name: "Channel \(index)")
            let messages = random.below(index == 0 ? traits.longestHistory : 30)
            var posted: Int64 = 0
            while posted < messages {
                let most: Int64 = random.chance(3) ? 30 : 6
                let part = min(1 + random.below(most), messages - posted)
                service.burst(url, random.pick(SimulatedService.others) ?? "bo", part)
                posted += part
                let pause: Int64 = 1 + random.below(5_000)
                service.control("advance_clock", .object(["ms": .int(pause)]))
            }
        }
    }

    func command(_ command: HostCommand) {
        note("host \(Simulation.brief(command))")
        switch command {
        case .post(.pauseSync): (isPausedByHost, session.wasPaused) = (true, true)
        case .post(.resumeSync): isPausedByHost = false
        case .post(.resync): notices.beginsAgain()
        case .call(let call, .fetch(_, let direction)): fetched[call] = direction
        default: break
        }
        device.core.handle(command, now: now)
        inputDone()
    }

    /// The last input of this process; `begin` starts another one.
    func close(_ waiting: [HostCommand] = []) {
        for command in waiting { note("  waiting: \(Simulation.brief(command))") }
        device.core.close(waiting, now: now)
        network.collect()
        // Nobody hears what a process says that died over it.
        guard !device.faults.isDead else { return }
        take(device.core.takeOutputs())
        drafts.look(at: draftTexts, time: time)
    }

    /// After every input: what the engine told goes to the host; a process that died meanwhile begins again.
    private func inputDone() {
        if device.faults.isDead {
            note("the process died at: \(device.faults.place)")
            seen.insert("death between statements")
            return begin()
        }
        network.collect()
        take(device.core.takeOutputs())
        lookAtOwn()
        drafts.look(at: draftTexts, time: time)
        if !host.isSlow { drain() }
    }

    private func take(_ outputs: [HostOutput]) {
        for output in outputs {
            switch output {
            case .event(.change(let change)):
                seen.insert(change.cause.source.rawValue)
                seen.insert(change.action.rawValue)
                if let reason = change.reason { seen.insert(reason.rawValue) }
                note("  \(Simulation.brief(change))")
                knowledge.told(change)
                noteEmptied(by: change)
                do {
                    try checkOwnIsRead(change)
                    try told.apply(change)
                    try checkFacts(change.cause, isOfChannel: change.list == .channels)
                } catch { violation = violation ?? error as? Violation }
            case .event(.collection(let id, let notice)):
                seen.insert("\(notice.type)")
                note("  \(notice.type) of \(id)")
                if case .channelUpdated(_, let cause) = notice {
                    do {
                        try checkFacts(cause, isOfChannel: true)
                    } catch { violation = violation ?? error as? Violation }
                }
                if case .stream(let told) = notice {
                    do { try streams[id.number]?.apply(told) } catch { violation = violation ?? error as? Violation }
                }
            case .event(.client(.database(let notice))): take(notice)
            case .event(.client(.resource(let notice))): take(notice)
            case .event(.client(let notice)):
                seen.insert("\(notice.type)")
                if case .syncProgress = notice {} else { note("  \(notice)") }
                if case .uploadProgress(let progress) = notice { take(progress) }
                if case .messageReceived(let message) = notice { takeIn(message) }
                if case .cacheFull(let full) = notice { takeIn(full) }
                if case .connection(let state, _, _) = notice {
                    isConnected = state == .connected
                    // A login that was answered before the reset does not know of it.
                    if isConnected, let resetAt = knowledge.historyResetAt, time - resetAt > 10_000 {
                        knowledge.historyResetAt = nil
                    }
                    isTokenNeeded = state == .tokenNeeded
                }
                if case .syncState(let state) = notice { isPaused = state == .paused }
                if case .unreadCounts(let counts) = notice { unreadTotal = counts.all }
                if case .tokenNeeded = notice { plan(.setToken, in: isFaulty ? random.below(3_000) : 1) }
            case .completion(let completion):
                note(
                    "  completed \(completion.call) \(completion.name) \(completion.status) "
                        + (completion.short?.rawValue ?? "")
                )
                guard openCalls.removeValue(forKey: completion.call) != nil else {
                    violation = violation ?? Violation(
                        description: "call \(completion.call) \(completion.name) completed without being open")
                    continue
                }
                results[completion.call] = completion
                seen.insert("\(completion.action?.rawValue ?? completion.name.rawValue) \(completion.status)")
                if let short = completion.short { seen.insert("short \(short)") }
                noteShort(completion)
                knowledge.completed(completion)
                downloadEnded(completion)
                if let info = completion.info { told.note(info) }
            }
            host.push(output)
        }
    }

    private func lookAtOwn() {
        let oldest = now.wall - Int64(traits.retentionDays) * 86_400_000
        knowledge.look(at: engine.ownMessages, limit: traits.maxFailed, oldest: oldest)
    }

    private func sessionBegins() {
        session = SessionView(beganAt: time, jumpedBefore: service.jumped, wasPaused: isPausedByHost)
        session.open = Set(engine.shownMessages.map(\.channelURL).filter { device.cachedChannel($0) != nil })
        network.watched = session.open
    }

    // MARK: Processes

    /// As after a kill: what was in memory is gone, the files are what the last commits left.
    func restart() {
        note("the process is killed")
        begin()
    }

    func begin(isOnline: Bool = true) {
        processNumber += 1
        // What stands first may have been done.
        database.processEnded(isCounting: device.queuedWrites.first?.kind == 2)
        network.processEnded()
        let isKilledBetweenInputs = !device.faults.isDead
        device.close()
        openCalls = [:]
        downloads.processEnded()
        told = Replay()
        notices.beginsAgain()
        streams = [:]
        loaded = []
        host = Host(isSlow: traits.isHostSlow, limit: traits.queueLimit)
        plans.removeAll { entry in
            if case .weatherEnds = entry.plan { false } else { true }
        }
        isConnected = false
        isTokenNeeded = false
        isPaused = false
        isPausedByHost = false
        backgroundSince = nil
        session = SessionView(beganAt: time)
        unreadTotal = nil
        knowledge.processEnded()
        let options = traits.options(token: service.token, process: processNumber)
        do {
            device = try Device(directory: directory.path, options: options, network: network, files: disk, now: now)
        } catch {
            violation = violation ?? Violation(description: "the process cannot begin again: \(error)")
            return
        }
        take(device.core.takeOutputs())
        // What is too old, or too many, goes at the start.
        lookAtOwn()
        checkDraftsKept(isKilledBetweenInputs: isKilledBetweenInputs)
        if !isOnline {
            return command(.call(newCall("offline"), .database(DatabaseRequest(.databaseOffline, .setOnline(false)))))
        }
        if traits.hasDatabase {
            beginResources()
            do { try beginDatabase() } catch { violation = violation ?? Violation(description: "\(error)") }
        }
        if random.chance(90) || !isFaulty {
            command(.call(newCall("connect"), .connect))
        } else {
            plan(.connect, in: random.below(10_000))
        }
    }

    // MARK: Time

    func advance(_ duration: Int64) throws {
        let end = time + duration
        while true {
            let due = [network.agenda.nextTime, device.core.nextDeadline, service.nextDeadline, plans.first?.time]
                .compactMap { $0 }.min()
            guard let due, due <= end else { break }
            move(to: max(time, due))
            if let next = plans.first, next.time <= time {
                plans.removeFirst()
                perform(next.plan)
            } else if let next = network.agenda.nextTime, next <= time {
                if let (due, owner, upload) = network.takeDue() {
                    let input = hostile?.spoiled(due) ?? due
                    note("\(Parcel.input(input, of: owner, process: 0))")
                    if case .socketText = input { isTakingFrame = true }
                    let process = processNumber
                    if upload != nil { mayDieOverUpload() }
                    if case .socketText(_, let text) = input { noteLeft(text) }
                    device.core.receive(input, of: owner, now: now)
                    inputDone()
                    isTakingFrame = false
                    if let upload { uploadEnded(upload, input, isSameProcess: process == processNumber) }
                    if case .socketText(_, let text) = input, process == processNumber {
                        try checkLastMessage(text)
                        try checkDeleted(text)
                    }
                }
            } else if let next = device.core.nextDeadline, next <= time {
                device.core.advance(now: now)
                inputDone()
            }
            if let violation = violation ?? network.violation.map({ Violation(description: $0) }) { throw violation }
            try checkSizes()
        }
        move(to: end)
    }

    private func move(to time: Int64) {
        self.time = time
        network.move(to: time)
        service.move(to: time)
        network.collect()
    }

    private static func brief(_ command: HostCommand) -> String {
        switch command {
        case .call(let call, .own(.send(let requestID, let body), let id)):
            "sendMessage \(requestID) in \(id), call \(call): \(String(decoding: body, as: UTF8.self))"
        case .call(let call, .own(.append(let requestID, let body), let id)):
            "appendMessage \(requestID) in \(id), call \(call): \(String(decoding: body, as: UTF8.self))"
        case .call(let call, .own(.handleSendResponse(let requestID, .sent(let message)), let id)):
            "handleSendResponse \(requestID) in \(id), call \(call): \(message.id)"
        case .call(let call, .own(.tellEdit(let message), let id)): "tellEdit \(message.id) in \(id), call \(call)"
        case .call(let call, .own(.update(let requestID, let body), let id)):
            "updateMessage \(requestID) in \(id), call \(call): \(String(decoding: body, as: UTF8.self))"
        case .post(.openMessageCollection(let id, let url, let filter, let viewpoint)):
            "open \(id) of \(url) at \(viewpoint): \(brief(filter))"
        // In a fixed order, so that two runs can be compared.
        case .post(.resync(let collections)):
            "resync " + collections.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        case .call(let call, .action(let action)):
            "\(action.action.rawValue) "
                + action.arguments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                + ", call \(call)"
        default: "\(command)"
        }
    }

    /// A set prints in another order each time.
    private static func brief(_ filter: MessageFilter) -> String {
        var others = filter
        others.leftOut = []
        return "\(others) without \(filter.leftOut.map(\.rawValue).sorted())"
    }

    private static func brief(_ change: CollectionChange) -> String {
        let places = change.items.prefix(5).map { "\($0.from < 0 ? "" : "\($0.from):")\($0.index)=\($0.id)" }
        return "\(change.collection) \(change.list) \(change.action) \(change.cause.source) "
            + places.joined(separator: " ") + (change.items.count > 5 ? " … \(change.items.count)" : "")
    }
}
