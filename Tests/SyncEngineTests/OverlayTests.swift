import SyncModel
import XCTest

@testable import SyncEngine

/// Actions that collections show before the service has answered.
final class OverlayTests: EngineTestCase {
    private typealias Case = EngineTestCase

    private func begin(
        _ messages: [MessageRecord], limit: Int = 30, _ change: (inout EngineOptions) -> Void = { _ in }
    ) {
        start(change)
        connect()
        let channels = [Case.channel("c", last: messages.last)]
        serve(channels: channels)
        openMessages(1, "c", limit: limit)
        serve(channels: channels, messages: ["c": messages])
        fetch(1, .previous)
        serve(messages: ["c": messages])
        forgetEvents()
    }

    private func call(_ action: String, _ id: Int, _ more: String = "") throws -> CallID {
        let call = newCall()
        let document = #"{"action":"\#(action)","channel_url":"c","message_id":\#(id)\#(more)}"#
        command(.call(call, .action(try ActionCall(Array(document.utf8)))))
        return call
    }

    private func answerAction(_ reply: ServiceReply, file: StaticString = #filePath, line: UInt = #line) {
        answer(reply, file: file, line: line) { if case .action = $0 { true } else { false } }
    }

    private func text(_ id: String) -> String { host.json(1, .succeeded, id) ?? "-" }

    private var sources: [EventSource] {
        host.events.compactMap {
            if case .change(let change) = $0, change.collection == 1 { change.cause.source } else { nil }
        }
    }

