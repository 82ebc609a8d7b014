import SyncJSON
import SyncModel
import SyncStore
import TestSupport

@testable import SyncEngine

/// The user types, in channels and threads that may be there or not.
extension Simulation {
    func draftAct() {
        guard drafts.random.chance(15), let url = drafts.random.pick(knowledge.urls) else { return }
        let parentID = drafts.random.chance(25) ? "\(1 + drafts.random.below(3))" : ""
        guard drafts.random.chance(80) else { return setDraft(nil, url, parentID) }
        for _ in 0...drafts.random.below(3) {
            drafts.lastText += 1
            setDraft("draft \(seed) \(drafts.lastText)", url, parentID)
        }
    }

    func setDraft(_ text: String?, _ url: String, _ parentID: String) {
        var arguments: [String: ActionCall.Value] = ["channel_url": .text(url)]
        if let text { arguments["message"] = .text(text) }
        if !parentID.isEmpty { arguments["parent_message_id"] = .text(parentID) }
        let (call, process) = (newCall("set_draft"), processNumber)
        let place = HistoryID(ChannelURL(url), parentID: MessageID(parentID))
        drafts.beingSet = (place, text)
        command(.call(call, .action(ActionCall(action: .library(.setDraft), arguments: arguments))))
        drafts.beingSet = nil
        guard process == processNumber else { return }
        if results[call]?.status != .ok || draftTexts[place] != text {
            violation = violation ?? Violation(
                description: "the draft of \(place) is \(draftTexts[place] ?? "-"), not \(text ?? "-")")
        }
    }

    /// Before a message is sent: sometimes it was the draft.
    func mayDraft(_ text: String, _ view: (channelURL: String, window: MessageWindow)) {
        if drafts.random.chance(30) { setDraft(text, view.channelURL, view.window.filter.parentID.text) }
    }

    var draftTexts: [HistoryID: String] {
        var texts: [HistoryID: String] = [:]
        for (place, json) in engine.drafts { texts[place] = (try? JSON.parse(json))?["message"]?.string }
        return texts
    }

    // MARK: What must hold

    /// After the start of a process: the disk had what was shown a second before the end of the last one, or later. One
    /// that died between two statements, or whose stores failed, may have less.
    func checkDraftsKept(isKilledBetweenInputs: Bool) {
        let texts = draftTexts
        let since = isKilledBetweenInputs && !traits.hasStoreFaults ? time - 1000 : 0
        for place in Set(drafts.history.keys).union(texts.keys) {
            let possible = drafts.possible(place, since: since)
            guard !possible.contains(texts[place]), since > 0 || texts[place] != nil else { continue }
            violation = violation ?? Violation(
                description: "the draft of \(place) is \(texts[place] ?? "-") after a restart, not one of \(possible)")
        }
        drafts.look(at: texts, time: time)
        checkDraftsNotSent()
    }

    /// A message that was written down is no draft any more.
    func checkDraftsNotSent() {
        let own = Set(engine.ownMessages.compactMap { (try? JSON.parse($0.body))?["message"]?.string })
        for (place, text) in draftTexts where own.contains(text) && text.hasPrefix("mine") {
            violation = violation ?? Violation(description: "\(text) is a draft of \(place), and a message")
        }
    }

    /// Lists show the drafts there are.
    func checkDraftsShown() throws {
        let texts = draftTexts
        for row in engine.shownChannels.flatMap(\.window.rows) {
            let shown = try JSON.parse(row.json)
            let threads = Set((shown["thread_drafts"]?.array ?? []).compactMap { $0["message"]?.string })
            let held = Set(texts.filter { $0.key.channelURL == row.id && $0.key.isThread }.values)
            guard shown["draft"]?["message"]?.string == texts[HistoryID(row.id)], threads == held else {
                throw Violation(description: "\(row.id) shows \(shown["draft"]?.text ?? "-"), \(threads), not \(texts)")
            }
        }
    }
}
