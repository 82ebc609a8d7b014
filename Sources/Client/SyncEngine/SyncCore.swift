import SyncModel
import SyncStore

/// Engine and service, joined: what the engine asks goes to the service, what the service answers goes to the engine,
/// bytes go to the transport. The realtime database is no chat service: the engine holds it, and shares the transport.
/// The library drives one on its engine thread, the simulator in virtual time.
///
/// Called by one thread at a time. Every input is given with the current time; afterwards the caller takes out the
/// events for the host.
public final class SyncCore {
    public let engine: Engine
    private let service: any ChatService
    private let transport: any Transport

    public init(
        options: EngineOptions, cache: CacheStore, intents: IntentStore, service: any ChatService,
        transport: any Transport, files: any FileLooking = NoFiles(), now: Moment
    ) {
        self.service = service
        self.transport = transport
        engine = Engine(
            options: options, cache: cache, intents: intents, rules: service.rules,
            capabilities: service.capabilities, files: files, now: now)
        pump(now)
    }

    public func handle(_ command: HostCommand, now: Moment) {
        engine.handle(command, now: now)
        pump(now)
    }

    /// The last input: completes every outstanding call and stops. `waiting`: commands of the host that were not
    /// handled yet. Of these, own messages and writes to the database are stored, all or none of them; the others are
    /// not carried out. The driver closes the stores afterwards.
    public func close(_ waiting: [HostCommand] = [], now: Moment) {
        engine.close(waiting, now: now)
        pump(now)
    }

    /// Something came from the transport.
    public func receive(_ input: TransportInput, of owner: TransportOwner, now: Moment) {
        switch owner {
        case .service: service.receive(input, now: now)
        case .database: engine.receive(database: input, now: now)
        }
        pump(now)
    }

    /// When there is something to do without an input, by the monotonic clock; `nil` when nothing is planned.
    public var nextDeadline: Int64? {
        Moment.earlier(engine.nextDeadline, service.nextDeadline)
    }

    /// Does what is due.
    public func advance(now: Moment) {
        service.advance(now: now)
        pump(now)
        engine.advance(now: now)
        pump(now)
    }

    /// What the host has to be told, in order.
    public func takeOutputs() -> [HostOutput] { engine.takeHostOutputs() }

    /// Lets engine and service talk until both have nothing more to say.
    private func pump(_ now: Moment) {
        while true {
            for command in engine.takeServiceCommands() {
                switch command {
                case .connect(let start): service.connect(start, now: now)
                case .disconnect: service.disconnect(now: now)
                case .resume(let point): service.resume(from: point, now: now)
                case .kept(let isStored): service.kept(isStored, now: now)
                case .ask(let id, let request, let timeout):
                    service.ask(request, id: id, timeout: timeout, now: now)
                case .cancel(let id): service.cancel(id, now: now)
                }
            }
            for command in engine.takeDatabaseCommands() { transport.carryOut(command, of: .database) }
            let outputs = service.takeOutputs()
            if outputs.isEmpty { return }
            for output in outputs {
                switch output {
                case .transport(let command): transport.carryOut(command, of: .service)
                case .event(let event): engine.receive(event, now: now)
                case .progress(let id, let done, let total):
                    engine.receive(progress: done, of: total, for: id, now: now)
                case .reply(let id, let reply): engine.receive(reply, for: id, now: now)
                }
            }
        }
    }
}
