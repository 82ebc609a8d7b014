import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

final class EngineTests: EngineTestCase {
    private func isGet(_ url: ChannelURL) -> (ServiceRequest) -> Bool { { $0 == .getChannel(url: url) } }

    /// A collection that could not be filed when it was opened is filed by its next fetch.
    func testACollectionOpenedOnAFullDiskRecovers() throws {
        start()
        cache.setStatementHook { (_) throws(StoreError) in throw .full }
        openMessages(1, "c")
        let first = fetch(1, .previous)
        XCTAssertEqual(host.status(first), .storage)
        cache.setStatementHook(nil)
        let second = fetch(1, .previous)
        XCTAssertEqual(host.status(second), .ok)
    }

    /// Events that come faster than the answers about their channel: it is shown by the first answer, and asked for
    /// again after a pause, not at once and without end.
    func testABusyChannelIsShownAndAskedForWithPauses() throws {
        start()
        connect()
        event(.messageReceived(channelURL: "c", message: EngineTestCase.message(1)))
        XCTAssertEqual(asked(isGet("c")).count, 1)
        for round in 1...5 {
            // Something happens between each question and its answer.
            event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
            answer(.channel(EngineTestCase.channel("c")), to: isGet("c"))
            XCTAssertNotNil(try cache.channels.channel("c"), "round \(round)")
            wait(499)
            XCTAssertEqual(asked(isGet("c")).count, 0, "round \(round)")
            wait(1)
            XCTAssertEqual(asked(isGet("c")).count, 1, "round \(round)")
        }
    }

    /// Who is a friend only the service knows: such a list takes in neither what is cached nor what an event brings.
    func testAListByFriendsIsTheServicesAlone() throws {
        start()
        var query = ChannelQuery()
        query.memberState = .invitedByFriend
        try cache.channels.upsert([EngineTestCase.channel("cached", membership: "invited")])
        command(.post(.openChannelCollection(id: 1, query: query)))
        connect()
        let call = fetch(1, .next)
        let page = [EngineTestCase.channel("friend", membership: "invited")]
        answer(.channels(ChannelPage(channels: page, next: ""))) {
            if case .listChannels(query, _, _) = $0 { true } else { false }
        }
        XCTAssertEqual(host.status(call), .ok)
        event(.channel(url: "stranger", .changed(Cause(.eventChannelChanged))))
        answer(.channel(EngineTestCase.channel("stranger", membership: "invited")), to: isGet("stranger"))
        XCTAssertEqual(host.ids(1, .channels), ["friend"])
        XCTAssertNotNil(try cache.channels.channel("stranger"))
    }

    /// Every call completes exactly once, whatever state it is in when the client closes.
    func testCloseCompletesEverything() {
        start()
        let connecting = newCall()
        command(.call(connecting, .connect))
        openMessages(1, "c")
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        let calls = [fetch(1, .previous), fetch(1, .next), fetch(2, .next), send(1, "a"), send(1, "b")]
        close()
        XCTAssertEqual(([connecting] + calls).map { host.status($0) }, Array(repeating: .closed, count: 6))
        guard case .client(.closed) = host.events.last else { return XCTFail("closed is not the last event") }
    }

    /// A message that could not be stored is not shown, and neither is what it did to its channel; nothing is lost.
    func testWhatCannotBeStoredIsNotTold() throws {
        start()
        openMessages(1, "c")
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        connect()
        let known = [EngineTestCase.message(1)]
        serve(channels: [EngineTestCase.channel("c", last: known[0])], messages: ["c": known])
        fetch(1, .previous)
        fetch(2, .next)
        let before = host.json(2, .channels, "c")
        cache.setCommitHook { () throws(StoreError) in throw .full }
        let new = EngineTestCase.message(2)
        event(.messageReceived(channelURL: "c", message: new))
        XCTAssertEqual(host.ids(1), ["1"])
        XCTAssertEqual(host.json(2, .channels, "c"), before)
        cache.setCommitHook(nil)
        wait(5000)
        serve(channels: [EngineTestCase.channel("c", last: new)], messages: ["c": known + [new]])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertEqual(try cache.channels.channel("c")?.lastMessage?.id, "2")
    }

    /// Messages wait in memory for the first page; the deletion of one comes when nothing can be stored.
    func testADeletionThatCouldNotBeStoredReachesWhatWaitsInMemory() throws {
        start()
        openMessages(1, "c")
        connect()
        for id in Int64(1)...3 { event(.messageReceived(channelURL: "c", message: EngineTestCase.message(id))) }
        cache.setCommitHook { () throws(StoreError) in throw StoreError.failed(code: 13, message: "full") }
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        cache.setCommitHook { () throws(StoreError) in }
        wait(5000)
        let left = [EngineTestCase.message(1), EngineTestCase.message(3)]
        serve(channels: [EngineTestCase.channel("c", last: left[1])], messages: ["c": left])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "3"])
    }
}
