import SyncModel
import SyncServer
import SyncTree
import TestSupport
import XCTest

@testable import SyncRealtime

/// The embedded server and machines that listen and write, in virtual time: what goes between them is late, comes in
/// pieces, or is lost, as one seed has it.
final class DatabaseWorld {
    static let begin: Int64 = 1_700_000_000_000

    let server: InProcessServer
    private(set) var time: Int64 = begin
    var clients: [DatabaseWorldClient] = []
    /// Whether the network loses and breaks things.
    var isRough = true
    private var random: SeededGenerator
    private var events: [(due: Int64, number: Int, action: () -> Void)] = []
    private var number = 0

    init(seed: UInt64) throws {
        var options = ServerOptions()
        options.isControlled = true
        server = try InProcessServer(options, time: time, seed: seed)
        random = SeededGenerator(seed: seed)
    }

    func chance(_ perMille: Int) -> Bool { random.below(1000) < perMille }
    func below(_ bound: Int) -> Int { random.below(bound) }

    func later(_ delay: Int64, _ action: @escaping () -> Void) {
        number += 1
        events.append((time + delay, number, action))
    }

    /// Lets the time pass up to a moment; whatever is due on the way happens in its order.
    func run(until end: Int64) {
        while true {
            let event = events.indices.min {
                (events[$0].due, events[$0].number) < (events[$1].due, events[$1].number)
            }
            let deadlines = clients.compactMap { $0.machine.nextDeadline.map { $0 + DatabaseWorld.begin } }
            let due = [event.map { events[$0].due }, server.nextDeadline, deadlines.min()].compactMap { $0 }.min()
            guard let due, due <= end else { break }
            time = max(time, due)
            server.advance(to: time)
            if let event, events[event].due <= time { events.remove(at: event).action() }
            for client in clients {
                client.pump()
                if let next = client.machine.nextDeadline, next + DatabaseWorld.begin <= time { client.advance() }
            }
        }
        time = end
        server.advance(to: time)
    }
}
