import CSQLite
import Foundation
import TestSupport
import XCTest

/// Runs a simulation over many seeds, in as many threads as there are processors. `SM_SEEDS=50` sets another number,
/// `SM_FIRST` where they begin, `SM_FAILURES=1` after how many failures to stop; `SM_SEED=17` replays one with its
/// whole history. `SM_STEPS=150` ends the stories of all seeds after as many steps.
struct SeedRun {
    /// As the figures call it.
    let name: String
    let seeds: UInt64
    /// Stories behind those that have found something.
    var also: [Story] = []
    /// How many steps a seed's story has.
    let steps: @Sendable (UInt64) -> Int
    let make: @Sendable (UInt64, Bool) throws -> any SeededSimulation

    struct Story {
        let seed: UInt64
        let steps: Int
    }

    /// Stories end in different places: what is left over when faults stop is a good part of what is found, and a
    /// short story takes little time. One in five has `most` steps, the others at most three fifths of it.
    static func varied(most: Int) -> @Sendable (UInt64) -> Int {
        { seed in
            var random = SeededGenerator(seed: seed &* 71 &+ 13)
            return random.chance(20) ? most : 10 + Int(random.below(Int64(most * 3 / 5)))
        }
    }

    /// Shared by the threads that run seeds.
    private final class Progress: @unchecked Sendable {
        private let lock = NSLock()
        private var left: [Story]
        private let failureLimit: Int
        private var failures: [(story: Story, text: String)] = []
        private var done = 0
        /// How many seeds had run when the first one failed.
        private(set) var firstFailure: Int?

        init(_ stories: [Story], failureLimit: Int) {
            left = stories.reversed()
            self.failureLimit = failureLimit
        }

        func take() -> Story? {
            lock.withLock {
                failures.count < failureLimit ? left.popLast() : nil
            }
        }

        private(set) var seen: Set<String> = []

        func finish(_ story: Story, _ failure: String?, _ seen: Set<String>) {
            lock.withLock {
                done += 1
                self.seen.formUnion(seen)
                guard let failure else { return }
                failures.append((story, failure))
                firstFailure = firstFailure ?? done
            }
        }

        var all: [(story: Story, text: String)] { lock.withLock { failures.sorted { $0.story.seed < $1.story.seed } } }
    }

    func all() {
        let environment = ProcessInfo.processInfo.environment
        let askedSteps = environment["SM_STEPS"].flatMap(Int.init)
        func story(_ seed: UInt64) -> Story { Story(seed: seed, steps: askedSteps ?? steps(seed)) }
        if let one = environment["SM_SEED"].flatMap(UInt64.init) {
            if let failure = run(story(one), isRecording: true).failure { XCTFail(failure) }
            return
        }
        let first = environment["SM_FIRST"].flatMap(UInt64.init) ?? 1
        let asked = environment["SM_SEEDS"].flatMap(UInt64.init)
        // Seeds that run at once would wait for each other. Refused behind another test of this process: then they do.
        _ = shim_sqlite_count_no_memory()
        let all = (first..<first + (asked ?? seeds)).map(story) + (asked == nil ? also : [])
        let count = all.count
        let progress = Progress(all, failureLimit: environment["SM_FAILURES"].flatMap(Int.init) ?? 10)
        let start = Date()
        DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
            while let story = progress.take() {
                let run = run(story, isRecording: false)
                progress.finish(story, run.failure, run.seen)
            }
        }
        let failed = progress.all
        for failure in failed { print("seed \(failure.story.seed): \(failure.text)") }
        // The first one once more, with its history.
        if let first = failed.first { _ = run(first.story, isRecording: true, lines: 60) }
        let seconds = String(format: "%.1f", Date().timeIntervalSince(start))
        let after = progress.firstFailure.map { ", first failure after \($0) seeds" } ?? ""
        print("\(name): \(count) seeds, \(failed.count) failed, \(seconds) s" + after)
        if failed.isEmpty, count >= 100 { print(progress.seen.sorted()) }
        let replay = failed.first.map { "SM_SEED=\($0.story.seed) SM_STEPS=\($0.story.steps)" } ?? ""
        XCTAssert(failed.isEmpty, "seeds that fail: \(failed.map(\.story.seed)); replay one with \(replay)")
    }

    private func run(
        _ story: Story, isRecording: Bool, lines: Int = Int.max
    ) -> (failure: String?, seen: Set<String>) {
        do {
            let simulation = try make(story.seed, isRecording)
            defer { simulation.remove() }
            do {
                try simulation.run(steps: story.steps)
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

/// What `SeedRun` runs.
protocol SeededSimulation: AnyObject {
    var seen: Set<String> { get }
    var steps: Int { get }
    func run(steps count: Int) throws
    func printHistory(_ lines: Int, _ error: any Error)
    func remove()
}

/// Where a run has its files: in memory, if there is such a place.
enum SimulationFolder {
    static func make(_ name: String, _ seed: UInt64) throws -> URL {
        let base = URL(
            fileURLWithPath: FileManager.default.isWritableFile(atPath: "/dev/shm")
                ? "/dev/shm" : NSTemporaryDirectory())
        let process = ProcessInfo.processInfo.processIdentifier
        let directory = base.appendingPathComponent("sm-\(name)-\(process)-\(seed)")
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}
