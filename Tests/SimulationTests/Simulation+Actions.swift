import SyncJSON
import SyncModel
import TestSupport

@testable import SyncEngine

/// The host asks for actions on channels; collections have to follow as if others had done it.
extension Simulation {
    func callAction() {
        guard let url = random.pick(knowledge.urls) else { return }
        if random.chance(15) { return callPollAction() }
        if random.chance(8) { return callAccountAction(in: url) }
        switch random.below(22) {
        case 0..<3: call(.channel(.freezeChannel), url)
        case 3..<6: call(.channel(.unfreezeChannel), url)
        case 6..<8:
            call(.channel(.hideChannel), url, [
                "hide_previous_messages": .flag(random.chance(40)), "allow_auto_unhide": .flag(random.chance(70)),
            ])
        case 8: call(.channel(.unhideChannel), url)
        case 9..<12: call(.channel(.updateChannel), url, ["name": .text("Called \(random.below(100))")])
        case 12..<14:
            let metadata = JSON.object(["key": .string("value \(random.below(9))")]).serialized()
            call(.property(.updateMetadata), url, ["metadata": .object(metadata), "upsert": .flag(true)])
        case 14: call(.property(.deleteMetadata), url, [:])
        // It comes back by an invitation; public channels tell who is out of them nothing.
        case 15: if service.channel(url) != nil { call(.member(.leave), url) }
        case 16: call(.member(.invite), url, ["user_ids": .texts(["kit"])])
        case 17: call(.channel(.getChannel), url)
        case 18:
            // No event tells of it: when the answer is lost, nothing does before the next login.
            knowledge.historyResetAt = time
            call(.channel(.resetHistory), url)
        case 19:
            guard random.chance(50) else { return call(.library(.statistics), nil) }
            resent(engine.ownMessages.filter { $0.status == .failed }.map(\.requestID.text))
            call(.library(.resendFailedMessages), nil)
        case 20:
            call(.library(.removeFailedMessages), random.chance(50) ? url : nil)
            knowledge.settle(allBut: Set(engine.ownMessages.map(\.requestID.text)))
        default:
            let waiting = openCalls.filter { Simulation.cancelable.contains($0.value) }.keys.sorted()
            guard let other = random.pick(waiting) else { return call(.library(.statistics), nil) }
            cancel(other)
        }
    }

    func cancel(_ other: CallID) { call(.library(.cancel), nil, ["request": .integer(Int64(clamping: other.number))]) }

    /// Calls that may wait for the service.
    private static let cancelable: Set<String> = [
        "call", "connect", "fetch", "fetch_all_next", "send_message", "start", "stream_call",
    ]

    func call(_ action: Action, _ url: String?, _ arguments: [String: ActionCall.Value] = [:]) {
        var arguments = arguments
        if let url { arguments["channel_url"] = .text(url) }
        let timeout: Int64? = random.chance(20) ? 1 + random.below(3_000) : nil
        command(.call(newCall("call"), .action(ActionCall(action: action, arguments: arguments, timeout: timeout))))
    }
}
