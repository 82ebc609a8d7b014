import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Defects that independent tests over real sockets found in the first engine, each as the story that showed it.
final class FoundDefectsTests: EngineTestCase {
    /// The acknowledgement of an own reply was lost; a page of the channel shows that the service has it (simulation,
    /// seed 684).
    func testAnOwnReplyThatAPageOfTheChannelBringsIsInItsThread() {
        func reply(_ id: Int64, requestID: String = "") -> MessageRecord {
            var message = EngineTestCase.message(id, by: requestID.isEmpty ? "bo" : "mei", requestID: requestID)
            message.parentID = "1"
            return message
        }
        start()
        connect()
        let channels = [EngineTestCase.channel("c")]
        serve(channels: channels)
        var filter = MessageFilter()
        filter.parentID = "1"
        command(.openMessageCollection(id: 2, channelURL: "c", filter: filter, viewpoint: .max))
        answer(.message(EngineTestCase.message(1))) { if case .getMessage = $0 { true } else { false } }
        serve(channels: channels, messages: ["c": [reply(2)]])
        fetch(2, .previous)
        serve(channels: channels, messages: ["c": [reply(2)]])
        let call = newCall()
        let body = Array(#"{"message":"r","parent_message_id":1}"#.utf8)
        command(.sendMessage(collection: 2, requestID: "r", body: body, call: call))
        event(.messageReceived(channelURL: "c", message: reply(5)))
        XCTAssertEqual(host.ids(2), ["2", "5"])

        openMessages(3, "c")
        fetch(3, .previous)
        serve(
            channels: channels,
            messages: ["c": [EngineTestCase.message(1), reply(2), reply(4, requestID: "r"), reply(5)]])
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(2, .pending), [])
        XCTAssertEqual(host.ids(2), ["2", "4", "5"])
    }

