import SyncModel
import TestSupport

@testable import SyncEngine

/// A stream of the newest messages keeps up by itself: whatever was missed, and whoever else shows the channel.
extension Simulation {
    /// More than a page is missed in a channel of which somebody may show nothing yet, and somebody begins to show the
    /// cache meanwhile. With less the first page around the newest messages would fill what is missing.
    func missMuch() throws {
        guard let url = random.pick(knowledge.urls), streams.count < 7, service.messageIDs(url).count < 500
        else { return }
        openMessages(url)
        for _ in 0..<20 where !isConnected || !engine.isAtRest { try advance(500) }
        command(.post(.disconnect))
        openStreamOfMessages(url)
        let count: Int64 = 101 + random.below(120)
        note("\(count) messages in \(url) are missed")
        service.burst(url, "kit", count)
        plan(.connect, in: random.below(3_000))
    }

    /// Asked for newer messages, as `convergeStreams` does, one that was left behind would come to its end all the
    /// same: so this looks before anything is asked.
    func checkNewestRows() throws {
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) {
            // One that shows nothing came short of its first rows, and has them with the next login.
            guard case .messages(let url, let filter, isNewest: true) = stream.source, service.channel(url) != nil,
                let shown = engine.feed(of: id)?.map(\.id), !shown.isEmpty
            else { continue }
            let all = (service.history(url, filter) ?? []).compactMap { $0["message_id"]?.int }.map(String.init)
            // Older ones that were fetched drive the newest out of a full list.
            guard all.count < min(900, max(traits.capacity, filter.limit(.previous))), let newest = all.last,
                !shown.contains(newest)
            else { continue }
            throw Violation(description: "stream \(id) stays behind \(newest): \(shown) of \(all)")
        }
    }
}
