import Glibc
import SyncEngine
import SyncModel
import SyncThreads

/// Runs the engine of one client, on one thread at a time (the leader).
///
/// The leader is a thread of the host that waits for events anyway, or else the client's engine thread. Host calls and
/// the network leave their inputs in the inbox and return.
final class EngineLoop: EngineWork, SteppedEngine, @unchecked Sendable {
    /// The condition that the engine thread waits for.
    static let engineCondition = 1
    /// Milliseconds for which events are held back so that the host gets them together, since waking the host costs
    /// more than most events do. The first events of a run are not held back: while the host wakes for them, the rest
    /// is done.
    private static let longestHold: Int64 = 2

    /// Milliseconds until deadlines are checked again, while network input that may concern them is not read yet.
    private static let rereading: Int64 = 5

    /// Milliseconds after a host thread led for which the engine thread expects it to lead again, and how long it
    /// sleeps meanwhile before it checks whether a command waits after all.
    private static let standby: Int64 = 1000
    private static let standbySleep: Int64 = 10

    private let monitor: Monitor
    private let queue: EventQueue
    /// Both are used only by the thread that has the claim.
    private let core: SyncCore
    private let transport: any ClientTransport
    private let environment: any ClientEnvironment

    // What follows is guarded by the monitor.
    private var inbox = Inbox()
    /// Whether a thread has the claim, and so runs the engine.
    private var isClaimed = false
    private var isClosing = false
    /// The engine's next deadline, as it said last.
    private(set) var deadline: Int64?
    /// Until when the engine thread sleeps; `nil`: until it is woken.
    private var plannedWake: Int64?
    /// The host thread that ran the engine last, and when.
    private var leader: (thread: pthread_t, time: Int64)?
    /// Whether the engine thread looks for work again soon without being woken.
    private var isStandingBy = false

    /// Takes over the core; its first outputs go to the queue.
    init(
        core: SyncCore, transport: any ClientTransport, queue: EventQueue, monitor: Monitor,
        environment: any ClientEnvironment
    ) {
        self.core = core
        self.transport = transport
        self.environment = environment
        self.queue = queue
        self.monitor = monitor
        queue.push(core.takeOutputs())
        deadline = core.nextDeadline
        if environment.virtualTime == nil { queue.work = self }
        transport.setReceiver { [weak self] input, owner in self?.receive(input, of: owner) }
    }

    // MARK: Any thread

    /// Leaves a command. Refused when too many wait or the client is closing.
    func post(_ post: HostPost) throws(BorderError) {
        let command = HostCommand.post(post)
        try monitor.locked { () throws(BorderError) in
            try checkOpenLocked()
            if command.takesSlot { try queue.calls.checkRoom(bytes: command.textBytes, others: inbox.load) }
            append(command)
        }
    }

    /// Leaves the command of a call and gives the call's number.
    func call(
        _ listener: Listener, fetch: CallTable.FetchKey?, _ call: HostCall
    ) throws(BorderError) -> CallID {
        try monitor.locked { () throws(BorderError) in
            try checkOpenLocked()
            let isSignOut = if case .signOut = call { true } else { false }
            let id = try queue.addCall(
                listener, fetch: fetch, bytes: call.profile.textBytes, others: inbox.load, isSignOut: isSignOut)
            append(.call(id, call))
            return id
        }
    }

    func checkOpen() throws(BorderError) {
        try monitor.locked { () throws(BorderError) in try checkOpenLocked() }
    }

    private func checkOpenLocked() throws(BorderError) {
        if isClosing { throw BorderError(.closed, "the client is closed") }
    }

    /// Takes an input of the network. When too much waits in the inbox, closes the intake.
    private func receive(_ input: TransportInput, of owner: TransportOwner) {
        monitor.locked {
            guard !isClosing else { return }
            inbox.append(input, of: owner, at: environment.monotonic)
            if inbox.isFull { transport.stopReading() }
            wakeWorker()
        }
    }

    /// Refuses further inputs and lets the engine thread end the work. `false` when that has begun already.
    func close() -> Bool {
        monitor.locked {
            guard !isClosing else { return false }
            isClosing = true
            monitor.signalAll(EngineLoop.engineCondition)
            return true
        }
    }

    var isOpen: Bool { monitor.locked { !isClosing } }

    private func append(_ command: HostCommand) {
        inbox.append(command)
        wakeWorker()
    }

