import Foundation
import SyncModel
import SyncServer
import SyncTree
import TestSupport
import XCTest

@testable import SyncRealtime

/// Several clients on one database over a bad network. Whatever happens: who alone writes to a place always sees what
/// it wrote last, also after a restart; each write ends once; writes reach the service in their order; counts add up;
/// and once the network holds, everybody sees what is there, and still sees it after a restart without a network.
final class DatabaseSimulationTests: XCTestCase {
    func testEverybodySeesWhatIsThere() throws {
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        if let seed = ProcessInfo.processInfo.environment["SM_SEED"].flatMap(UInt64.init) { return try run(seed) }
        for seed in UInt64(1)...(isLong ? 600 : 60) { try run(seed) }
    }

    private func run(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 7919)
        let world = try DatabaseWorld(seed: seed)
        let rules = #"{"rules":{".read":true,".write":true,"shared":{".indexOn":["v"]}}}"#
        XCTAssertEqual(
            world.server.answerDatabase("PUT", "/.settings/rules.json?ns=w&auth=owner", body: Array(rules.utf8))
                .response.status, 200)
        world.clients = ["ann", "bob", "cid"].map { DatabaseWorldClient($0, world) }
        let query = try DatabaseQuery(.child(try TreePath("v")), from: .init(.integer(2)), limit: .last(3))
        let places = [
            DatabaseLocation(TreePath()), DatabaseLocation(try TreePath("shared")),
            DatabaseLocation(try TreePath("shared/a/v")), DatabaseLocation(try TreePath("shared"), query),
            DatabaseLocation(try TreePath("shared"), try DatabaseQuery(.key, limit: .first(2))),
        ]
        // What each has written last where nobody else writes.
        var last: [String: Int] = [:]
        var mine: [String: UInt64] = [:]
        XCTAssertEqual(
            world.server.answerDatabase("PUT", "/tally.json?ns=w&auth=owner", body: Array("1000".utf8)).response.status,
            200)
        for client in world.clients {
            mine[client.name] = client.listen(try own(client))
            // The disk fails at times in every third run.
            if seed % 3 == 0 { client.keep.isFailing = { [unowned world] in world.isRough && world.chance(50) } }
        }
        var written: [String: Int64] = [:]
        for step in 1...60 {
            let client = world.clients[random.below(world.clients.count)]
            switch random.below(15) {
            case 0: _ = client.listen(places[random.below(places.count)])
            case 1:
                let others = client.listens.keys.filter { $0 != mine[client.name] }.sorted()
                if !others.isEmpty { client.stop(others[random.below(others.count)]) }
            case 2: client.setOnline(false)
            case 3: client.setOnline(true)
            case 4 where random.below(3) == 0:
                client.restart()
                mine[client.name] = client.listens.first { $0.value.path.text == "/own/\(client.name)" }?.key
            case 5, 6, 7:
                if try client.set("own/\(client.name)", "\(step)") { last[client.name] = step }
            case 8:
                let child = ["a", "b", "c", "d"][random.below(4)]
                _ = try client.set("shared/\(child)", #"{"v":\#(random.below(6)),"by":"\#(client.name)"}"#)
            case 9:
                let (one, other) = (["a", "b"][random.below(2)], ["c", "d"][random.below(2)])
                try client.update("shared", #"{"\#(one)/v":\#(random.below(6)),"\#(other)":null}"#)
            case 10 where random.below(2) == 0: try client.increment("count")
            case 10: _ = try client.set("shared/at", #"{".sv":"timestamp"}"#)
            case 11: try client.count("tally", by: [1, 2, -1][random.below(3)])
            case 12: client.read(places[random.below(3)], isShallow: random.below(2) == 0)
            case 13: client.read(places[random.below(places.count)], isShallow: false)
            default: try client.update("", #"{"shared/a/v":\#(step),"log/\#(client.name)/\#(step)":true}"#)
            }
            world.run(until: world.time + Int64(random.below(900)))
            for client in world.clients {
                guard let expected = last[client.name], let listen = mine[client.name] else { continue }
                // A new process knows only what was kept, and a disk that fails may have kept nothing.
                if client.life > 0, client.values[listen] == nil,
                    !client.known.contains(try own(client)) || seed % 3 == 0
                {
                    continue
                }
                XCTAssertEqual(
                    client.values[listen]?.node, TreeNode(.integer(Int64(expected))),
                    "seed \(seed), step \(step): \(client.name) does not see its own write")
                // Steps only go up: an older one behind a later one is a write that was sent too late.
                let answer = world.server.answerDatabase("GET", "\(try own(client).path.text).json?ns=w&auth=owner")
                guard case .integer(let there)? = try TreeReader.value(answer.response.body, time: 0).leaf
                else { continue }
                XCTAssertGreaterThanOrEqual(
                    there, written[client.name] ?? 0, "seed \(seed), step \(step): \(client.name) wrote out of order")
                written[client.name] = there
            }
        }
        world.isRough = false
        for client in world.clients { client.setOnline(true) }
        world.run(until: world.time + 600_000)
        try check(world, last, seed)
        world.server.close()
    }

    private func own(_ client: DatabaseWorldClient) throws -> DatabaseLocation {
        DatabaseLocation(try TreePath("own/\(client.name)"))
    }

    private func check(_ world: DatabaseWorld, _ last: [String: Int], _ seed: UInt64) throws {
        let answer = world.server.answerDatabase("GET", "/.json?ns=w&auth=owner").response.body
        let root = try TreeReader.value(answer, time: 0)
        var count: Int64 = 0
        if case .integer(let value)? = root[try TreePath("count")].leaf { count = value }
        let done = world.clients.reduce(0) { $0 + $1.increments }
        let most = world.clients.reduce(done) { $0 + $1.uncertain }
        XCTAssertTrue((done...most).contains(Int(count)), "seed \(seed): \(count) is not within \(done)...\(most)")
        var tally: Int64 = 0
        if case .integer(let value)? = root[try TreePath("tally")].leaf { tally = value }
        let counted = world.clients.reduce(1000) { $0 + $1.counted }
        let uncertain = world.clients.reduce(0) { $0 + $1.uncertainCounts }
        XCTAssertLessThanOrEqual(abs(tally - counted), uncertain, "seed \(seed): \(tally) was counted")
        for client in world.clients {
            XCTAssertEqual(client.keep.ordered, [], "seed \(seed): \(client.name) still keeps writes")
            XCTAssertTrue(client.machine.queue.pending.isEmpty, "seed \(seed): \(client.name) still shows writes")
            XCTAssertFalse(
                client.ended.values.contains { $0 != nil && $0 != .notKept }, "seed \(seed): a write was refused")
            if let expected = last[client.name] {
                XCTAssertEqual(
                    root[try own(client).path], TreeNode(.integer(Int64(expected))),
                    "seed \(seed): the writes of \(client.name) came in another order")
            }
            for (listen, location) in client.listens {
                let node = root[location.path]
                let value = try XCTUnwrap(client.values[listen], "seed \(seed): \(client.name) was told nothing")
                XCTAssertEqual(
                    value.node, location.query?.tree.window(of: node) ?? node,
                    "seed \(seed): \(client.name) at \(location.path.text)")
                XCTAssertTrue(value.isCurrent, "seed \(seed): \(client.name) at \(location.path.text)")
            }
            // All of it was told long enough ago to be kept.
            client.restart(isOnline: false)
            for (listen, location) in client.listens {
                let node = root[location.path]
                let value = try XCTUnwrap(client.values[listen], "seed \(seed): nothing is kept for \(client.name)")
                XCTAssertEqual(
                    value.node, location.query?.tree.window(of: node) ?? node,
                    "seed \(seed): \(client.name) is shown what was at \(location.path.text)")
                XCTAssertFalse(value.isCurrent)
            }
        }
    }
}
