import Foundation
import XCTest

/// Runs the simulation over many seeds: 1,000, or 5,000 with `SM_LONG`. `SM_SEEDS=50` sets another number, `SM_FIRST`
/// where they begin, `SM_FAILURES=1` after how many failures to stop; `SM_SEED=17` replays one with its whole history.
final class SimulationTests: XCTestCase {
    /// Shared by the threads that run seeds.
    private final class Progress: @unchecked Sendable {
        private let lock = NSLock()
        private var next: UInt64
        private let last: UInt64
        private let failureLimit: Int
        private var failures: [(seed: UInt64, text: String)] = []
        private var done = 0
        /// How many seeds had run when the first one failed.
        private(set) var firstFailure: Int?

        init(first: UInt64, count: UInt64, failureLimit: Int) {
            next = first
            last = first + count - 1
            self.failureLimit = failureLimit
        }

        func take() -> UInt64? {
            lock.withLock {
                guard next <= last, failures.count < failureLimit else { return nil }
                defer { next += 1 }
                return next
            }
        }

        private(set) var seen: Set<String> = []

        func finish(_ seed: UInt64, _ failure: String?, _ seen: Set<String>) {
            lock.withLock {
                done += 1
                self.seen.formUnion(seen)
                guard let failure else { return }
                failures.append((seed, failure))
                firstFailure = firstFailure ?? done
            }
        }

        var all: [(seed: UInt64, text: String)] { lock.withLock { failures.sorted { $0.seed < $1.seed } } }
    }

    func testInvariantsHoldForManySeeds() throws {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["SM_SEED"].flatMap(UInt64.init) {
            if let failure = Self.run(one, isRecording: true).failure { XCTFail(failure) }
            return
        }
        let count = environment["SM_SEEDS"].flatMap(UInt64.init) ?? (environment["SM_LONG"] == nil ? 1_000 : 5_000)
        let progress = Progress(
            first: environment["SM_FIRST"].flatMap(UInt64.init) ?? 1, count: count,
            failureLimit: environment["SM_FAILURES"].flatMap(Int.init) ?? 10)
        let start = Date()
        DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
            while let seed = progress.take() {
                let run = Self.run(seed, isRecording: false)
                progress.finish(seed, run.failure, run.seen)
            }
        }
        let failed = progress.all
        for failure in failed { print("seed \(failure.seed): \(failure.text)") }
        // The first one once more, with its history.
        if let first = failed.first { _ = Self.run(first.seed, isRecording: true, lines: 60) }
        let seconds = String(format: "%.1f", Date().timeIntervalSince(start))
        let after = progress.firstFailure.map { ", first failure after \($0) seeds" } ?? ""
        print("simulation: \(count) seeds, \(failed.count) failed, \(seconds) s" + after)
        if failed.isEmpty, count >= 100 { print(progress.seen.sorted()) }
        XCTAssert(
            failed.isEmpty, "seeds that fail: \(failed.map(\.seed)); replay one with SM_SEED=\(failed.first?.seed ?? 0)"
        )
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

    private static func run(
        _ seed: UInt64, isRecording: Bool, lines: Int = Int.max
    ) -> (failure: String?, seen: Set<String>) {
        do {
            let simulation = try Simulation(seed: seed, isRecording: isRecording)
            defer { simulation.remove() }
            do {
                try simulation.run(steps: 250)
                return (nil, simulation.seen)
            } catch {
                if isRecording { simulation.printHistory(lines, error) }
                return ("step \(simulation.steps): \(error)", simulation.seen)
            }
        } catch {
            return ("it could not begin: \(error)", [])
        }
    }
}