    private func wakeWorker() {
        // The thread that runs the engine checks the inbox again before it stops.
        if isClaimed { return }
        if queue.isAwaited { return monitor.signalAll(EventQueue.hostCondition) }
        // The thread that led is likely to wait for the outcome next, and does the work then. Waking another thread
        // would cost it more than the work does.
        if isStandingBy, let leader, pthread_equal(leader.thread, pthread_self()) != 0 { return }
        monitor.signalAll(EngineLoop.engineCondition)
    }

    // MARK: Engine thread

    /// Runs until the client is closed.
    func run() {
        while true {
            let isOver = monitor.locked { () -> Bool in
                while true {
                    if isClosing, !isClaimed {
                        isClaimed = true
                        return true
                    }
                    if claim() { return false }
                    planSleep()
                    _ = monitor.wait(for: EngineLoop.engineCondition, until: plannedWake)
                }
            }
            if isOver { break }
            run(isLeading: false)
        }
        finish()
    }

    /// Plans a sleep until the next deadline. For a while after a host thread led, the engine thread sleeps for short
    /// times instead of being woken.
    private func planSleep() {
        plannedWake = isClaimed ? nil : deadline
        guard let leader else { return }
        let now = environment.monotonic
        isStandingBy = now - leader.time < EngineLoop.standby
        if isStandingBy { plannedWake = min(plannedWake ?? Int64.max, now + EngineLoop.standbySleep) }
    }

    /// Ends the work when the client closes: every call gets its result. It waits only until own messages that were
    /// accepted are written to the disk.
    func finish() {
        var waiting: [HostCommand] = []
        monitor.locked {
            while let command = inbox.popCommand() { waiting.append(command) }
        }
        core.close(waiting, now: environment.now)
        queue.push(core.takeOutputs())
        transport.close()
    }

    // MARK: Virtual time

    func runPending() { while monitor.locked({ claim() }) { run(isLeading: true) } }

    var nextDeadline: Int64? { monitor.locked { isClosing ? nil : deadline } }

    var tellings: UInt64 { monitor.locked { queue.tellings } }

    // MARK: Leader and follower

    func claim() -> Bool {
        guard !isClaimed, !isClosing, !inbox.isEmpty || deadline.map({ $0 <= environment.monotonic }) ?? false else {
            return false
        }
        isClaimed = true
        return true
    }

    func perform() { run(isLeading: true) }

    /// Processes input by input, so that a client that closes waits for one input at most.
    private func run(isLeading: Bool) {
        var now = environment.now
        let end = now.monotonic + EngineLoop.longestHold
        var outputs: [HostOutput] = []
        var hasTold = isLeading
        while now.monotonic < end, let input = nextInput(&now) {
            switch input {
            case .command(let command):
                if let completion = monitor.locked({ inbox.resultBeforeSignOut(of: command) }) {
                    outputs.append(.completion(completion))
                    break
                }
                core.handle(command, now: now)
            case .transport(let input, let owner):
                if transport.accepts(input, of: owner) { core.receive(input, of: owner, now: now) }
            }
            outputs += core.takeOutputs()
            if !hasTold, !outputs.isEmpty {
                queue.push(outputs)
                outputs = []
                hasTold = true
            }
            now = environment.now
        }
        now.unheardSince = monitor.locked { unheardSince }
        if let due = core.nextDeadline, due <= now.heard {
            core.advance(now: now)
            outputs += core.takeOutputs()
        }
        var next = core.nextDeadline
        if let due = next, due > now.heard, due <= now.monotonic { next = now.monotonic + EngineLoop.rereading }
        monitor.locked {
            queue.pushLocked(outputs)
            deadline = next
            isClaimed = false
            if isLeading { leader = (pthread_self(), now.monotonic) }
            if isClosing { monitor.signalAll(EngineLoop.engineCondition) }
        }
    }

    /// The next input; `now` gets the time since when others wait. When few are left, the intake is opened again.
    private func nextInput(_ now: inout Moment) -> Inbox.Input? {
        var readsOn = false
        let input = monitor.locked { () -> Inbox.Input? in
            now.unheardSince = unheardSince
            guard !isClosing, let input = inbox.popFirst() else { return nil }
            readsOn = inbox.isLow && !transport.isReading
            return input
        }
        if readsOn { transport.readOn() }
        return input
    }

    /// The time at which the oldest input of the network came that the engine has not processed.
    private var unheardSince: Int64? {
        // Input that is being read is in the inbox before it counts as read.
        let unread = transport.unreadSince
        return Moment.earlier(unread, inbox.oldestArrival)
    }

    func handOver() {
        guard !isClaimed else { return }
        if !inbox.isEmpty || deadline.map({ deadline in plannedWake.map { deadline < $0 } ?? true }) ?? false {
            monitor.signalAll(EngineLoop.engineCondition)
        }
    }
}
