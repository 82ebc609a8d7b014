import Foundation
import XCTest

/// Runs the simulation of a service whose changes are in its stream (`SeedRun`): 200 seeds, or 2,000 with `SM_LONG`.
final class SequenceSimulationTests: XCTestCase {
    func testSequenceInvariantsHold() {
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        SeedRun(name: "sequence simulation", seeds: isLong ? 2_000 : 200, steps: 150) {
            try SequenceSimulation(seed: $0, isRecording: $1)
        }.all()
    }
}
