import Foundation
import XCTest

/// Runs the simulation of a service whose changes are in its stream (`SeedRun`): 500 seeds, or 10,000 with `SM_LONG`.
final class SequenceSimulationTests: XCTestCase {
    func testSequenceInvariantsHold() {
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        let run = SeedRun(
            name: "sequence simulation", seeds: isLong ? 10_000 : 500,
            also: isLong ? [] : SequenceSimulationTests.found, steps: SeedRun.varied(most: 150)
        ) { try SequenceSimulation(seed: $0, isRecording: $1) }
        run.all()
    }

    /// Stories that have found something, and are not among those above.
    private static let found = [616, 692, 985].map { SeedRun.Story(seed: $0, steps: 150) }
}