    /// A host sends by its own means before the login and tells of it after; meanwhile another device deleted the
    /// message (simulation, seed 11136).
    func testAMessageOfBeforeTheLoginThatPagesDoNotHaveIsGone() {
        start()
        let old = EngineTestCase.message(-5, at: -60, by: "mei", requestID: "r")
        connect()
        let channels = [EngineTestCase.channel("c")]
        serve(channels: channels)
        openMessages(1, "c")
        let call = newCall()
        command(.appendMessage(collection: 1, requestID: "r", body: Array(#"{"message":"r"}"#.utf8), call: call))
        let tell = newCall()
        command(.handleSendResponse(collection: 1, requestID: "r", .sent(old), call: tell))
        serve(channels: channels, messages: ["c": [EngineTestCase.message(1, at: -120)]])
        fetch(1, .previous)
        serve(channels: channels, messages: ["c": [EngineTestCase.message(1, at: -120)]])
        XCTAssertEqual(host.status(tell), .ok)
        XCTAssertEqual(host.ids(1), ["1"])
        XCTAssertEqual(host.ids(1, .pending), [])
    }

    private typealias Case = EngineTestCase

    private func isSend(_ request: ServiceRequest) -> Bool { if case .sendMessage = request { true } else { false } }
    private func isChannelLog(_ request: ServiceRequest) -> Bool {
        if case .channelChanges = request { true } else { false }
    }
    private func isPage(_ direction: PageDirection) -> (ServiceRequest) -> Bool {
        { if case .messages(_, _, direction, _, _) = $0 { true } else { false } }
    }

    /// Connected, with a collection of a channel's newest messages that has shown all of them.
    private func begin(_ messages: [MessageRecord], resend: EngineOptions.ResendPolicy = .automatic) {
        start { $0.resendPolicy = resend }
        openMessages(1, "c")
        connect()
        serve(channels: [Case.channel("c", last: messages.last)], messages: ["c": messages])
        fetch(1, .previous)
    }

    /// A message that the host sent itself while offline, deleted elsewhere before the reconnect, must not come back.
    func testAMessageDeletedWhileAwayDoesNotReturnFromMemory() throws {
        let first = [Case.message(1), Case.message(2)]
        begin(first)
        loseConnection()
        command(.disconnect)
        command(.appendMessage(
            collection: 1, requestID: "own", body: Array(#"{"message":"own"}"#.utf8), call: newCall()))
        let own = Case.message(3, by: "mei", requestID: "own")
        command(.handleSendResponse(collection: 1, requestID: "own", .sent(own), call: newCall()))
        connect()
        answer(.messageChanges(MessageChanges(updated: [], deletedIDs: ["3"], hasMore: false, next: "log2"))) {
            if case .messageChanges = $0 { true } else { false }
        }
        serve(channels: [Case.channel("c", last: first.last)], messages: ["c": first])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertNil(try cache.message(id: "3", channel: try cache.channelKey("c")))
    }

    /// The deletion of a last message that is newer than the cached one, while a change log that was made earlier is on
    /// its way.
    func testADeletedLastMessageIsNotBroughtBackByAnOlderChangeLog() throws {
        start()
        command(.openChannelCollection(id: 1, query: ChannelQuery()))
        connect()
        let old = Case.message(1)
        serve(channels: [Case.channel("c", last: old)])
        fetch(1, .next)
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        // The log was made when message 2 was there; it is deleted before the log arrives.
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        answer(
            .channelChanges(ChannelChanges(
                updated: [Case.channel("c", last: Case.message(2))], deletedURLs: [], hasMore: false, next: "log2")),
            to: isChannelLog)
        serve(channels: [Case.channel("c", last: old)])
        XCTAssertEqual(try cache.channel("c")?.lastMessage?.id, "1")
        XCTAssertEqual(try cache.value("channels.changes"), "k:log2")
    }

    func testAnEditedLastMessageIsNotMadeOldByAnOlderChangeLog() throws {
        start()
        connect()
        serve(channels: [Case.channel("c", last: Case.message(1))])
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        let edited = Case.message(2, text: "new", updatedAt: Case.wall + 9000)
        event(.messageUpdated(channelURL: "c", message: edited))
        answer(
            .channelChanges(ChannelChanges(
                updated: [Case.channel("c", last: Case.message(2, text: "old"))], deletedURLs: [], hasMore: false,
                next: "log2")),
            to: isChannelLog)
        serve(channels: [Case.channel("c", last: edited)])
        let json = String(decoding: try XCTUnwrap(try cache.channel("c")).json, as: UTF8.self)
        XCTAssert(json.contains(#""message":"new""#), json)
    }

    /// An acknowledgement is lost on a living socket, then a later message arrives: the own one must not be missing
    /// between neighbours, whatever the resend policy.
    func testALostAcknowledgementLeavesNoHole() throws {
        for policy in EngineOptions.ResendPolicy.allCases {
            let known = [Case.message(1), Case.message(2)]
            begin(known, resend: policy)
            send(1, "own")
            // It arrived as message 3; nobody tells us. Then bo writes.
            let all = known + [Case.message(3, by: "mei", requestID: "own"), Case.message(4)]
            event(.messageReceived(channelURL: "c", message: all[3]))
            XCTAssertEqual(host.ids(1), ["1", "2", "4"], "\(policy)")
            answer(Case.failure(.timedOut, 800_180), to: isSend)
            serve(channels: [Case.channel("c", last: all.last)], messages: ["c": all])
            XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"], "\(policy)")
            XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [], "\(policy)")
            command(.close)
            try tearDownAndSetUp()
        }
    }

    /// The same when the connection is lost, the message given up, or the process killed before the acknowledgement is
    /// given up: what came behind an own message under way is not complete, neither in the file nor after a loss.
    func testNothingBehindAMessageUnderWayIsTakenForComplete() throws {
        for policy in EngineOptions.ResendPolicy.allCases {
            let known = [Case.message(1), Case.message(2)]
            begin(known, resend: policy)
            send(1, "own")
            event(.messageReceived(channelURL: "c", message: Case.message(4)))
            command(.deleteMessage(collection: 1, .unsent(requestID: "own"), call: newCall()))
            let stored = try cache.chunks(channel: try cache.channelKey("c"))
            XCTAssertEqual(stored.map(\.end.position), [known[1].position], "\(policy)")
            XCTAssertEqual(stored.map(\.isOpenEnded), [false], "\(policy)")
            loseConnection()
            wait(0)
            event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
            answer(.messageChanges(MessageChanges(updated: [], deletedIDs: [], hasMore: false, next: "log2"))) {
                if case .messageChanges = $0 { true } else { false }
            }
            let gaps = asked { if case .messageGap = $0 { true } else { false } }
            guard case .messageGap(_, _, let end, _) = gaps.first else { return XCTFail("no gap was asked for") }
            XCTAssertEqual(end.position, known[1].position, "\(policy)")
            command(.close)
            try tearDownAndSetUp()
        }
    }

    /// An acknowledged message costs no chunk: the file stays open-ended.
    func testAnAcknowledgedMessageLeavesTheChunkOpen() throws {
        begin([Case.message(1)])
        send(1, "own")
        event(.messageReceived(channelURL: "c", message: Case.message(2)))
        answer(.message(Case.message(3, by: "mei", requestID: "own")), to: isSend)
        XCTAssertEqual(try cache.chunks(channel: try cache.channelKey("c")).map(\.isOpenEnded), [true])
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
    }

    private let isChannel: (ServiceRequest) -> Bool = { if case .getChannel = $0 { true } else { false } }

    private func tearDownAndSetUp() throws {
        tearDown()
        try setUpWithError()
    }

    /// Clearing forgets what was asked about channels, but not that the service answers it with the wish for a pause.
    func testAPauseHoldsThatCameToSomethingForgotten() {
        begin([Case.message(1)])
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        XCTAssertEqual(asked(isChannel).count, 1)
        command(.action(ActionCall(action: .clearChannels, arguments: [:]), call: newCall()))
        answer(Case.failure(.rateLimited(retryAfter: 60_000), 500_910), to: isChannel)
        send(1, "a")
        XCTAssertEqual(asked(isSend), [])
        wait(61_000)
        XCTAssertEqual(asked(isSend).count, 1)
    }

    /// After the service asked for a minute of quiet nothing is asked: no further send, no list, no page; and all of it
    /// is done when the minute is over, in order.
    func testNothingJumpsAPauseThatTheServiceAskedFor() throws {
        begin([Case.message(1)])
        let first = send(1, "a")
        answer(Case.failure(.rateLimited(retryAfter: 60_000), 900_200), to: isSend)
        XCTAssertEqual(host.status(first), .service)
        send(1, "b")
        command(.openChannelCollection(id: 2, query: ChannelQuery()))
        let list = fetch(2, .next)
        openMessages(3, "other")
        fetch(3, .previous)
        XCTAssertEqual(asked { _ in true }, [])
        // What the cache has is served at once.
        XCTAssertEqual(host.status(list), .ok)
        XCTAssertEqual(host.ids(2, .channels), ["c"])
        wait(59_000)
        XCTAssertEqual(asked { _ in true }, [])
        wait(70_000)
        var sent: [String] = []
        while let request = asked(isSend).first, case .sendMessage(_, let id, _) = request {
            sent.append(id)
            let number = Int64(10 + sent.count)
            answer(.message(Case.message(number, by: "mei", requestID: id))) { $0 == request }
        }
        XCTAssertEqual(sent, ["a", "b"])
        XCTAssertFalse(asked { if case .messageChanges("other", _) = $0 { true } else { !self.isSend($0) } }.isEmpty)
    }

    /// After a failure of the service a fetch waits for the pause instead of asking at once.
    func testAFetchAfterAFailureOfTheServiceWaits() throws {
        start()
        openMessages(1, "c")
        connect()
        answer(.messages(MessagePage(
                    messages: [Case.message(8)],
                    range: (HistoryEdge(Case.message(8).position), HistoryEdge(Case.message(8).position)),
            reachedFirst: false, reachedNewest: true))) { if case .messagesAround = $0 { true } else { false } }
        answer(Case.failure(.unavailable, 500_901), to: isPage(.previous))
        fetch(1, .previous)
        XCTAssertEqual(asked(isPage(.previous)), [])
        wait(1000)
        XCTAssertEqual(asked(isPage(.previous)).count, 1)
    }

    /// Messages for a channel that was frozen meanwhile fail one after the other without a pause between them.
    func testARefusalForGoodIsNoReasonToWait() throws {
        begin([Case.message(1)])
        let calls = (1...7).map { send(1, "r\($0)") }
        for _ in calls { answer(Case.failure(.refused, 900_050), to: isSend) }
        XCTAssertEqual(calls.map { host.status($0) }, Array(repeating: .service, count: 7))
        XCTAssertEqual(host.ids(1, .failed), (1...7).map { "r\($0)" })
    }

    func testSyncRunsWhileAMessageIsSentAndRestsInAPause() throws {
        begin([Case.message(1)])
        XCTAssertEqual(host.syncStates.last, .idle)
        send(1, "a")
        XCTAssertEqual(host.syncStates.last, .running)
        answer(Case.failure(.unavailable, 500_901), to: isSend)
        XCTAssertEqual(host.syncStates.last, .idle)
    }

    /// A page of one direction fails while the other one is under way: that one is not asked for a second time.
    func testAFailedPageLeavesTheOtherDirectionAlone() throws {
        start()
        openMessages(1, "c", viewpoint: Case.message(5).position.order)
        connect()
        let around = (4...6).map { Case.message($0) }
        answer(.messages(MessagePage(
            messages: around, range: (HistoryEdge(around[0].position), HistoryEdge(around[2].position)),
            reachedFirst: false, reachedNewest: false))) { if case .messagesAround = $0 { true } else { false } }
        XCTAssertEqual(asked(isPage(.previous)).count, 1)
        XCTAssertEqual(asked(isPage(.next)).count, 1)
        answer(Case.failure(.unavailable, 500_901), to: isPage(.previous))
        wait(5000)
        XCTAssertEqual(asked(isPage(.next)).count, 1)
        XCTAssertEqual(asked(isPage(.previous)).count, 1)
    }

    /// What the host did by its own means and tells reaches lists at once, without waiting for the socket's echo.
    func testAnOwnEditReachesTheChannelList() throws {
        let own = Case.message(2, by: "mei", text: "before")
        begin([Case.message(1), own])
        command(.openChannelCollection(id: 2, query: ChannelQuery()))
        fetch(2, .next)
        let call = newCall()
        let edited = Case.message(2, by: "mei", text: "after", updatedAt: Case.wall + 9000)
        command(.tellEdit(collection: 1, edited, call: call))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssert(host.json(2, .channels, "c")?.contains("after") == true, host.json(2, .channels, "c") ?? "-")
        XCTAssert(host.json(1, .succeeded, "2")?.contains("after") == true)
    }

    func testAnOwnDeletionReachesTheChannelList() throws {
        begin([Case.message(1), Case.message(2, by: "mei")])
        command(.openChannelCollection(id: 2, query: ChannelQuery()))
        fetch(2, .next)
        command(.deleteMessage(collection: 1, .sent(id: "2"), call: newCall()))
        XCTAssertEqual(host.ids(1), ["1"])
        serve(channels: [Case.channel("c", last: Case.message(1))])
        XCTAssertEqual(host.json(2, .channels, "c"), String(
            decoding: Case.channel("c", last: Case.message(1)).json, as: UTF8.self))
    }

    /// Failed messages stand in the order they were written, in an open collection as in one opened later.
    func testFailedMessagesStandInTheOrderTheyWereWritten() throws {
        begin([Case.message(1)], resend: .manual)
        send(1, "a")
        send(1, "b")
        for _ in 1...2 { answer(Case.failure(.refused, 900_050), to: isSend) }
        command(.resendMessage(collection: 1, requestID: "a", call: newCall()))
        answer(Case.failure(.refused, 900_050), to: isSend)
        openMessages(2, "c")
        XCTAssertEqual(host.ids(1, .failed), ["a", "b"])
        XCTAssertEqual(host.ids(2, .failed), ["a", "b"])
    }

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

    /// Also when the channel was not known while its messages were cached (simulation, seed 20689).
    func testAChannelThatIsYoungerThanItsCachedMessagesIsAnother() throws {
        let key = try cache.channelKey("c")
        let edge = HistoryEdge(Case.message(1).position)
        try cache.upsert([Case.message(1)], channel: key)
        try cache.setChunks(
            channel: key, [StoredChunk(start: edge, end: edge, reachedFirst: true, isOpenEnded: false)])
        try cache.setValue("messages.changes.\(key)", ChangePoint.time(Case.wall).storedText)
        start()
        openMessages(1, "c")
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1"])
        connect()
        let new = Case.channel("c", createdAt: Case.wall / 1000 + 5, last: Case.message(9))
        let isList: (ServiceRequest) -> Bool = { if case .listChannels = $0 { true } else { false } }
        answer(.channels(ChannelPage(channels: [new], next: "")), to: isList)
        XCTAssertEqual(host.ids(1), [])
        XCTAssertNil(try cache.message(id: "1", channel: key))
    }

    /// A channel is gone while its messages wait for a service that fails: when it is there again nothing waits
    /// (simulation, seed 17316).
    func testAChannelThatComesAgainIsAskedForAtOnce() throws {
        begin([Case.message(1)])
        loseConnection()
        connect()
        let isLog: (ServiceRequest) -> Bool = { if case .messageChanges = $0 { true } else { false } }
        for _ in 1...6 {
            answer(Case.failure(.unavailable, 500_901), to: isLog)
            wait(60_000)
        }
        answer(Case.failure(.unavailable, 500_901), to: isLog)
        event(.channel(url: "c", .removed(Cause(.eventChannelDeleted))))
        event(.channel(url: "c", .entered(Cause(.eventUserJoined))))
        answer(.channel(Case.channel("c", id: 2)), to: isChannel)
        fetch(1, .previous)
        XCTAssertEqual(asked { if case .messagesAround = $0 { true } else { false } }.count, 1)
    }

    func testAForgottenChannelThatComesAgainKeepsItsMessages() throws {
        begin([Case.message(1), Case.message(2)])
        command(.action(ActionCall(action: .clearChannels, arguments: [:]), call: newCall()))
        serve(channels: [Case.channel("c", last: Case.message(2))])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertNil(try cache.formerChannel("c"))
    }

    /// The history of a channel was reset; then channels were forgotten, and this user left and was invited again: what
    /// the reset had hidden is there again, so the cache does not reach the first message (simulation, seed 4115).
    func testAForgottenChannelThatShowsOldMessagesAgainForgetsWhatIsCached() throws {
        begin([Case.message(1), Case.message(2)])
        let offset = Case.message(2).position.order
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c", last: Case.message(2), messageOffset: offset)), to: isChannel)
        XCTAssertEqual(host.ids(1), ["2"])
        let again = Case.channel("c", last: Case.message(2))
        command(.action(ActionCall(action: .clearChannels, arguments: [:]), call: newCall()))
        serve(channels: [again], messages: ["c": [Case.message(1), Case.message(2)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
    }

    /// What a reset has hidden stays hidden while the channel is forgotten: the service tells everybody of an edit
    /// (simulation, seed 13203).
    func testAnEditOfWhatIsHiddenInAForgottenChannelIsNotShown() throws {
        begin([Case.message(1), Case.message(2)])
        let offset = Case.message(2).position.order
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c", last: Case.message(2), messageOffset: offset)), to: isChannel)
        command(.action(ActionCall(action: .clearChannels, arguments: [:]), call: newCall()))
        event(.messageUpdated(channelURL: "c", message: Case.message(1, updatedAt: Case.wall + 9000)))
        XCTAssertEqual(host.ids(1), ["2"])
    }

    /// The reset left no message: that nothing is there is known, and was kept with the messages.
    func testAForgottenChannelThatWasEmptyShowsItsOldMessagesAgain() throws {
        begin([Case.message(1)])
        let offset = Case.message(2).position.order
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c", messageOffset: offset)), to: isChannel)
        XCTAssertEqual(host.ids(1), [])
        command(.action(ActionCall(action: .clearChannels, arguments: [:]), call: newCall()))
        XCTAssertNotNil(try cache.formerChannel("c"))
        serve(channels: [Case.channel("c", last: Case.message(1))], messages: ["c": [Case.message(1)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1"])
    }

    private func makeAgain(_ new: ChannelRecord, isForgotten: Bool = false) throws {
        begin([Case.message(1), Case.message(2)])
        loseConnection()
        if isForgotten {
            command(.action(ActionCall(action: .clearChannels, arguments: [:]), call: newCall()))
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
        XCTAssertNil(try cache.message(id: "1", channel: try cache.channelKey("c")))
    }

    /// A service that tells a channel's own id in some answers only does not empty it each time.
    func testAChannelWhoseOwnIDIsNotToldKeepsItsMessages() throws {
        begin([Case.message(1), Case.message(2)])
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        for id in [nil, 1] {
            event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
            serve(channels: [Case.channel("c", name: "n", last: Case.message(2), id: id)])
        }
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertNotNil(try cache.message(id: "1", channel: try cache.channelKey("c")))
    }

    /// A message whose time the service changed stands once, at its new place.
    func testAMessageWhoseTimeChangedStandsOnce() throws {
        begin([Case.message(1), Case.message(2), Case.message(3)])
        event(.messageUpdated(channelURL: "c", message: Case.message(1, at: 2, updatedAt: Case.wall + 9000)))
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
        event(.messageUpdated(channelURL: "c", message: Case.message(3, at: 0, updatedAt: Case.wall + 9000)))
        XCTAssertEqual(Set(host.ids(1)).count, host.ids(1).count)
        command(.resetViewpoint(collection: 1, viewpoint: .max))
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["3", "1", "2"])
    }

    /// The channel's last message gets an earlier time: which one is the last now only the service knows.
    func testALastMessageWhoseTimeChangedMayNotBeTheLast() throws {
        begin([Case.message(1), Case.message(2)])
        event(.messageUpdated(channelURL: "c", message: Case.message(2, at: 0, updatedAt: Case.wall + 9000)))
        serve(channels: [Case.channel("c", last: Case.message(1))])
        XCTAssertEqual(try cache.channel("c")?.lastMessage?.id, "1")
    }

    /// A host tells of its own send after the service told that the message is deleted again.
    func testADeletedMessageThatItsHostTellsOfIsNotTheLastOne() throws {
        begin([Case.message(1)])
        command(.appendMessage(
            collection: 1, requestID: "own", body: Array(#"{"message":"own"}"#.utf8), call: newCall()))
        event(.messageReceived(channelURL: "c", message: Case.message(2, by: "mei")))
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        serve(channels: [Case.channel("c", last: Case.message(1))])
        let call = newCall()
        command(.handleSendResponse(
            collection: 1, requestID: "own", .sent(Case.message(2, by: "mei", requestID: "own")), call: call))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1"])
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(try cache.channel("c")?.lastMessage?.id, "1")
    }

    /// Messages wait in memory for the first page; the deletion of one comes when nothing can be stored.
    func testADeletionThatCouldNotBeStoredReachesWhatWaitsInMemory() throws {
        start()
        openMessages(1, "c")
        connect()
        for id in Int64(1)...3 { event(.messageReceived(channelURL: "c", message: Case.message(id))) }
        cache.setCommitHook { () throws(StoreError) in throw StoreError.failed(code: 13, message: "full") }
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        cache.setCommitHook { () throws(StoreError) in }
        wait(5000)
        let left = [Case.message(1), Case.message(3)]
        serve(channels: [Case.channel("c", last: left[1])], messages: ["c": left])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "3"])
    }

    /// The disk was full at the first login, so no change log begins there: what an event brought into the cache in
    /// that session is looked for by the listing of the next one.
    func testWhatWasCachedBeforeThereWasALogIsLookedFor() throws {
        start()
        command(.pauseSync)
        cache.setCommitHook { () throws(StoreError) in throw StoreError.failed(code: 13, message: "full") }
        connect()
        cache.setCommitHook(nil)
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c"))) { if case .getChannel = $0 { true } else { false } }
        XCTAssertEqual(try cache.channelURLs(), ["c"])
        loseConnection()
        // Left meanwhile, and every second page of the listing comes after a kill.
        command(.resumeSync)
        connect()
        answer(.channels(ChannelPage(channels: [Case.channel("d")], next: "2"))) {
            if case .listChannels = $0 { true } else { false }
        }
        start()
        connect()
        serve(channels: [Case.channel("d")])
        XCTAssertEqual(try cache.channelURLs(), ["d"])
    }

    /// A channel is closed and opened again while a page is under way: that page's failure says nothing to the new one,
    /// which would forget what overtook its own page.
    func testAnAnswerForAClosedCollectionIsNotTheNextOnes() throws {
        start()
        openMessages(1, "c")
        connect()
        let isAround: (ServiceRequest) -> Bool = { if case .messagesAround = $0 { true } else { false } }
        XCTAssertEqual(asked(isAround).count, 1)
        command(.removeCollection(id: 1))
        openMessages(2, "c")
        fetch(2, .previous)
        XCTAssertEqual(asked(isAround).count, 2)
        answer(Case.failure(.timedOut, 800_180), to: isAround)
        event(.messageUpdated(channelURL: "c", message: Case.message(1, text: "new", updatedAt: Case.wall + 9000)))
        answer(.messages(Case.page([Case.message(1, text: "old")])), to: isAround)
        XCTAssert(host.json(2, .succeeded, "1")?.contains("new") == true, host.json(2, .succeeded, "1") ?? "-")
    }

    /// The socket is dead and nobody knows it yet: a page of what is newest lies beyond what was told, and what is in
    /// between is missing.
    func testAPageBeyondWhatTheSocketToldIsNotItsNeighbour() throws {
        begin([Case.message(1), Case.message(2)])
        command(.start(collection: 1, call: newCall()))
        let newest = [Case.message(8), Case.message(9)]
        answer(.messages(MessagePage(
            messages: newest, range: (HistoryEdge(newest[0].position), HistoryEdge(newest[1].position)),
            reachedFirst: false, reachedNewest: true))) { if case .messagesAround = $0 { true } else { false } }
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertEqual(try cache.chunks(channel: try cache.channelKey("c")).count, 2)
        serve(channels: [Case.channel("c", last: newest[1])], messages: ["c": (1...9).map { Case.message($0) }])
        XCTAssertEqual(host.ids(1), (1...9).map { "\($0)" })
        XCTAssertEqual(try cache.chunks(channel: try cache.channelKey("c")).count, 1)
    }

    /// A message at the edge of two pages counts once.
    func testProgressCountsAMessageOnce() throws {
        start()
        openMessages(1, "c")
        connect()
        let messages = (1...3).map { Case.message($0) }
        answer(.messages(MessagePage(
            messages: [messages[2]], range: (HistoryEdge(messages[2].position), HistoryEdge(messages[2].position)),
            reachedFirst: false, reachedNewest: true))) { if case .messagesAround = $0 { true } else { false } }
        serve(channels: [Case.channel("c", last: messages.last)], messages: ["c": messages])
        let done = host.events.compactMap {
            if case .client(.syncProgress(_, let done, _)) = $0 { done } else { nil }
        }
        XCTAssertEqual(done.last, 3)
    }

    /// One huge answer is taken in part by part: between two parts the client can be closed, and all of it is shown
    /// when it is not.
    func testAHugeAnswerIsTakenInPartByPart() throws {
        start()
        var query = ChannelQuery()
        query.limit = 100
        command(.openChannelCollection(id: 1, query: query))
        connect()
        fetch(1, .next)
        let channels = (1...5000).map { Case.channel("c\($0)", last: Case.message(Int64($0 % 997 + 1))) }
        answer(.channels(ChannelPage(channels: channels, next: ""))) {
            if case .listChannels(query, _, _) = $0 { true } else { false }
        }
        let first = try cache.channelURLs().count
        XCTAssertLessThan(first, 1000)
        XCTAssertNotNil(engine.nextDeadline)
        wait(0)
        XCTAssertEqual(try cache.channelURLs().count, 5000)
        XCTAssertEqual(Set(host.ids(1, .channels)).count, 5000)
    }
}
