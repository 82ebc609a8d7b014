import Foundation
import XCTest

/// Runs the simulation of a service whose changes are in its stream (`SeedRun`): 500 seeds, or 2,000 with `SM_LONG`.
final class SequenceSimulationTests: XCTestCase {
    func testSequenceInvariantsHold() {
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        let run = SeedRun(
            name: "sequence simulation", seeds: isLong ? 2_000 : 500, also: isLong ? [] : [616, 692, 985], steps: 150
        ) { try SequenceSimulation(seed: $0, isRecording: $1) }
        run.all()
    }
}
