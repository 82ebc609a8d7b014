import SyncModel
import TestSupport

@testable import SyncEngine

/// What the host asks beyond channels, and what the service does later because of it.
extension Simulation {
    func callAccountAction(in url: String) {
        lastText += 1
        switch random.below(8) {
        case 0..<4:
            // Sent by the service's clock, whoever is connected then.
            let time = SimulatedService.start + self.time + service.jumped + 1 + random.below(30_000)
            call(.scheduled(.scheduleMessage), url, [
                "scheduled_at": .integer(time), "message": .text("scheduled \(seed) \(lastText)"),
            ])
        case 4: call(.scheduled(.listScheduledMessages), nil)
        case 5: call(.user(.updateProfile), nil, ["nickname": .text("Mei \(lastText)")])
        case 6: call(.user(.registerPushToken), nil, ["type": .text("gcm"), "token": .text("token \(lastText % 3)")])
        default: call(.library(.serviceInfo), nil)
        }
    }
}
