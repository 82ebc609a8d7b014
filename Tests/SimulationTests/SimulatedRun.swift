import SyncJSON
import SyncModel

@testable import SyncEngine

/// One run of a device with a simulated service: what must hold whatever the service is.
protocol SimulatedRun: AnyObject {
    var device: Device { get }
    /// What the engine told, seen before any queue.
    var told: Replay { get }
    /// What the host made of what it drained.
    var host: Host { get }
    var lastCall: UInt64 { get set }
    /// Calls that are not completed, by what they are.
    var openCalls: [CallID: String] { get set }
    /// The first thing that did not hold.
    var violation: Violation? { get set }
    /// An input of the host.
    func command(_ command: HostCommand)
    /// The host takes something out of its queue.
    func took(_ output: HostOutput)
}

extension SimulatedRun {
    func took(_ output: HostOutput) {}

    var engine: Engine { device.core.engine }

    func newCall(_ name: String) -> CallID {
        lastCall += 1
        let call = CallID.host(lastCall)
        openCalls[call] = name
        return call
    }

    /// The host takes what waits for it.
    func drain(_ most: Int = Int.max) {
        var left = most
        do {
            while left > 0, violation == nil, let taken = try host.take() {
                left -= 1
                took(taken.output)
                for post in taken.posts { command(.post(post)) }
            }
        } catch { violation = violation ?? error as? Violation }
    }

    /// After every input, cheap: as many rows here as there.
    func checkSizes() throws {
        for (url, view) in engine.shownMessages {
            let count = told.rows(view.id, .succeeded).count
            guard count == view.window.count else {
                throw Violation(description: "replay of \(view.id) in \(url): \(count) rows, not \(view.window.count)")
            }
        }
    }

    /// What a host shows that only applies changes is what the engine shows.
    func checkReplay(_ replay: Replay) throws {
        for (_, view) in engine.shownMessages {
            let told = replay.rows(view.id, .succeeded)
            let shown = view.filter.isReversed ? told.reversed() : told
            guard shown.map(\.id) == view.window.rows.map(\.id.text) else {
                throw Violation(
                    description: "replay of \(view.id): \(shown.map(\.id)) is not \(view.window.rows.map(\.id))")
            }
            for (here, there) in zip(shown, view.window.rows) where here.json != there.json {
                throw Violation(description: "replay of \(view.id): the content of \(here.id) differs")
            }
            let own = engine.shownOwnMessages(view.id)
            for (list, rows) in [(CollectionChange.List.pending, own.pending), (.failed, own.failed)] {
                let here = replay.rows(view.id, list)
                guard here.map(\.id) == rows.map(\.id.text), here.map(\.json) == rows.map(\.json) else {
                    throw Violation(
                        description: "replay of \(view.id), \(list): \(here.map(\.id)) is not \(rows.map(\.id))")
                }
            }
        }
        for view in engine.shownChannels {
            let shown = replay.rows(view.id, .channels)
            let rows = view.window.rows
            guard shown.map(\.id) == rows.map(\.id.text) else {
                throw Violation(description: "replay of \(view.id): \(shown.map(\.id)) is not \(rows.map(\.id))")
            }
            for (here, there) in zip(shown, rows) where here.json != there.json {
                throw Violation(description: "replay of \(view.id): the content of \(here.id) differs")
            }
        }
    }

    /// The same of results.
    func checkSearchReplay(_ replay: Replay) throws {
        for view in engine.searchWindows {
            let (told, rows) = (replay.rows(view.id, .results), Array(view.window.rows.reversed()))
            guard told.map(\.id) == rows.map(\.id.text), told.map(\.json) == rows.map(\.json) else {
                throw Violation(description: "replay of \(view.id): \(told.map(\.id)) is not \(rows.map(\.id))")
            }
        }
    }

    /// Each message once, in the service's order.
    func checkOrder(_ view: MessageWindow) throws {
        let rows = view.window.rows
        for (left, right) in zip(rows, rows.dropFirst()) where left.position >= right.position {
            throw Violation(description: "collection \(view.id): \(left.id) stands before \(right.id)")
        }
        guard Set(rows.map(\.id)).count == rows.count else {
            throw Violation(description: "collection \(view.id) shows a message twice: \(rows.map(\.id))")
        }
    }

    /// What the cache says that the messages of each channel take is what they take.
    func checkCounts() throws {
        let wrong = try device.miscounted()
        if !wrong.isEmpty { throw Violation(description: "counts are wrong: \(wrong)") }
    }

    /// The library's own snapshot of what was delivered is what the engine shows.
    func checkSnapshots() throws {
        for (_, view) in engine.shownMessages {
            let own = engine.shownOwnMessages(view.id)
            let wanted = [
                ("succeeded", (view.filter.isReversed ? view.window.rows.reversed() : view.window.rows).map(\.json)),
                ("pending", own.pending.map(\.json)),
                ("failed", own.failed.map(\.json)),
            ]
            for (list, rows) in wanted { try checkSnapshot(view.id, list, rows) }
        }
        for view in engine.shownChannels { try checkSnapshot(view.id, "channels", view.window.rows.map(\.json)) }
        for view in engine.searchWindows {
            try checkSnapshot(view.id, "results", view.window.rows.reversed().map(\.json))
        }
    }

    func checkSnapshot(_ id: CollectionID, _ list: String, _ rows: [[UInt8]]) throws {
        let shown = try JSON.parse(host.snapshot(id) ?? [])[list]?.array ?? []
        guard shown.count == rows.count else {
            throw Violation(description: "the snapshot of \(id) has \(shown.count) in \(list), not \(rows.count)")
        }
        for (there, row) in zip(shown, rows) where try there != JSON.parse(row) {
            let row = String(decoding: row, as: UTF8.self)
            throw Violation(description: "the snapshot of \(id) has \(there.text) in \(list), not \(row)")
        }
    }
}