    /// The answer to an edit was made before what the connection told meanwhile: that stays.
    func testWhatWasToldMeanwhileIsNotTakenBackByAnAnswer() throws {
        begin([Case.message(1, by: "mei"), Case.message(2)])
        let reply = { (id: Int64, text: String) in
            let answered = Case.message(1, by: "mei", text: text, updatedAt: id)
            return ServiceReply.action(ActionReply(
                result: answered.json, events: [.messageUpdated(channelURL: "c", message: answered)]))
        }
        let call = try call("edit_message", 1, #","message":"mine""#)
        event(.messagePatched(
            channelURL: "c", messageID: "1", patch: .threadInfo(Array(#"{"reply_count":7}"#.utf8))))
        answerAction(reply(1, "mine"))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssert(text("1").contains("mine") && text("1").contains(#""reply_count":7"#), text("1"))
        // Nothing is remembered of a call that is over, and a deleted message does not come back.
        let other = try self.call("edit_message", 1, #","message":"late""#)
        event(.messageDeleted(channelURL: "c", messageID: "1"))
        answerAction(reply(2, "late"))
        XCTAssertEqual(host.status(other), .ok)
        XCTAssertEqual(host.ids(1), ["2"])
        XCTAssertNil(try cache.message(id: "1", channel: cache.channels.key("c")))
    }

    func testAReactionIsShownAtOnceAndTakenBackWhenRefused() throws {
        begin([Case.message(1), Case.message(2)])
        let before = text("1")
        let call = try call("add_reaction", 1, #","key":"heart""#)
        XCTAssert(text("1").contains("heart"))
        XCTAssertEqual(sources, [.localAction])
        XCTAssertNil(host.status(call))
        answerAction(Case.failure(.refused, 400_201))
        XCTAssertEqual(text("1"), before)
        XCTAssertEqual(host.status(call), .service)
        XCTAssertEqual(sources, [.localAction, .localAction])
        XCTAssertTrue(engine.overlays.isEmpty)
    }

    /// A collection that looked while a message was shown as deleted shows it when the service has refused that.
    func testARefusedDeletionIsSeenByWhoLookedMeanwhile() throws {
        begin([Case.message(1)])
        _ = try call("delete_message", 1)
        openMessages(2, "c")
        fetch(2, .previous)
        XCTAssertEqual(host.ids(2), [])
        answerAction(Case.failure(.refused, 400_201))
        XCTAssertEqual(host.ids(1), ["1"])
        XCTAssertEqual(host.ids(2), ["1"])
    }

    /// The connection is lost while an own message is under way: how far history is complete is in doubt, and what is
    /// shown stays. So does what an action showed otherwise (simulation, seed 30).
    func testAnActionThatFailsWithTheConnectionIsTakenBackAmongWhatIsInDoubt() throws {
        begin([Case.message(1), Case.message(2)])
        send(1, "r")
        for id in Int64(3)...5 {
            event(.messageReceived(channelURL: "c", message: Case.message(id, text: "before")))
        }
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4", "5"])
        _ = try call("delete_message", 4)
        _ = try call("edit_message", 5, #","message":"after""#)
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "5"])
        loseConnection()
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4", "5"])
        XCTAssert(text("5").contains("before"), text("5"))
    }

    /// The answer to an action overtakes the messages before the one it tells of, or those were lost with a dead socket
    /// (simulation, seed 3888).
    func testAnActionsAnswerAboutAMessageThatWasNotToldYetLeavesNoHole() throws {
        begin([Case.message(1), Case.message(2)])
        let call = try call("edit_message", 4, #","message":"after""#)
        let edited = Case.message(4, text: "after", updatedAt: Case.wall + 9000)
        answerAction(.action(ActionReply(events: [.messageUpdated(channelURL: "c", message: edited)])))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1", "2"])
        event(.messageReceived(channelURL: "c", message: Case.message(3)))
        event(.messageReceived(channelURL: "c", message: Case.message(4)))
        event(.messageUpdated(channelURL: "c", message: edited))
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"])
        XCTAssert(text("4").contains("after"))
    }

    /// A message was edited, then deleted on another device, and the news of the deletion was faster than the answer to
    /// the edit (simulation, seed 16932).
    func testAnActionsAnswerBringsNoDeletedMessageBack() throws {
        begin([Case.message(1), Case.message(2, by: "mei"), Case.message(3)])
        let call = try call("edit_message", 2, #","message":"after""#)
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        let edited = Case.message(2, by: "mei", text: "after", updatedAt: Case.wall + 9000)
        answerAction(.action(ActionReply(events: [.messageUpdated(channelURL: "c", message: edited)])))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1", "3"])
        XCTAssertNil(try cache.message(id: "2", channel: try cache.channels.key("c")))
    }

    /// A reaction was taken back, and made again on another device before the answer came (simulation, seed 14787); and
    /// the other way round.
    func testAnActionsAnswerDoesNotUndoANewerReaction() throws {
        func told(_ isAdded: Bool, _ time: Int64) -> ServiceEvent {
            let reaction = MessageReaction(key: "heart", userID: "mei", isAdded: isAdded, updatedAt: time)
            return .messagePatched(channelURL: "c", messageID: "1", patch: .reaction(reaction))
        }
        begin([Case.message(1), Case.message(2)])
        event(told(true, 1))
        for isAdded in [false, true] {
            let call = try call(isAdded ? "add_reaction" : "remove_reaction", 1, #","key":"heart""#)
            event(told(isAdded, 2))
            event(told(!isAdded, 3))
            answerAction(.action(ActionReply(events: [told(isAdded, 2)])))
            XCTAssertEqual(host.status(call), .ok)
            XCTAssertEqual(text("1").contains("heart"), !isAdded)
        }
        // What nobody told meanwhile the answer tells.
        _ = try call("add_reaction", 1, #","key":"heart""#)
        answerAction(.action(ActionReply(events: [told(true, 4)])))
        XCTAssert(text("1").contains("heart"))
    }

    func testWhatTheServiceSaysMeanwhileIsBelow() throws {
        begin([Case.message(1, by: "mei", text: "first")])
        _ = try call("edit_message", 1, #","message":"second""#)
        _ = try call("add_reaction", 1, #","key":"heart""#)
        event(.messageUpdated(
            channelURL: "c", message: Case.message(1, by: "mei", text: "third", updatedAt: Case.wall + 5000)))
        XCTAssert(text("1").contains("second") && text("1").contains("heart"), text("1"))
        // The edit is refused: the text is what the service said last, and the reaction stays.
        answerAction(Case.failure(.refused, 1))
        XCTAssert(text("1").contains("third") && text("1").contains("heart"), text("1"))
        answerAction(Case.failure(.refused, 1))
        XCTAssert(text("1").contains("third") && !text("1").contains("heart"), text("1"))
    }

    func testADeletionIsSeenAtOnceAndOnlyOnce() throws {
        begin([Case.message(1, by: "mei"), Case.message(2)])
        _ = try call("delete_message", 1)
        XCTAssertEqual(host.ids(1), ["2"])
        answerAction(.action(ActionReply(events: [.messageDeleted(channelURL: "c", messageID: "1")])))
        XCTAssertEqual(host.ids(1), ["2"])
        XCTAssertEqual(sources, [.localAction])
    }

    /// At either end, in the middle and alone: what was deleted stands again where it stood.
    func testARefusedDeletionIsPutBackWhereItWas() throws {
        for all in [[1], [1, 2], [1, 2, 3]] {
            for id in all {
                tearDown()
                try setUpWithError()
                begin(all.map { Case.message(Int64($0), by: "mei") })
                _ = try call("delete_message", id)
                XCTAssertEqual(host.ids(1), all.filter { $0 != id }.map(String.init))
                answerAction(Case.failure(.refused, 1))
                XCTAssertEqual(host.ids(1), all.map(String.init), "\(id) of \(all)")
            }
        }
    }

    /// What stands between the end of the list and the message comes back with it: the list has no hole.
    func testTwoDeletionsAtTheOldestEndArePutBack() throws {
        begin((1...6).map { Case.message($0, by: "mei") }, limit: 3)
        XCTAssertEqual(host.ids(1), ["4", "5", "6"])
        _ = try call("delete_message", 4)
        _ = try call("delete_message", 5)
        XCTAssertEqual(host.ids(1), ["6"])
        answerAction(Case.failure(.refused, 1))
        XCTAssertEqual(host.ids(1), ["4", "6"])
        answerAction(Case.failure(.timedOut))
        XCTAssertEqual(host.ids(1), ["4", "5", "6"])
    }

    func testPagesAreFullWithoutWhatIsHidden() throws {
        begin((1...9).map { Case.message($0, by: "mei") }, limit: 3)
        for id in [4, 5, 6] { _ = try call("delete_message", id) }
        let page = fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "7", "8", "9"])
        XCTAssertEqual(host.results[page]?.hasMore, false)
        for _ in 4...6 { answerAction(Case.failure(.refused, 1)) }
        XCTAssertEqual(host.ids(1), (1...9).map(String.init))
    }

    func testItIsNotStoredAndSurvivesAReset() throws {
        begin([Case.message(1, by: "mei", text: "stored")])
        _ = try call("edit_message", 1, #","message":"shown""#)
        command(.post(.resetViewpoint(collection: 1, viewpoint: .max)))
        fetch(1, .previous)
        XCTAssert(text("1").contains("shown"), text("1"))
        let key = try XCTUnwrap(try cache.channels.keyIfKnown("c"))
        let stored = try XCTUnwrap(try cache.message(id: "1", channel: key))
        XCTAssert(String(decoding: stored.json, as: UTF8.self).contains("stored"))
    }

    func testALostConnectionTakesItBack() throws {
        begin([Case.message(1, by: "mei", text: "before")])
        let edit = try call("edit_message", 1, #","message":"after""#)
        loseConnection()
        XCTAssertEqual(host.status(edit), .network)
        XCTAssert(text("1").contains("before"))
        let late = try call("edit_message", 1, #","message":"after""#)
        XCTAssertEqual(host.status(late), .notConnected)
        XCTAssert(text("1").contains("before"))
    }

    func testOnlyTheSenderEdits() throws {
        begin([Case.message(1)])
        let edit = try call("edit_message", 1, #","message":"after""#)
        XCTAssertEqual(host.status(edit), .notOwnMessage)
        XCTAssertTrue(host.events.isEmpty)
    }

    func testTheLastMessageOfAListIsShownThatWay() throws {
        begin([Case.message(1, by: "mei", text: "before")])
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        fetch(2, .next)
        _ = try call("edit_message", 1, #","message":"after""#)
        XCTAssert(host.json(2, .channels, "c")?.contains("after") == true, host.json(2, .channels, "c") ?? "-")
        answerAction(Case.failure(.refused, 1))
        XCTAssert(host.json(2, .channels, "c")?.contains("before") == true, host.json(2, .channels, "c") ?? "-")
    }

    /// A collection without a bound reaches back to what it hid at its end, while another action is pending.
    func testACollectionOfAnyCapacityShowsAgainWhatItHid() throws {
        begin((1...5).map { Case.message($0, by: "mei") }) { $0.messageCollectionCapacity = Int.max }
        openMessages(2, "c", viewpoint: Case.wall + 3500)
        fetch(2, .previous)
        XCTAssertEqual(host.ids(2), ["1", "2", "3"])
        let delete = try call("delete_message", 3)
        _ = try call("add_reaction", 1, #","key":"+1""#)
        XCTAssertEqual(host.ids(2), ["1", "2"])
        answer(Case.failure(.refused, 400_108)) { request in
            if case .action(let call) = request { call.action == .message(.deleteMessage) } else { false }
        }
        XCTAssertEqual(host.status(delete), .service)
        XCTAssertEqual(host.ids(2), ["1", "2", "3"])
    }
}
