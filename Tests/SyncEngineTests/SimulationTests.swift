import Foundation
import XCTest

/// Runs the simulation over 500 seeds, 5000 with `SM_LONG`. `SM_SEEDS=50` sets another number; `SM_SEED=17` replays one
/// with its whole history.
final class SimulationTests: XCTestCase {
    func testInvariantsHoldForManySeeds() throws {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["SM_SEED"].flatMap(UInt64.init) {
            try run(one, printing: true)
            return
        }
        let count = environment["SM_SEEDS"].flatMap(UInt64.init) ?? (environment["SM_LONG"] == nil ? 500 : 5000)
        var failed: [UInt64] = []
        for seed in 1...count {
            do { try run(seed, printing: false) } catch { failed.append(seed) }
            if failed.count >= 10 { break }
        }
        XCTAssert(failed.isEmpty, "seeds that fail: \(failed); replay one with SM_SEED=\(failed.first ?? 0)")
        print("simulation: \(count) seeds, \(failed.count) failed")
    }

    private func run(_ seed: UInt64, printing: Bool) throws {
        let simulation = try Simulation(seed: seed)
        do {
            try simulation.run(steps: 150)
        } catch {
            let lines = simulation.history.suffix(printing ? simulation.history.count : 12)
            print("seed \(seed), step \(simulation.steps): \(error)")
            for line in lines { print("  " + line) }
            throw error
        }
    }
}
