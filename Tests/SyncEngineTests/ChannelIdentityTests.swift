import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Channels that are forgotten, gone, or made again under the same URL: which of their cached messages are still true.
final class ChannelIdentityTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// A channel that was deleted and made again under its URL while away has none of its old messages.
    func testAChannelMadeAgainForgetsItsOldMessages() throws {
        try makeAgain(Case.channel("c", createdAt: 1_700_000_500, last: Case.message(9)))
    }

    /// Also when it was made again within the same second: the service tells no more of its creation time.
    func testAChannelMadeAgainWithinASecondForgetsItsOldMessages() throws {
        try makeAgain(Case.channel("c", last: Case.message(9), id: 2))
    }

    /// Also when channels were forgotten before, and their messages kept.
    func testAChannelMadeAgainAfterChannelsWereForgottenForgetsItsOldMessages() throws {
        try makeAgain(Case.channel("c", last: Case.message(9), id: 2), isForgotten: true)
    }

    private func makeAgain(_ new: ChannelRecord, isForgotten: Bool = false) throws {
        startShowing([Case.message(1), Case.message(2)])
        loseConnection()
        if isForgotten {
            command(.call(newCall(), .action(ActionCall(action: .library(.clearChannels), arguments: [:]))))
            XCTAssertEqual(host.ids(1), ["1", "2"])
        }
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        if !isForgotten {
            answer(
                .channelChanges(ChannelChanges(updated: [new], deletedURLs: [], hasMore: false, next: "log2")),
                to: isChannelLog)
        }
        serve(channels: [new], messages: ["c": [Case.message(9)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["9"])
        XCTAssertNil(try cache.message(id: "1", channel: try cache.channels.key("c")))
    }

    /// Also when the channel was not known while its messages were cached (simulation, seed 20689).
    func testAChannelThatIsYoungerThanItsCachedMessagesIsAnother() throws {
        let key = try cache.channels.key("c")
        let edge = HistoryEdge(Case.message(1).position)
        try cache.upsert([Case.message(1)], channel: key)
        try cache.chunks.set(
            channel: key, [StoredChunk(start: edge, end: edge, reachedFirst: true, isOpenEnded: false)])
        try cache.setValue("messages.changes.\(key)", ChangePoint.time(Case.wall).storedText)
        start()
        openMessages(1, "c")
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1"])
        connect()
        let new = Case.channel("c", createdAt: Case.wall / 1000 + 5, last: Case.message(9))
        answer(.channels(ChannelPage(channels: [new], next: "")), to: isChannelListing)
        XCTAssertEqual(host.ids(1), [])
        XCTAssertNil(try cache.message(id: "1", channel: key))
    }

    /// A service that tells a channel's own id in some answers only does not empty it each time.
    func testAChannelWhoseOwnIDIsNotToldKeepsItsMessages() throws {
        startShowing([Case.message(1), Case.message(2)])
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        for id in [nil, 1] {
            event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
            serve(channels: [Case.channel("c", name: "n", last: Case.message(2), id: id)])
        }
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertNotNil(try cache.message(id: "1", channel: try cache.channels.key("c")))
    }

    /// A channel is gone while its messages wait for a service that fails: when it is there again nothing waits
    /// (simulation, seed 17316).
    func testAChannelThatComesAgainIsAskedForAtOnce() throws {
        startShowing([Case.message(1)])
        loseConnection()
        connect()
        for _ in 1...6 {
            answer(Case.failure(.unavailable, 500_901), to: isMessageLog)
            wait(60_000)
        }
        answer(Case.failure(.unavailable, 500_901), to: isMessageLog)
        event(.channel(url: "c", .removed(Cause(.eventChannelDeleted))))
        event(.channel(url: "c", .entered(Cause(.eventUserJoined))))
        answer(.channel(Case.channel("c", id: 2)), to: isGetChannel)
        fetch(1, .previous)
        XCTAssertEqual(asked(isAround).count, 1)
    }

    func testAForgottenChannelThatComesAgainKeepsItsMessages() throws {
        startShowing([Case.message(1), Case.message(2)])
        command(.call(newCall(), .action(ActionCall(action: .library(.clearChannels), arguments: [:]))))
        serve(channels: [Case.channel("c", last: Case.message(2))])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertNil(try cache.channels.former("c"))
    }

    /// The history of a channel was reset; then channels were forgotten, and this user left and was invited again: what
    /// the reset had hidden is there again, so the cache does not reach the first message (simulation, seed 4115).
    func testAForgottenChannelThatShowsOldMessagesAgainForgetsWhatIsCached() throws {
        startShowing([Case.message(1), Case.message(2)])
        let offset = Case.message(2).position.order
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c", last: Case.message(2), messageOffset: offset)), to: isGetChannel)
        XCTAssertEqual(host.ids(1), ["2"])
        let again = Case.channel("c", last: Case.message(2))
        command(.call(newCall(), .action(ActionCall(action: .library(.clearChannels), arguments: [:]))))
        serve(channels: [again], messages: ["c": [Case.message(1), Case.message(2)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
    }

    /// What a reset has hidden stays hidden while the channel is forgotten: the service tells everybody of an edit
    /// (simulation, seed 13203).
    func testAnEditOfWhatIsHiddenInAForgottenChannelIsNotShown() throws {
        startShowing([Case.message(1), Case.message(2)])
        let offset = Case.message(2).position.order
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c", last: Case.message(2), messageOffset: offset)), to: isGetChannel)
        command(.call(newCall(), .action(ActionCall(action: .library(.clearChannels), arguments: [:]))))
        event(.messageUpdated(channelURL: "c", message: Case.message(1, updatedAt: Case.wall + 9000)))
        XCTAssertEqual(host.ids(1), ["2"])
    }

    /// The reset left no message: that nothing is there is known, and was kept with the messages.
    func testAForgottenChannelThatWasEmptyShowsItsOldMessagesAgain() throws {
        startShowing([Case.message(1)])
        let offset = Case.message(2).position.order
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c", messageOffset: offset)), to: isGetChannel)
        XCTAssertEqual(host.ids(1), [])
        command(.call(newCall(), .action(ActionCall(action: .library(.clearChannels), arguments: [:]))))
        XCTAssertNotNil(try cache.channels.former("c"))
        serve(channels: [Case.channel("c", last: Case.message(1))], messages: ["c": [Case.message(1)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1"])
    }

    /// A page that was made after a reset of the history shows nothing before it, and the channel had not told of the
    /// reset when this user left and was invited again: what was hidden is there again (simulation, seed 7427).
    func testWhatIsCachedOfAnEarlierMembershipIsForgotten() throws {
        startShowing([Case.message(2)])
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c", last: Case.message(2), joinedAt: Case.wall)), to: isGetChannel)
        XCTAssertEqual(host.ids(1), ["2"])
        let again = Case.channel("c", last: Case.message(2), invitedAt: Case.wall + 1)
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(again), to: isGetChannel)
        serve(channels: [again], messages: ["c": [Case.message(1), Case.message(2)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
    }

    /// Messages were cached before their channel was told, as a user sees them who had hidden older ones; then this
    /// user left and was invited again: the older ones are there again (simulation, seed 564).
    func testWhatWasCachedBeforeItsChannelWasToldIsForgottenWhenTheMembershipBeganLater() throws {
        let again = Case.channel("c", last: Case.message(2), invitedAt: Case.wall + 1)
        try tellChannelAfterItsMessages(again)
        serve(channels: [again], messages: ["c": [Case.message(1), Case.message(2)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
    }

    func testWhatWasCachedBeforeItsChannelWasToldIsKeptInOneMembership() throws {
        try tellChannelAfterItsMessages(Case.channel("c", last: Case.message(2), joinedAt: Case.wall))
        XCTAssertEqual(host.ids(1), ["2"])
    }

    private func tellChannelAfterItsMessages(_ channel: ChannelRecord) throws {
        start()
        connect()
        openMessages(1, "c")
        answer(.messages(Case.page([Case.message(2)])), to: isAround)
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["2"])
        XCTAssertEqual(try cache.channels.former("c"), FormerChannel(untoldAt: Case.wall))
        answer(.channel(channel), to: isGetChannel)
        XCTAssertNil(try cache.channels.former("c"))
    }

    func testAMembershipIsLaterOnlyWhenTheKnownOneHadEnded() {
        func isLater(_ new: (invited: Int64, joined: Int64), than known: (invited: Int64, joined: Int64)) -> Bool {
            ChannelMembership(invitedAt: new.invited, joinedAt: new.joined)
                .isLater(than: ChannelMembership(invitedAt: known.invited, joinedAt: known.joined))
        }
        XCTAssertFalse(isLater((5, 7), than: (5, 7)))
        XCTAssertFalse(isLater((5, 7), than: (5, 0)), "the invitation was accepted")
        XCTAssertFalse(isLater((0, 7), than: (5, 0)), "accepted, and the service forgets the invitation")
        XCTAssertFalse(isLater((0, 0), than: (5, 7)), "the service tells none")
        XCTAssertFalse(isLater((5, 7), than: (0, 0)), "none was known")
        XCTAssertTrue(isLater((8, 0), than: (5, 7)), "left, and invited again")
        XCTAssertTrue(isLater((8, 9), than: (5, 7)), "left, invited again and accepted")
        XCTAssertTrue(isLater((0, 9), than: (0, 7)), "left, and joined again")
        XCTAssertTrue(isLater((8, 0), than: (5, 0)), "declined, and invited again")
        XCTAssertTrue(isLater((8, 9), than: (5, 0)), "declined, invited again and accepted")
    }

    func testAFormerChannelIsWhatWasWrittenOfIt() {
        let channel = Case.channel("c", id: 3, messageOffset: 4, invitedAt: Case.wall, joinedAt: Case.wall + 2)
        let former = FormerChannel(channel)
        XCTAssertEqual(FormerChannel(storedText: former.storedText), former)
        let older = FormerChannel(storedText: "1700001036000 12 an id")
        XCTAssertEqual(older?.identity, ChannelIdentity(createdAt: 1_700_001_036_000, serviceID: "an id"))
        XCTAssertEqual(older?.messageOffset, 12)
        XCTAssertEqual(older?.membership, ChannelMembership())
        let untold = FormerChannel(untoldAt: Case.wall)
        XCTAssertEqual(FormerChannel(storedText: untold.storedText), untold)
        for text in [
            "", "1", "1 2", "x 2 3", "member", "member 1 2", "member 1 2 3 4", "member x 2 3 4 5", "untold",
            "member 1 x untold", "member 1 2 untold 4",
        ] {
            XCTAssertNil(FormerChannel(storedText: text), text)
        }
    }
}
