import Foundation
import XCTest

/// Runs the simulation over many seeds (`SeedRun`): 1,000, or 10,000 with `SM_LONG`.
final class SimulationTests: XCTestCase {
    func testInvariantsHoldForManySeeds() {
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        SeedRun(
            name: "simulation", seeds: isLong ? 10_000 : 1_000, also: isLong ? [] : SimulationTests.found,
            steps: SeedRun.varied(most: 250)
        ) {
            try Simulation(seed: $0, isRecording: $1)
        }.all()
    }

    /// Stories that have found something, and are not among those above.
    private static let found = [
        (923, 250), (52, 150), (56, 150), (74, 180), (2622, 60), (2688, 115), (3684, 56), (6267, 31),
    ].map { SeedRun.Story(seed: UInt64($0.0), steps: $0.1) }

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
