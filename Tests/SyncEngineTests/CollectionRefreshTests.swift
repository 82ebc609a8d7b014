import SyncModel
import XCTest

@testable import SyncEngine

/// A cached channel is asked for once in a session when a message collection is open on it.
final class CollectionRefreshTests: EngineTestCase {
    private func refreshes(_ url: ChannelURL = "c") -> Int { asked { $0 == .getChannel(url: url) }.count }

    /// Why collections were told that their channel changed.
    private var told: [EventSource] {
        host.events.compactMap { event in
            if case .collection(_, .channelUpdated(_, let cause)) = event { cause.source } else { nil }
        }
    }

    private func begin() {
        start()
        connect()
        serve(channels: [EngineTestCase.channel("c"), EngineTestCase.channel("d")])
        openMessages(1, "c")
    }

    func testItIsAskedForOnceHoweverManyCollectionsOpen() {
        begin()
        openMessages(2, "c")
        XCTAssertEqual(refreshes(), 1)
        XCTAssertEqual(refreshes("d"), 0)
        answer(.channel(EngineTestCase.channel("c"))) { $0 == .getChannel(url: "c") }
        // It is as it was: nobody is told.
        XCTAssertEqual(told, [])
        openMessages(3, "c")
        XCTAssertEqual(refreshes(), 0)
    }

    func testAReconnectAsksAgainBehindTheChangeLog() {
        begin()
        serve(channels: [EngineTestCase.channel("c")])
        loseConnection()
        forgetEvents()
        connect()
        XCTAssertEqual(refreshes(), 0)
        answer(.channelChanges(ChannelChanges(updated: [], deletedURLs: [], hasMore: false, next: "n"))) {
            if case .channelChanges = $0 { true } else { false }
        }
        XCTAssertEqual(refreshes(), 1)
        answer(.channel(EngineTestCase.channel("c", last: EngineTestCase.message(9)))) {
            $0 == .getChannel(url: "c")
        }
        XCTAssertEqual(told, [.channelRefresh])
    }

    /// While the host has sync paused an opened channel is not asked for, known or not: its answer would fill lists.
    func testAPauseOfSyncPutsItOff() {
        begin()
        serve(channels: [EngineTestCase.channel("c"), EngineTestCase.channel("d")])
        command(.post(.pauseSync))
        forgetEvents()
        for (id, url) in (["d", "new", "new"] as [ChannelURL]).enumerated() { openMessages(.host(UInt64(id + 2)), url) }
        XCTAssertEqual([refreshes("d"), refreshes("new")], [0, 0])
        command(.post(.resumeSync))
        XCTAssertEqual([refreshes("d"), refreshes("new")], [1, 1])
        // One that is not cached is asked for each time that it is opened.
        answer(EngineTestCase.failure(.notFound, 400_201)) { $0 == .getChannel(url: "new") }
        command(.post(.pauseSync))
        openMessages(9, "new")
        command(.post(.resumeSync))
        XCTAssertEqual([refreshes("d"), refreshes("new")], [1, 1])
    }

    /// What the log brings is as the service has it: asking for it again would double every reconnect.
    func testAChannelOfTheChangeLogIsNotAskedForBesides() {
        begin()
        serve(channels: [EngineTestCase.channel("c")])
        loseConnection()
        forgetEvents()
        connect()
        let changed = [EngineTestCase.channel("c", last: EngineTestCase.message(9))]
        answer(.channelChanges(ChannelChanges(updated: changed, deletedURLs: [], hasMore: false, next: "n"))) {
            if case .channelChanges = $0 { true } else { false }
        }
        XCTAssertEqual(refreshes(), 0)
        XCTAssertEqual(told, [.channelChangelog])
    }
}
