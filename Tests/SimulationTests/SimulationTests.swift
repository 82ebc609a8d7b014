import Foundation
import XCTest

/// Runs the simulation over many seeds (`SeedRun`): 500, or 5,000 with `SM_LONG`.
final class SimulationTests: XCTestCase {
    func testInvariantsHoldForManySeeds() {
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        SeedRun(name: "simulation", seeds: isLong ? 5_000 : 500, also: isLong ? [] : [923], steps: 250) {
            try Simulation(seed: $0, isRecording: $1)
        }.all()
    }

    /// A seed that fails can be replayed: the same seed gives the same history, line by line.
    func testOneSeedIsOneRun() throws {
        for seed in UInt64(1)...3 {
            let histories = try (0..<2).map { _ -> [String] in
                let simulation = try Simulation(seed: seed, isRecording: true)
                defer { simulation.remove() }
                try simulation.run(steps: 100)
                return simulation.history
            }
            XCTAssertGreaterThan(histories[0].count, 200, "seed \(seed)")
            for (line, pair) in zip(histories[0], histories[1]).enumerated() where pair.0 != pair.1 {
                return XCTFail("seed \(seed), line \(line): \(pair.0) and \(pair.1)")
            }
            XCTAssertEqual(histories[0].count, histories[1].count, "seed \(seed)")
        }
    }
}
