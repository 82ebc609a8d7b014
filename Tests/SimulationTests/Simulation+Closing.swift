import SyncJSON
import SyncModel
import SyncTree
import TestSupport

@testable import SyncEngine

/// The client closes while commands wait, and another process begins.
extension Simulation {
    /// What is known of a waiting command once its call has ended; without a result the process died over it.
    private typealias End = (call: CallID, note: (Completion?) -> Void)

    func closeWhileMuchWaits() {
        note("the client closes")
        var waiting: [HostCommand] = []
        var ends: [End] = []
        for _ in 0..<random.below(8) {
            switch random.below(traits.hasDatabase ? 4 : 2) {
            case 0: if let view = random.pick(engine.shownMessages) { waitToSend(view, &waiting, &ends) }
            case 1:
                guard let view = random.pick(engine.shownMessages) else { break }
                waiting.append(
                    .call(newCall("waiting fetch"), .fetch(collection: view.window.id, direction: .previous)))
            case 2: waitToWrite(&waiting, &ends)
            default: waitToCount(&waiting, &ends)
            }
        }
        close(waiting)
        let isDead = device.faults.isDead
        for end in ends { end.note(isDead ? nil : results[end.call]) }
        if !isDead, !openCalls.isEmpty {
            violation = violation ?? Violation(description: "after closing calls are open: \(openCalls)")
        }
        begin()
    }

    private func waitToSend(
        _ view: (channelURL: String, window: MessageWindow), _ waiting: inout [HostCommand], _ ends: inout [End]
    ) {
        lastText += 1
        let requestID = "r\(seed)-\(lastText)"
        let text = "mine \(seed) \(lastText)"
        let message = JSON.object(["message": .string(text)])
        if let parent = Int64(view.window.filter.parentID) { message.set("parent_message_id", .int(parent)) }
        let call = newCall("waiting send_message")
        knowledge.write(requestID, text, view.channelURL)
        knowledge.sent(requestID, call: call)
        waiting.append(.call(
            call, .own(.send(requestID: RequestID(requestID), body: message.serialized()), in: view.window.id)))
        ends.append((call, { [self] completion in
            if completion?.status == .closed { knowledge.accepted(requestID) }
        }))
    }

    private func waitToWrite(_ waiting: inout [HostCommand], _ ends: inout [End]) {
        let number = database.begin()
        let isDoneWhenKept = random.chance(50)
        let json = Array(#"{"own/last":\#(number),"log/\#(number)":true}"#.utf8)
        let call = newCall("waiting write")
        waiting.append(.call(
            call,
            .database(DatabaseRequest(.databaseUpdate, .update(TreePath(), json), isDoneWhenKept: isDoneWhenKept))))
        ends.append((call, { [self] completion in
            database.ended(number, outcome(completion, isDoneWhenKept), isLogged: true)
        }))
    }

    private func waitToCount(_ waiting: inout [HostCommand], _ ends: inout [End]) {
        let isDoneWhenKept = random.chance(50)
        let call = newCall("waiting count")
        let tally = DatabaseKnowledge.tally
        waiting.append(.call(
            call, .database(DatabaseRequest(.databaseCount, .count(tally, by: 1), isDoneWhenKept: isDoneWhenKept))))
        ends.append((call, { [self] completion in
            switch outcome(completion, isDoneWhenKept) {
            case .kept: database.counted += 1
            case .notKept: break
            case .unknown: database.uncertain += DatabaseKnowledge.most
            }
        }))
    }

    /// A write is stored, and says so, or none is.
    private func outcome(_ completion: Completion?, _ isDoneWhenKept: Bool) -> DatabaseKnowledge.Outcome {
        switch completion?.status {
        case nil: return .unknown
        case .ok where isDoneWhenKept, .closed where !isDoneWhenKept: return .kept
        case .storage: return .notKept
        case .some(let status):
            violation = violation ?? Violation(description: "a write that waited at closing ended with \(status)")
            return .unknown
        }
    }
}
