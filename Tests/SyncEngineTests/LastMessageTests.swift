import SyncModel
import XCTest

@testable import SyncEngine

/// What edits, moves and deletions of its last message do to a channel and to the lists that show it.
final class LastMessageTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// What the host did by its own means and tells reaches lists at once, without waiting for the socket's echo.
    func testAnOwnEditReachesTheChannelList() throws {
        let own = Case.message(2, by: "mei", text: "before")
        startShowing([Case.message(1), own])
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        fetch(2, .next)
        let call = newCall()
        let edited = Case.message(2, by: "mei", text: "after", updatedAt: Case.wall + 9000)
        command(.call(call, .own(.tellEdit(edited), in: 1)))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssert(host.json(2, .channels, "c")?.contains("after") == true, host.json(2, .channels, "c") ?? "-")
        XCTAssert(host.json(1, .succeeded, "2")?.contains("after") == true)
    }

    func testAnOwnDeletionReachesTheChannelList() throws {
        startShowing([Case.message(1), Case.message(2, by: "mei")])
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        fetch(2, .next)
        command(.call(newCall(), .own(.delete(.sent(id: "2")), in: 1)))
        XCTAssertEqual(host.ids(1), ["1"])
        serve(channels: [Case.channel("c", last: Case.message(1))])
        XCTAssertEqual(host.json(2, .channels, "c"), String(
            decoding: Case.channel("c", last: Case.message(1)).json, as: UTF8.self))
    }

    /// The channel's last message gets an earlier time: which one is the last now only the service knows.
    func testALastMessageWhoseTimeChangedMayNotBeTheLast() throws {
        startShowing([Case.message(1), Case.message(2)])
        event(.messageUpdated(channelURL: "c", message: Case.message(2, at: 0, updatedAt: Case.wall + 9000)))
        serve(channels: [Case.channel("c", last: Case.message(1))])
        XCTAssertEqual(try cache.channels.channel("c")?.lastMessage?.id, "1")
    }
}
