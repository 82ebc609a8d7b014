import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// What the host is told of messages of others, until it acknowledges them.
final class NoticesTests: EngineTestCase {
    private typealias T = EngineTestCase

    private func begin(_ notify: EngineOptions.Notify = .all, atOnce: Int = 16) {
        start {
            $0.notify = notify
            $0.noticesAtOnce = atOnce
        }
        toldBefore = 0
    }

    private func begin(_ notify: EngineOptions.Notify = .all, channels: [ChannelRecord]) {
        begin(notify)
        connect()
        serve(channels: channels)
    }

    private var toldBefore = 0

    /// What was told since the last look.
    private func told() -> [ReceivedMessage] {
        let all = host.events.compactMap { event -> ReceivedMessage? in
            if case .client(.messageReceived(let message)) = event { message } else { nil }
        }
        defer { toldBefore = all.count }
        return Array(all.dropFirst(toldBefore))
    }

    private func toldIDs() -> [String] { told().map { text($0) } }

    private func text(_ message: ReceivedMessage) -> String {
        let json = String(decoding: message.json, as: UTF8.self)
        let id = json.split(separator: ":")[1].split(separator: ",")[0]
        return "\(message.channelURL)\(id)"
    }

    private func live(_ message: MessageRecord, in url: ChannelURL = "c") {
        event(.messageReceived(channelURL: url, message: message))
    }

    @discardableResult
    private func acknowledge(_ id: Int64) -> Status? {
        let call = newCall()
        command(.call(call, .action(ActionCall(action: .library(.acknowledge), arguments: ["id": .integer(id)]))))
        return host.status(call)
    }

    private func answerLog(updated: [ChannelRecord], deletedURLs: [ChannelURL], hasMore: Bool, next: String) {
        let changes = ChannelChanges(updated: updated, deletedURLs: deletedURLs, hasMore: hasMore, next: next)
        answer(.channelChanges(changes), to: isChannelLog)
    }

