import SyncJSON
import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Actions on the way: what their answers make known, and what becomes of those that wait.
final class ActionTests: EngineTestCase {
    private func ask(_ action: Action, _ url: ChannelURL = "c", timeout: Int64? = nil) -> CallID {
        let call = newCall()
        let action = ActionCall(action: action, arguments: ["channel_url": .text(url.text)], timeout: timeout)
        command(.call(call, .action(action)))
        return call
    }

    private func cancel(_ other: CallID) -> CallID {
        let call = newCall()
        command(.call(
            call,
            .action(ActionCall(action: .library(.cancel), arguments: ["request": .integer(Int64(other.number))]))))
        return call
    }

    private func isAction(_ action: Action) -> (ServiceRequest) -> Bool {
        { if case .action(let call) = $0 { call.action == action } else { false } }
    }

    private func isGet(_ request: ServiceRequest) -> Bool { request == .getChannel(url: "c") }

    private func answered(_ channel: ChannelRecord) -> ServiceReply {
        .action(ActionReply(result: channel.json, events: [.channelAnswered(channel, Cause(.eventChannelChanged))]))
    }

    /// Logged in, with a list that shows the channel "c".
    private func begin() {
        start()
        connect()
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        fetch(1, .next)
        serve(channels: [EngineTestCase.channel("c", name: "old")])
        XCTAssertEqual(host.ids(1, .channels), ["c"])
    }

    private func shownName() throws -> String { try XCTUnwrap(cache.channels.channel("c")).name }

    // MARK: Answers

