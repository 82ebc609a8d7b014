import SyncModel
import SyncSendbird
import TestSupport

@testable import SyncEngine
@testable import SyncStore

/// Chances of its own, so that other acts stay what they were.
struct SearchKnowledge {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed &* 37 &+ 19) }
}

/// The host searches what is cached.
extension Simulation {
    func searchAct() {
        guard hasIndex, searches.random.chance(30) else { return }
        let views = engine.searchWindows
        let view = searches.random.pick(views)
        switch searches.random.below(20) {
        case 0..<5: if views.count < 3 { openSearch() }
        case 5..<17: if let view { fetch(view.id, .next) }
        case 17..<19: if let view { close(view.id) }
        case 19 where traits.hasStoreFaults && searches.random.chance(30):
            // Of the index alone, which is made again.
            note("the index is damaged")
            seen.insert("damaged index")
            try? device.cache.connection.execute("DELETE FROM search_found_data WHERE id > 10")
        default:
            guard let view else { return }
            let arguments: [String: ActionCall.Value] = [
                "collection": .integer(Int64(view.id.number)), "limit": .integer(1 + searches.random.below(9)),
            ]
            command(.call(newCall("set_limit"), .action(ActionCall(action: .library(.setLimit), arguments: arguments))))
        }
    }

    private var hasIndex: Bool { traits.options(token: "", process: processNumber).searches }

    private func openSearch() {
        let words = [
            "mine", "bur", "burst", "better", "changed", "m", "b", "\"mine \(seed)\"", "mine \(seed) 1", "1", "!",
        ]
        var query = SearchQuery(searches.random.pick(words) ?? "mine")
        query.isPrefix = searches.random.chance(70)
        query.limit = 1 + Int(searches.random.below(10))
        if searches.random.chance(30) { query.order = .relevance }
        if searches.random.chance(25) {
            query.channelURLs = knowledge.urls.filter { _ in searches.random.chance(50) }.map { ChannelURL($0) }
        }
        if searches.random.chance(25) { query.filter.senderIDs = ["bo", UserID(SimulatedService.me)] }
        if searches.random.chance(15) {
            query.times = Int64.min...(SimulatedService.start + time - searches.random.below(200_000))
        }
        lastCollection += 1
        let id = CollectionID.host(lastCollection)
        told.open(id)
        host.open(search: CollectionInfo(list: id, limit: query.limit))
        command(.post(.openSearchCollection(id: id, query: query)))
        if searches.random.chance(70) { fetch(id, .next) }
    }

    /// At rest a search shows the best of what looking at every cached message finds.
    func checkSearches() throws {
        for view in engine.searchWindows {
            let expected = try device.scanned(view.scope).sorted { $1.place < $0.place }
            let shown = Array(view.window.rows.reversed())
            let there = expected.prefix(shown.count).map { SearchResult($0) }
            guard shown.map(\.place) == there.map(\.place), shown.map(\.json) == there.map(\.json) else {
                throw Violation(
                    description: "search \(view.id) for \(view.scope.query.text) shows \(shown.map(\.id)), and there "
                        + "are \(expected.map(\.place.id))")
            }
            if !view.hasNext, shown.count < expected.count {
                throw Violation(
                    description: "search \(view.id) for \(view.scope.query.text) says that \(shown.map(\.id)) is all "
                        + "of \(expected.map(\.place.id))")
            }
            if !shown.isEmpty { seen.insert("search \(view.scope.query.order)") }
        }
    }

    func convergeSearches() throws {
        try checkSearches()
        if seen.contains("damaged index") {
            // Whoever looks at the index first is told of the damage; then it is made again.
            for view in engine.searchWindows where hasIndex { fetch(view.id, .next) }
            try settle()
        }
        for view in engine.searchWindows where hasIndex {
            // Some find a thousand messages, ten at a time or one by one, which took half of the time of such a seed.
            try fetchToTheEnd(view.id, .next, pages: 30)
            try settle()
        }
        try checkSearches()
    }
}

extension Device {
    /// What is found among the cached messages by looking at each of them; of one that is in a thread, too, the
    /// channel's.
    fileprivate func scanned(_ scope: SearchScope) throws -> [FoundMessage] {
        let row = try cache.connection.prepare("SELECT channel, id FROM message ORDER BY channel < 0, key")
        var places: [(channel: Int64, id: MessageID)] = []
        while try row.next() { places.append((row.int(0), MessageID(row.text(1)))) }
        row.reset()
        var known = Set<ResultID>()
        var found: [FoundMessage] = []
        let rules = SendbirdRules()
        for place in places {
            guard let channel = try cache.counts.channel(ofKey: place.channel),
                let url = try cache.room.channelURL(ofKey: channel),
                known.insert(ResultID(url, place.id)).inserted,
                let message = try cache.message(id: place.id, channel: place.channel)
            else { continue }
            let searched = message.json.withUnsafeBytes { rules.searched($0) }
            if let result = scope.result(message, in: url, searched) { found.append(result) }
        }
        return found
    }
}