    private func mention(_ id: Int64, of user: String = "mei") -> MessageRecord {
        var message = T.message(id)
        let json = String(decoding: message.json, as: UTF8.self)
        message.json = Array((json.dropLast() + #","mentioned_user_ids":["\#(user)"]}"#).utf8)
        return message
    }

    private func pageAsked() -> [ChannelURL] {
        asked(isAround).compactMap { if case .messagesAround(let url, _, _, _) = $0 { url } else { nil } }
    }

    // MARK: Live

    func testALiveMessageIsToldAgainUntilItIsAcknowledged() throws {
        begin(channels: [T.channel("c")])
        live(T.message(1))
        live(T.message(2, by: "mei"))
        live(T.message(3))
        let first = told()
        XCTAssertEqual(first.map(text), ["c1", "c3"], "own ones are not told")
        XCTAssertEqual(first[0].id, T.wall, "the first number is a time")
        XCTAssertEqual(first.map { $0.channel != nil }, [true, true])
        begin()
        let again = told()
        XCTAssertEqual(again.map(\.id), first.map(\.id))
        XCTAssertEqual(acknowledge(again[0].id), .ok)
        XCTAssertEqual(acknowledge(again[1].id + 1), .notFound)
        begin()
        XCTAssertEqual(toldIDs(), ["c3"])
        XCTAssertEqual(acknowledge(again[1].id), .ok)
        XCTAssertEqual(acknowledge(again[0].id), .ok, "it was given once")
        begin(channels: [T.channel("c", last: T.message(3))])
        XCTAssertEqual(toldIDs(), [])
        live(T.message(4))
        XCTAssertEqual(told().map(\.id), [again[1].id + 1])
    }

    func testNothingIsToldOrKeptUnlessItIsWanted() throws {
        begin(.none, channels: [T.channel("c")])
        live(T.message(1))
        XCTAssertEqual(toldIDs(), [])
        begin(channels: [T.channel("c", last: T.message(1))])
        live(T.message(2))
        XCTAssertEqual(toldIDs(), ["c2"])
        begin(.none)
        XCTAssertEqual(toldIDs(), [])
        XCTAssertEqual(try cache.notices.notices(after: 0, limit: 10), [])
        begin()
        XCTAssertEqual(toldIDs(), [])
    }

    func testOnlyMentionsAreTold() throws {
        begin(.mentions, channels: [T.channel("c")])
        live(T.message(1))
        live(mention(2))
        live(mention(3, of: "bo"))
        XCTAssertEqual(told().map { [text($0), "\($0.isMention)"] }, [["c2", "true"]])
        begin(.all, channels: [T.channel("c", last: T.message(3))])
        XCTAssertEqual(toldIDs(), ["c2"], "what was not wanted is not told later")
        live(T.message(4))
        XCTAssertEqual(toldIDs(), ["c4"])
        begin(.mentions)
        XCTAssertEqual(toldIDs(), ["c2"])
    }

    func testEditsAndDeletionsCountWhenItIsToldAgain() throws {
        begin(channels: [T.channel("c")])
        for id in 1...3 { live(T.message(Int64(id))) }
        event(.messageUpdated(channelURL: "c", message: T.message(1, text: "new", updatedAt: T.wall + 9000)))
        event(.messageUpdated(channelURL: "c", message: T.message(1, text: "old", updatedAt: T.wall + 8000)))
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        begin()
        let again = told()
        XCTAssertEqual(again.map(text), ["c1", "c3"])
        XCTAssertTrue(String(decoding: again[0].json, as: UTF8.self).contains("new"))
    }

    func testWhatCannotBeStoredIsToldWhenItCan() throws {
        begin(channels: [T.channel("c")])
        try sql("CREATE TRIGGER full BEFORE INSERT ON notice BEGIN SELECT RAISE(FAIL, 'full'); END", file: "cache.db")
        live(T.message(1))
        XCTAssertEqual(toldIDs(), [])
        try sql("DROP TRIGGER full", file: "cache.db")
        // The channel is asked for, since it was not stored either. Meanwhile the next one comes.
        live(T.message(2))
        answer(.channel(T.channel("c", last: T.message(2))), to: isGetChannel)
        answer(.messages(T.page([T.message(1), T.message(2)])), to: isAround)
        XCTAssertEqual(toldIDs(), ["c1", "c2"])
    }

    // MARK: Away

    func testWhatCameWhileAwayIsToldInItsOrderAndOnce() throws {
        begin(channels: [T.channel("c", last: T.message(-5))])
        live(T.message(1))
        let first = told()
        XCTAssertEqual(first.map(text), ["c1"])
        acknowledge(first[0].id)
        loseConnection()
        connect()
        // The change log is not read yet: whether something is missing before this one is not known.
        live(T.message(4))
        XCTAssertEqual(toldIDs(), [])
        XCTAssertEqual(pageAsked(), ["c"])
        live(T.message(5))
        answer(.messages(T.page([1, 2, 3, 4].map { T.message($0) })), to: isAround)
        XCTAssertEqual(toldIDs(), ["c2", "c3", "c4", "c5"])
        let changes = ChannelChanges(
            updated: [T.channel("c", last: T.message(5))], deletedURLs: [], hasMore: false, next: "l2")
        answer(.channelChanges(changes), to: isChannelLog)
        serve(channels: [T.channel("c", last: T.message(5))])
        XCTAssertEqual(pageAsked(), [])
        live(T.message(6))
        XCTAssertEqual(toldIDs(), ["c6"])
    }

    func testAChannelThatHasANewerLastMessageIsAsked() throws {
        begin(channels: [T.channel("c", last: T.message(-5)), T.channel("d", last: T.message(-3, in: "d"))])
        XCTAssertEqual(everAsked.filter(isAround), [], "nothing of the past is told")
        loseConnection()
        connect()
        let changes = ChannelChanges(
            updated: ["c", "d", "e"].map { T.channel($0, last: T.message(3, in: $0)) }, deletedURLs: [], hasMore: false,
            next: "l2")
        answer(.channelChanges(changes), to: isChannelLog)
        XCTAssertEqual(pageAsked(), ["c", "d"], "two at a time")
        // It is killed in between.
        begin()
        connect()
        XCTAssertEqual(pageAsked(), ["c", "d"])
        answer(.messages(T.page([T.message(-5), T.message(2), T.message(3)])), to: isAround)
        XCTAssertEqual(pageAsked(), ["d", "e"])
        XCTAssertEqual(toldIDs(), ["c2", "c3"])
        answer(T.failure(.unavailable, 500), to: isAround)
        answer(T.failure(.notFound, 400_201), to: isAround)
        XCTAssertEqual(pageAsked(), [])
        wait(2000)
        XCTAssertEqual(pageAsked(), ["d"])
        answer(.messages(T.page([T.message(3, in: "d")])), to: isAround)
        XCTAssertEqual(toldIDs(), ["d3"])
        loseConnection()
        connect()
        XCTAssertEqual(pageAsked(), [])
    }

    func testThatThereAreMoreThanAPageIsSaid() throws {
        begin(channels: [T.channel("c", last: T.message(1))])
        loseConnection()
        connect()
        let last = T.message(9)
        let changes = ChannelChanges(
            updated: [T.channel("c", last: last)], deletedURLs: [], hasMore: false, next: "l2")
        answer(.channelChanges(changes), to: isChannelLog)
        answer(.messages(T.page([T.message(8), last], reachedFirst: false)), to: isAround)
        let away = told()
        XCTAssertEqual(away.map(text), ["c8", "c9"])
        XCTAssertEqual(away.map(\.missed), [MissedNotices(mayBeMore: true), MissedNotices()])
        event(.messageDeleted(channelURL: "c", messageID: "8"))
        begin()
        XCTAssertEqual(told().map(\.missed), [MissedNotices(mayBeMore: true)], "it stands before the next one now")
    }

    func testAChannelThatIsMadeAgainTellsByOneNumber() throws {
        let old = T.channel("c", createdAt: T.wall / 1000, last: T.message(1))
        begin(channels: [old])
        live(T.message(1))
        XCTAssertEqual(toldIDs(), ["c1"])
        loseConnection()
        connect()
        // The log is not read yet: what comes live is of the channel that was made again since.
        live(T.message(7))
        answer(.messages(T.page([T.message(6), T.message(7)])), to: isAround)
        let first = told()
        XCTAssertEqual(first.map(text), ["c6", "c7"])
        acknowledge(first[0].id)
        answerLog(updated: [], deletedURLs: ["c"], hasMore: true, next: "l2")
        let new = T.channel("c", createdAt: T.wall / 1000 + 5, last: T.message(7), id: 2)
        answerLog(updated: [new], deletedURLs: [], hasMore: false, next: "l3")
        while !pageAsked().isEmpty {
            answer(.messages(T.page([T.message(6), T.message(7)])), to: isAround)
        }
        XCTAssertEqual(toldIDs(), [])
        begin()
        XCTAssertEqual(told().map(\.id), [first[1].id], "what was not acknowledged is told by the same number")
    }

    func testAChannelThatTheLogSaysIsGoneLeavesNothing() throws {
        begin(channels: [T.channel("c", last: T.message(1))])
        live(T.message(1))
        XCTAssertEqual(toldIDs(), ["c1"])
        loseConnection()
        connect()
        answerLog(updated: [], deletedURLs: ["c"], hasMore: true, next: "l2")
        XCTAssertEqual(try cache.notices.notices(after: 0, limit: 10).count, 1, "it may be there again behind it")
        answerLog(updated: [], deletedURLs: [], hasMore: false, next: "l3")
        XCTAssertEqual(try cache.notices.notices(after: 0, limit: 10), [])
        XCTAssertEqual(try cache.notices.mark("c"), NoticeMark())
    }

    func testAnOldMemberDoesNotHearWhatWasSaidBefore() throws {
        begin(channels: [])
        let joined = T.channel("c", last: T.message(6), joinedAt: T.wall / 1000 + 5)
        event(.channel(url: "c", .changed(Cause(.eventUserJoined))))
        answer(.channel(joined), to: isGetChannel)
        answer(.messages(T.page((1...6).map { T.message($0) })), to: isAround)
        XCTAssertEqual(toldIDs(), ["c5", "c6"])
    }

    func testAnswersThatFactsCrossedAreNotBelieved() throws {
        begin(channels: [T.channel("c", last: T.message(-5))])
        loseConnection()
        connect()
        live(T.message(2))
        event(.messageDeleted(channelURL: "c", messageID: "1"))
        event(.messageUpdated(channelURL: "c", message: T.message(2, text: "new", updatedAt: T.wall + 9000)))
        answer(.messages(T.page([T.message(1), T.message(2)])), to: isAround)
        let away = told()
        XCTAssertEqual(away.map(text), ["c2"])
        XCTAssertTrue(String(decoding: away[0].json, as: UTF8.self).contains("new"))
    }

    // MARK: Bounds

    func testMoreThanTheHostHasRoomForWaits() throws {
        begin(channels: [T.channel("c")])
        begin(.all, atOnce: 4)
        connect()
        serve(channels: [T.channel("c")])
        for id in 1...10 { live(T.message(Int64(id))) }
        XCTAssertEqual(toldIDs(), ["c1", "c2", "c3", "c4"])
        command(.post(.tookMessages(2)))
        XCTAssertEqual(toldIDs(), ["c5", "c6"])
        command(.post(.tookMessages(4)))
        XCTAssertEqual(toldIDs(), ["c7", "c8", "c9", "c10"])
        command(.post(.tookMessages(4)))
        XCTAssertEqual(toldIDs(), [])
        command(.post(.resync(collections: [1: 5])))
        let again = told()
        XCTAssertEqual(again.map(text), ["c1", "c2", "c3", "c4"], "the host has lost events")
        command(.post(.tookMessages(4)))
        XCTAssertEqual(toldIDs(), ["c5", "c6", "c7", "c8"])
    }

    func testOfAChannelTheNewestHundredWait() throws {
        begin(channels: [T.channel("c")])
        for id in 1...103 { live(T.message(Int64(id))) }
        begin()
        let again = told()
        XCTAssertEqual(text(again[0]), "c4")
        XCTAssertEqual(again[0].missed, MissedNotices(count: 3))
        XCTAssertEqual(again[1].missed, MissedNotices())
    }

    // MARK: Forgetting

    func testAChannelThatIsGoneAndAUserWhoSignsOutLeaveNothing() throws {
        begin(channels: [T.channel("c"), T.channel("d")])
        live(T.message(1))
        live(T.message(2, in: "d"), in: "d")
        let last = told()[1].id
        event(.channel(url: "c", .removed(Cause(.eventChannelDeleted))))
        begin()
        XCTAssertEqual(toldIDs(), ["d2"])
        let call = newCall()
        command(.call(call, .signOut))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(try cache.notices.notices(after: 0, limit: 10), [])
        XCTAssertNil(try cache.notices.since())
        XCTAssertEqual(try cache.notices.lastID(), last, "no number is given twice")
    }
}
