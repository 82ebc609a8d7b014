import TestSupport

@testable import SyncEngine

/// What drafts there were, and when; and chances of their own, so that other acts stay what they were.
struct DraftKnowledge {
    /// The texts of each place, oldest first, with the time from which on the engine had them; `nil`: nothing.
    private(set) var history: [HistoryID: [(since: Int64, text: String?)]] = [:]
    var random: SeededGenerator
    var lastText = 0
    /// What the host is setting: a process that dies over it may have stored it, and did not live to show it.
    var beingSet: (place: HistoryID, text: String?)?

    init(seed: UInt64) { random = SeededGenerator(seed: seed &+ 2000) }

    /// The engine's drafts after an input.
    mutating func look(at drafts: [HistoryID: String], time: Int64) {
        for place in Set(history.keys).union(drafts.keys) where history[place]?.last?.text != drafts[place] {
            history[place, default: [(0, nil)]].append((time, drafts[place]))
        }
    }

    /// What a place may have after a process that ended: what it had at some moment from `since` on. `nil` among them:
    /// nothing.
    func possible(_ place: HistoryID, since: Int64) -> [String?] {
        let all = history[place] ?? [(0, nil)]
        let first = all.lastIndex { $0.since <= since } ?? 0
        let shown = all[first...].map(\.text)
        guard let beingSet, beingSet.place == place else { return shown }
        return shown + [beingSet.text]
    }
}
