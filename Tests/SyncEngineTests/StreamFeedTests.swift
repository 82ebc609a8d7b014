import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine
@testable import SyncStreams

/// Streams over what the engine syncs.
final class StreamFeedTests: EngineTestCase {
    private typealias Case = EngineTestCase

    private var shown: [String] { engine.shownStream(1)?.added.map(\.key) ?? [] }

    private func loads() -> [Status?] {
        host.events.compactMap { event -> Status?? in
            if case .collection(1, .stream(.loaded(let failure))) = event { .some(failure?.status) } else { nil }
        }
    }

    /// The channel could not be read when the stream was opened: with the next login it is (simulation, seed 9737).
    func testAStreamThatTheDiskFailedIsLoadedWithTheNextLogin() throws {
        start()
        cache.setStatementHook { _ throws(StoreError) in throw .full }
        var spec = StreamSpec(source: .external(.messages(channelURL: "c", MessageFilter(), viewpoint: .max)))
        spec.batchDelay = nil
        command(.openStream(id: 1, spec, function: nil))
        XCTAssertEqual(loads(), [.storage])
        cache.setStatementHook(nil)
        connect()
        let messages = [Case.message(1), Case.message(2)]
        serve(channels: [Case.channel("c", last: messages[1])], messages: ["c": messages])
        XCTAssertEqual(shown, ["1", "2"])
    }

    /// The stream had shown the cache when a login began its first rows again, and another list of the channel, which
    /// was never fetched, lets the hole be closed from the newer side.
    func testAStreamOpenedOfflineBeginsAgainBehindAHugeGap() throws {
        let old = [Case.message(1), Case.message(2)]
        let new = [Case.message(8), Case.message(9)]
        start()
        openMessages(2, "c")
        connect()
        serve(channels: [Case.channel("c", last: old[1])], messages: ["c": old])
        loseConnection()
        var spec = StreamSpec(source: .external(.messages(channelURL: "c", MessageFilter(), viewpoint: .max)))
        spec.batchDelay = nil
        command(.openStream(id: 1, spec, function: nil))
        XCTAssertEqual(shown, ["1", "2"])
        connect()
        answer(.messageChanges(MessageChanges(updated: [], deletedIDs: [], hasMore: false, next: "log"))) {
            if case .messageChanges = $0 { true } else { false }
        }
        // Of everything, and of what the stream looks at.
        for _ in 0..<2 { answer(.gap(.huge)) { if case .messageGap = $0 { true } else { false } } }
        answer(.messages(Case.page(new, reachedFirst: false))) {
            if case .messagesAround = $0 { true } else { false }
        }
        XCTAssertEqual(shown, ["8", "9"])
        answer(.messages(Case.page([old[1], Case.message(5), new[0]], reachedFirst: false, reachedNewest: false))) {
            if case .messages = $0 { true } else { false }
        }
        serve(channels: [Case.channel("c", last: new[1])], messages: ["c": old + [Case.message(5)] + new])
        XCTAssertEqual(shown, ["1", "2", "5", "8", "9"])
        XCTAssertEqual(loads(), [nil])
    }
}
