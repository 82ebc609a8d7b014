import SyncManager
import SyncModel
import SyncSimulation
import SyncThreads
import Synchronization

/// A chat service, the network of each client that leads to it, and time that passes only when a test lets it.
final class World: ClientEnvironment, VirtualTime, @unchecked Sendable {
    /// Milliseconds of the clock that never jumps at the beginning: no deadline is before 0.
    static let beginning: Int64 = 1_000_000

    private let monitor = Monitor()
    /// Read also by threads that do not hold the lock: those that have a client's lock must not wait for this one.
    private let passed = Atomic<Int64>(World.beginning)
    private let start: Int64

    // What follows is guarded by the monitor.
    private let service: WorldService
    private let pageSize: Int?
    private var weather: Weather
    private var seeds: SeededGenerator
    /// Those of clients that have ended stay until all that was on its way has arrived.
    private var devices: [WorldDevice] = []
    private var hasEnded = false

    init(seed: UInt64, _ options: WorldOptions) throws(BorderError) {
        start = options.start
        pageSize = options.pageSize
        weather = options.weather
        seeds = SeededGenerator(seed: seed)
        service = try WorldService(options, seed: seed)
    }

    // MARK: ClientEnvironment

    var monotonic: Int64 { passed.load(ordering: .sequentiallyConsistent) }
    var wall: Int64 { start &+ monotonic &- World.beginning }
    var virtualTime: (any VirtualTime)? { self }

    func nextSeed() -> UInt64 { monitor.locked { seeds.next() } }

    func randomBytes(_ count: Int) -> [UInt8]? {
        monitor.locked { (0..<count).map { _ in UInt8(truncatingIfNeeded: seeds.next() >> 32) } }
    }

    func makeFiles() -> any FileLooking { WorldFiles() }

    func makeTransport(_ configuration: Configuration) -> any ClientTransport {
        monitor.locked {
            let network = SimulatedNetwork(
                server: service, files: WorldFiles(), downloads: service, seed: seeds.next(), pageSize: pageSize)
            network.weather = weather
            network.move(to: monotonic)
            return WorldDevice(network, userID: configuration.userID)
        }
    }

    // MARK: VirtualTime

    func begin(_ engine: any SteppedEngine, over transport: any ClientTransport) {
        guard let device = transport as? WorldDevice else { return }
        monitor.locked {
            device.engine = engine
            devices.append(device)
        }
    }

    func run(_ engine: any SteppedEngine) {
        monitor.locked {
            engine.runPending()
            collect()
        }
    }

    func pass(until deadline: Int64) { monitor.locked { _ = step(until: deadline) } }

    func finish(_ engine: any SteppedEngine) {
        monitor.locked {
            engine.finish()
            forget(engine)
        }
    }

    func kill(_ engine: any SteppedEngine) { monitor.locked { forget(engine) } }

    private func forget(_ engine: any SteppedEngine) {
        for device in devices where device.engine === engine { device.end() }
        collect()
    }

    // MARK: Time

    /// Lets the time pass until a client has told its host something, at most so many milliseconds. Gives how many have
    /// passed. What was told before and was not taken does not count: a host may leave it for later. Other threads have
    /// their turn after each thing that happens.
    func step(by milliseconds: Int64) -> Int64 {
        let (before, told) = monitor.locked { (monotonic, tellings) }
        while monitor.locked({ step(until: before + milliseconds) && tellings == told }) {}
        return monotonic - before
    }

    /// Of all clients that run.
    private var tellings: UInt64 { devices.reduce(0) { $0 &+ ($1.engine?.tellings ?? 0) } }

    /// Other threads have their turn after each thing that happens.
    func advance(by milliseconds: Int64) {
        let end = monotonic + milliseconds
        while monitor.locked({ step(until: end) }) {}
    }

    /// `false` when nothing happens until `limit`, which the time has reached then.
    private func step(until limit: Int64) -> Bool {
        let next = devices.compactMap { Moment.earlier($0.network.agenda.nextTime, $0.engine?.nextDeadline) }.min()
        guard !hasEnded, let due = Moment.earlier(next, service.nextDeadline), due <= limit else {
            move(to: limit)
            return false
        }
        move(to: due)
        takeDue()
        return true
    }

    private func move(to time: Int64) {
        if time > monotonic {
            passed.store(time, ordering: .sequentiallyConsistent)
            for device in devices { device.network.move(to: time) }
        } else if service.nextDeadline.map({ $0 > monotonic }) ?? true {
            return
        }
        guard !hasEnded else { return }
        // Also what it does at once, as the close of a poll whose time is past.
        service.move(to: monotonic)
        collect()
    }

    /// Lets one thing happen that is due: something arrives, or an engine has something to do.
    private func takeDue() {
        let now = monotonic
        for device in devices {
            if let time = device.network.agenda.nextTime, time <= now {
                device.takeDue()
                break
            }
            if let engine = device.engine, let time = engine.nextDeadline, time <= now {
                engine.runPending()
                break
            }
        }
        collect()
    }

    /// Takes what the service has said, and drops the networks of ended clients that carry nothing more.
    private func collect() {
        for device in devices { device.network.collect() }
        devices.removeAll { $0.engine == nil && $0.network.agenda.nextTime == nil }
    }

    // MARK: What a test does

    /// `nil`: another thread has ended the world.
    func request(
        _ method: String, _ target: String, _ body: [UInt8], toDatabase: Bool
    ) -> (status: Int, body: [UInt8])? {
        monitor.locked {
            if hasEnded { return nil }
            let answer = toDatabase ? service.askDatabase(method, target, body) : service.ask(method, target, body)
            collect()
            return answer
        }
    }

    func set(_ weather: Weather) {
        monitor.locked {
            self.weather = weather
            for device in devices { device.network.weather = weather }
        }
    }

    func disturb(by what: Disturbance, _ userID: String?) {
        monitor.locked {
            for device in devices where device.engine != nil && (userID == nil || userID == device.userID) {
                what.happen(to: device.network)
            }
        }
    }

    /// Ends the world. Its clients are to be killed before.
    func end() {
        monitor.locked {
            guard !hasEnded else { return }
            hasEnded = true
            devices = []
            service.close()
        }
    }
}
