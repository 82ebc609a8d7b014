import SyncModel
import TestSupport

@testable import SyncEngine

/// What the host has been asked to choose from, and chances of its own, so that other acts stay what they were.
struct EvictionKnowledge {
    var random: SeededGenerator
    var asked: CacheFull?

    init(seed: UInt64) { random = SeededGenerator(seed: seed &* 29 &+ 17) }
}

/// The cache is over its bound, and the host may say which channels lose messages first.
extension Simulation {
    /// At once, too late or never; some that are named are open, not known, or named twice.
    func evictAct() {
        guard let asked = evictions.asked, evictions.random.chance(30) else { return }
        evictions.asked = nil
        guard evictions.random.chance(75) else { return }
        var urls = asked.candidates.map(\.channelURL.text).filter { _ in evictions.random.chance(60) }
        if evictions.random.chance(30), let first = urls.first { urls.append(first) }
        if evictions.random.chance(30) { urls.append("nowhere") }
        if evictions.random.chance(50) { urls.reverse() }
        if evictions.random.chance(30), let open = engine.shownMessages.first { urls.append(open.channelURL) }
        let (call, process) = (newCall("evict"), processNumber)
        command(.call(call, .action(ActionCall(action: .library(.evict), arguments: ["channel_urls": .texts(urls)]))))
        guard process == processNumber, let status = results[call]?.status else { return }
        if ![.ok, .notFound].contains(status), !(traits.hasStoreFaults && status == .storage) {
            violation = violation ?? Violation(description: "evict ended with \(status)")
        }
    }

    /// The engine asks.
    func takeIn(_ full: CacheFull) {
        evictions.asked = full
        let open = Set(engine.shownMessages.map(\.channelURL))
        if traits.evictionOrder != .host { violation = violation ?? Violation(description: "nobody wants to be asked") }
        if full.bytes <= 0 || full.candidates.isEmpty {
            violation = violation ?? Violation(description: "\(full.bytes) bytes of nothing are to go")
        }
        if let shown = full.candidates.first(where: { open.contains($0.channelURL.text) }) {
            violation = violation ?? Violation(description: "\(shown.channelURL) is shown, and may be evicted")
        }
    }
}
