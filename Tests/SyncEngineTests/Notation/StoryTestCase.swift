import Foundation
import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Tests of machines, each case a line: what there was, what happened, what there is then. What happens is written as
/// words, one step after the other, with a semicolon between them. `HistorySketch` says how histories are written,
/// `Letters` how messages are, `ToldFact` how it is written that one is told of them.
class StoryTestCase: XCTestCase {
    private(set) var cache: CacheStore!
    private(set) var intents: IntentStore!
    private var directory = ""
    private var channels = 0

    override func setUpWithError() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("sm-story-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        intents = try IntentStore(directory: directory)
        cache = try CacheStore(directory: directory, now: 0)
    }

    override func tearDown() {
        intents.close()
        cache.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The URL of a channel of which nothing is cached yet: each case has one of its own.
    func newChannel() -> ChannelURL {
        channels += 1
        return "channel-\(channels)"
    }

    static func steps(_ story: String) -> [Substring] {
        story.split(separator: ";").map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Does what a story tells, up to a step that cannot be done.
    func run(
        _ story: String, from before: String, file: StaticString, line: UInt, _ perform: (Substring) throws -> Void
    ) {
        for step in StoryTestCase.steps(story) {
            do {
                try perform(step)
            } catch {
                let text = "\n  before    \(before)\n  then      \(story)\n  at        \(step)\n  \(error)"
                return XCTFail(text, file: file, line: line)
            }
        }
    }

    /// Compares what a story came to, told whole where it came to something else.
    func compare(
        _ story: String, from before: String, _ outcomes: [(name: String, found: String, expected: String?)],
        file: StaticString, line: UInt
    ) {
        let wrong = outcomes.filter { $0.expected != nil && $0.expected != $0.found }
        guard !wrong.isEmpty else { return }
        var text = "\n  before    \(before)\n  then      \(story)"
        for outcome in wrong {
            let name = outcome.name.padding(toLength: 8, withPad: " ", startingAt: 0)
            text += "\n  \(name)  \(outcome.found)\n  expected  \(outcome.expected ?? "")"
        }
        XCTFail(text, file: file, line: line)
    }
}
