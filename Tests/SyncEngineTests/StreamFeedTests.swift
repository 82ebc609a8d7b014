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
}
