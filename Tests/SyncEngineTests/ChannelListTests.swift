import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Channel lists of an account of which a part is cached: the first sync ended before it had listed every channel.
final class ChannelListTests: EngineTestCase {
    private func name(_ number: Int) -> String { "n\(1000 + number)" }

    /// The names from one number to before another.
    private func names(_ range: Range<Int>) -> [String] { range.map(name) }

    private func channels(_ range: Range<Int>) -> [ChannelRecord] {
        range.map { EngineTestCase.channel(ChannelURL(name($0))) }
    }

    private var byName: ChannelQuery {
        var query = ChannelQuery()
        query.order = .channelNameAlphabetical
        return query
    }

    private func isListing(_ request: ServiceRequest) -> Bool {
        if case .listChannels(let query, _, _) = request { query.order == .chronological } else { false }
    }

    private func isOwnPage(_ request: ServiceRequest) -> Bool {
        if case .listChannels(let query, _, _) = request { query.order == .channelNameAlphabetical } else { false }
    }

    /// The listing goes on where it ended, towards the start of the alphabet.
    private func list(_ ranges: [Range<Int>]) {
        for range in ranges {
            answer(
                .channels(ChannelPage(channels: channels(range), next: range.lowerBound == 0 ? "" : "more")),
                to: isListing)
            wait(0)
        }
    }

    private func begin() throws {
        try cache.channels.upsert(channels(300..<500))
        start()
        command(.post(.openChannelCollection(id: 1, query: byName)))
        command(.call(newCall(), .connect))
        fetch(1, .next)
        XCTAssertEqual(host.ids(1, .channels), names(300..<320))
        event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall)))
    }

    /// The listing, its parts and a list's own page: a channel that the service names twice is shown once.
    func testAChannelThatAPageHasTwiceIsShownOnce() throws {
        start()
        command(.post(.openChannelCollection(id: 1, query: byName)))
        command(.call(newCall(), .connect))
        event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall)))
        fetch(1, .next)
        let twice = channels(0..<15) + channels(0..<15)
        answer(.channels(ChannelPage(channels: twice, next: "")), to: isOwnPage)
        wait(0)
        XCTAssertEqual(host.ids(1, .channels), names(0..<15))
        answer(.channels(ChannelPage(channels: channels(0..<150) + channels(0..<150), next: "")), to: isListing)
        wait(0)
        fetch(1, .next)
        XCTAssertEqual(host.ids(1, .channels).count, Set(host.ids(1, .channels)).count)
    }

    /// The list's own page fails when every channel is cached: the cache says that none belongs to the list.
    func testAListWhosePageFailedIsServedByTheCompleteCache() throws {
        var invited = byName
        invited.memberState = .invited
        start()
        command(.post(.openChannelCollection(id: 1, query: invited)))
        fetch(1, .next)
        connect()
        list([0..<3])
        answer(.failure(.init(kind: .unavailable, code: 800_130, message: "no answer of the service")), to: isOwnPage)
        wait(0)
        let list = try XCTUnwrap(engine.channelWindows.first)
        XCTAssertTrue(list.window.isEmpty)
        XCTAssertFalse(list.hasNext)
        XCTAssertEqual(asked(isOwnPage).count, 0)
    }

    /// Every channel that becomes known sorts before those shown: the list stays as long as it was fetched.
    func testAListDoesNotGrowWithTheAccountWhileItIsListed() throws {
        try begin()
        list([200..<300, 100..<200])
        XCTAssertEqual(host.ids(1, .channels), names(100..<120))
        list([0..<100])
        XCTAssertEqual(host.ids(1, .channels), names(0..<20))
        fetch(1, .next)
        XCTAssertEqual(host.ids(1, .channels), names(0..<40))
    }

    /// What the service's pages brought stays, also when channels that they skipped become known before their end.
    func testPagesOfTheServiceAreNotPushedOut() throws {
        try begin()
        fetch(1, .next)
        let skipping = Array(channels(0..<10) + channels(11..<21))
        answer(.channels(ChannelPage(channels: skipping, next: "own")), to: isOwnPage)
        wait(0)
        XCTAssertEqual(host.ids(1, .channels), names(0..<10) + names(11..<21) + names(300..<320))
        list([200..<300, 100..<200])
        XCTAssertEqual(host.ids(1, .channels), names(0..<10) + names(11..<21) + names(100..<120))
        list([0..<100])
        XCTAssertEqual(host.ids(1, .channels), names(0..<41))
        fetch(1, .next)
        XCTAssertEqual(host.ids(1, .channels), names(0..<61))
    }

    /// Channels of one name: the service has them in an order of its own, by which the last of them may come first.
    func testChannelsThatAreEqualInTheOrderMakeNoListLonger() throws {
        let twins = (0..<60).map { EngineTestCase.channel(ChannelURL(name($0)), name: "same") }
        start()
        command(.post(.openChannelCollection(id: 1, query: byName)))
        command(.call(newCall(), .connect))
        event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall)))
        fetch(1, .next)
        answer(.channels(ChannelPage(channels: Array(twins[40..<60].reversed()), next: "own")), to: isOwnPage)
        wait(0)
        XCTAssertEqual(host.ids(1, .channels), names(40..<60))
        answer(.channels(ChannelPage(channels: Array(twins[30..<60]), next: "more")), to: isListing)
        wait(0)
        XCTAssertEqual(host.ids(1, .channels), names(40..<60))
        answer(.channels(ChannelPage(channels: Array(twins[0..<30]), next: "")), to: isListing)
        wait(0)
        XCTAssertEqual(host.ids(1, .channels), names(0..<20))
        XCTAssertEqual(host.changes.map(\.items.count), [20, 20, 20], "none came that had to leave again")
        fetch(1, .next)
        XCTAssertEqual(host.ids(1, .channels), names(0..<40))
    }

    /// A channel that is new, or became one of the list, is no reason to push another one out.
    func testEventsMakeAListLonger() throws {
        try begin()
        let url = ChannelURL(name(7))
        event(.channel(url: url, .changed(Cause(.eventUserReceivedInvitation))))
        answer(.channel(EngineTestCase.channel(url))) { $0 == .getChannel(url: url) }
        XCTAssertEqual(host.ids(1, .channels), [name(7)] + names(300..<320))
        list([200..<300, 0..<200])
        XCTAssertEqual(host.ids(1, .channels), names(0..<21))
    }
}