    func testTheAnswersChannelIsThereWhenTheCallCompletes() throws {
        begin()
        let call = ask(.channel(.updateChannel))
        answer(answered(EngineTestCase.channel("c", name: "new")), to: isAction(.channel(.updateChannel)))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(try shownName(), "new")
        let last = host.events.lastIndex { if case .change = $0 { true } else { false } }
        XCTAssertLessThan(try XCTUnwrap(last), try XCTUnwrap(host.eventsBefore[call]), "the list was told too late")
        XCTAssertEqual(asked(isGet).count, 0)
        // What the service tells of it, and what is asked because of that, changes nothing more.
        let told = host.changes.count
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(EngineTestCase.channel("c", name: "new")), to: isGet)
        XCTAssertEqual(host.changes.count, told)
    }

    /// The event came first, and the channel has changed again since: the older answer is not believed.
    func testAnAnswerThatAnEventOvertookIsNotBelieved() throws {
        begin()
        let call = ask(.channel(.updateChannel))
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(EngineTestCase.channel("c", name: "newer")), to: isGet)
        answer(answered(EngineTestCase.channel("c", name: "new")), to: isAction(.channel(.updateChannel)))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(try shownName(), "newer")
        answer(.channel(EngineTestCase.channel("c", name: "newest")), to: isGet)
        XCTAssertEqual(try shownName(), "newest")
        XCTAssertEqual(asked(isGet).count, 0)
    }

    /// It is being asked for already, behind the event: that answer is as good, and is not waited for twice.
    func testAnAnswerThatAnEventOvertookAsksNotTwice() throws {
        begin()
        _ = ask(.channel(.updateChannel))
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(answered(EngineTestCase.channel("c", name: "new")), to: isAction(.channel(.updateChannel)))
        answer(.channel(EngineTestCase.channel("c", name: "new")), to: isGet)
        XCTAssertEqual(try shownName(), "new")
        wait(10_000)
        XCTAssertEqual(asked(isGet).count, 0)
    }

    /// No event tells of it: what was asked for before the answer may not have it.
    func testAPatchThatWasOvertakenIsAskedForAgain() throws {
        begin()
        _ = ask(.property(.setPushPreference))
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        let patch = ChannelPatch(key: "push_trigger_option", value: Array("\"off\"".utf8))
        let answered = ServiceEvent.channel(url: "c", .patched(Cause(.eventChannelChanged), members: [patch]))
        answer(.action(ActionReply(events: [answered])), to: isAction(.property(.setPushPreference)))
        answer(.channel(EngineTestCase.channel("c", name: "before")), to: isGet)
        XCTAssertEqual(try shownName(), "old")
        wait(500)
        answer(.channel(EngineTestCase.channel("c", name: "after")), to: isGet)
        XCTAssertEqual(try shownName(), "after")
    }

    func testAChannelThatIsGoneAlreadyIsNotAskedFor() throws {
        begin()
        let call = ask(.member(.leave))
        event(.channel(url: "c", .removed(Cause(.eventUserLeft))))
        answer(
            .action(ActionReply(events: [.channel(url: "c", .removed(Cause(.eventUserLeft)))])),
            to: isAction(.member(.leave)))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1, .channels), [])
        XCTAssertEqual(asked(isGet).count, 0)
    }

    /// A page that came meanwhile may be older or newer than the answer.
    func testAnAnswerThatAListingOvertookIsNotBelieved() throws {
        start()
        connect()
        _ = ask(.channel(.updateChannel))
        serve(channels: [EngineTestCase.channel("c", name: "listed")])
        answer(answered(EngineTestCase.channel("c", name: "new")), to: isAction(.channel(.updateChannel)))
        XCTAssertEqual(try shownName(), "listed")
        answer(.channel(EngineTestCase.channel("c", name: "asked")), to: isGet)
        XCTAssertEqual(try shownName(), "asked")
    }

    // MARK: Waiting

    private func bringAPause(_ milliseconds: Int64) {
        let call = ask(.member(.listMembers))
        answer(
            EngineTestCase.failure(.rateLimited(retryAfter: milliseconds), 500_910),
            to: isAction(.member(.listMembers)))
        XCTAssertEqual(host.status(call), .service)
    }

    func testAnActionHeldBackKeepsItsDeadline() {
        begin()
        bringAPause(10_000)
        let short = ask(.channel(.freezeChannel), timeout: 300)
        let long = ask(.channel(.unfreezeChannel), timeout: 20_000)
        XCTAssertEqual(asked(isAction(.channel(.freezeChannel))).count, 0)
        wait(299)
        XCTAssertNil(host.status(short))
        wait(1)
        XCTAssertEqual(host.status(short), .timeout)
        wait(10_000)
        XCTAssertEqual(asked(isAction(.channel(.freezeChannel))).count, 0)
        XCTAssertEqual(asked(isAction(.channel(.unfreezeChannel))).count, 1)
        answer(.action(ActionReply()), to: isAction(.channel(.unfreezeChannel)))
        XCTAssertEqual(host.status(long), .ok)
    }

    func testCanceledWhileHeldBackIsNeverAsked() {
        begin()
        bringAPause(1_000)
        let held = ask(.channel(.freezeChannel))
        let end = cancel(held)
        XCTAssertEqual(host.status(end), .ok)
        XCTAssertEqual(host.status(held), .canceled)
        wait(20_000)
        XCTAssertEqual(asked(isAction(.channel(.freezeChannel))).count, 0)
    }

    /// What the service did all the same is told to the collections.
    func testCanceledWhileUnderWay() throws {
        begin()
        let call = ask(.channel(.updateChannel))
        let (first, second) = (cancel(call), cancel(call))
        XCTAssertEqual(host.status(call), .canceled)
        XCTAssertEqual(host.status(first), .ok)
        XCTAssertEqual(host.status(second), .notFound)
        answer(answered(EngineTestCase.channel("c", name: "new")), to: isAction(.channel(.updateChannel)))
        XCTAssertEqual(try shownName(), "new")
    }

    func testTheEndOfTheSessionEndsActions() {
        begin()
        bringAPause(10_000)
        let held = ask(.channel(.freezeChannel))
        loseConnection()
        XCTAssertEqual(host.status(held), .network)
        let late = ask(.channel(.freezeChannel))
        XCTAssertEqual(host.status(late), .notConnected)
        wait(20_000)
    }
}
