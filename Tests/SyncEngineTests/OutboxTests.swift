import SyncJSON
import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Own messages on disk: what a start makes of old ones, and what happens when one cannot be taken off.
final class OutboxTests: EngineTestCase {
    private static let day: Int64 = 86_400_000

    /// A message that was written some time before the start, in milliseconds.
    private func add(_ id: RequestID, age: Int64, isFailed: Bool = false, isHostSent: Bool = false) throws {
        var intent = try intents.add(
            channelURL: "c", requestID: id, createdAt: EngineTestCase.wall - age,
            body: Array(#"{"message":"m"}"#.utf8), isHostSent: isHostSent)
        guard isFailed else { return }
        (intent.status, intent.errorCode) = (.failed, 900_020)
        try intents.update(intent)
    }

    private func stored() throws -> [RequestID] { try intents.intents().map(\.requestID) }

    private func startWithACollection() {
        start()
        openMessages(1, "c")
    }

    /// Connects, and gives the request ids of what is sent then.
    private func sends() -> [RequestID] {
        connect()
        XCTAssertEqual(asked(isSend).count, 0, "what waited goes out after the first answer of sync")
        serve(channels: [EngineTestCase.channel("c")])
        return sent()
    }

    func testAPendingMessageOfThreeDaysIsSentAndAnOlderOneOnlyShown() throws {
        try add("older", age: 3 * OutboxTests.day + 1)
        try add("young", age: 3 * OutboxTests.day)
        startWithACollection()
        XCTAssertEqual(sends(), ["young"])
        XCTAssertEqual(host.ids(1, .pending), ["young"])
        XCTAssertEqual(host.ids(1, .failed), ["older"])
        XCTAssertEqual(try stored(), ["older", "young"])
    }

    func testWhatTheHostWasSendingIsShownAsFailedAndNotSent() throws {
        try add("host", age: 1, isHostSent: true)
        startWithACollection()
        XCTAssertEqual(sends(), [])
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(host.ids(1, .failed), ["host"])
        XCTAssertEqual(try stored(), ["host"])
    }

    func testAFailedMessageIsKeptForSevenDays() throws {
        try add("gone", age: 7 * OutboxTests.day + 1, isFailed: true)
        try add("kept", age: 7 * OutboxTests.day, isFailed: true)
        startWithACollection()
        XCTAssertEqual(host.ids(1, .failed), ["kept"])
        XCTAssertEqual(try stored(), ["kept"])
    }

    /// Else the next start would send it once more.
    func testASentMessageThatStayedOnDiskLeavesItAtTheLastOccasion() throws {
        try sendOneThatStaysOnDisk()
        try sql("DROP TRIGGER stuck", file: "intents.db")
        close()
        XCTAssertEqual(try stored(), [])
    }

    func testASentMessageThatStayedOnDiskLeavesItAtTheNextOccasion() throws {
        try sendOneThatStaysOnDisk()
        command(.post(.disconnect))
        XCTAssertEqual(try stored(), ["sent"])
        try sql("DROP TRIGGER stuck", file: "intents.db")
        XCTAssertEqual(sends(), [])
        XCTAssertEqual(try stored(), [])
    }

    private func sendOneThatStaysOnDisk() throws {
        try add("sent", age: 1)
        startWithACollection()
        XCTAssertEqual(sends(), ["sent"])
        try sql(
            "CREATE TRIGGER stuck BEFORE DELETE ON intent BEGIN SELECT RAISE(ABORT, 'stuck'); END", file: "intents.db")
        answer(.message(EngineTestCase.message(7, by: "mei", requestID: "sent")), to: isSend)
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(try stored(), ["sent"])
    }

    /// One at a time, oldest first; what fails in a way that a retry may cure holds back what was written after it.
    func testOneChannelSendsInOrder() {
        startWithACollection()
        connect()
        serve(channels: [EngineTestCase.channel("c")])
        for id in ["a", "b", "c"] as [RequestID] { send(1, id) }
        XCTAssertEqual(asked(isSend).count, 1)
        answer(EngineTestCase.failure(.unavailable, 500_901), to: isSend)
        XCTAssertEqual(asked(isSend).count, 0)
        var order: [RequestID] = []
        wait(60_000)
        while let request = asked(isSend).first, case .sendMessage(_, let id, _) = request {
            order.append(id)
            answer(.message(EngineTestCase.message(Int64(20 + order.count), by: "mei", requestID: id))) {
                $0 == request
            }
        }
        XCTAssertEqual(order, ["a", "b", "c"])
    }

    /// Given up while it is being sent: the service has it all the same, and shows it.
    func testAMessageGivenUpTooLateIsShown() {
        startWithACollection()
        connect()
        serve(channels: [EngineTestCase.channel("c")])
        fetch(1, .previous)
        let call = send(1, "late")
        command(.call(newCall(), .own(.delete(.unsent(requestID: "late")), in: 1)))
        XCTAssertEqual(host.status(call), .removed)
        answer(.message(EngineTestCase.message(5, by: "mei", requestID: "late")), to: isSend)
        XCTAssertEqual(host.ids(1), ["5"])
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
    }

    // MARK: Time

    private func changes(_ list: CollectionChange.List) -> [String] {
        host.events.compactMap { event in
            guard case .change(let change) = event, change.list == list else { return nil }
            return "\(change.action) \(change.reason?.rawValue ?? "-")"
        }
    }

    /// Not only at the next start.
    func testAFailedMessageGoesWhenItsTimeIsOver() throws {
        try add("old", age: 7 * OutboxTests.day - 5000, isFailed: true)
        startWithACollection()
        XCTAssertEqual(host.ids(1, .failed), ["old"])
        wait(4000)
        XCTAssertEqual(host.ids(1, .failed), ["old"])
        wait(2000)
        XCTAssertEqual(host.ids(1, .failed), [])
        XCTAssertEqual(changes(.failed).last, "remove remove_retention_expired")
        XCTAssertEqual(try stored(), [])
    }

    /// The one under way is let be: its answer decides.
    func testAPendingMessageFailsWhenItHasWaitedTooLong() throws {
        try add("waits", age: 3 * OutboxTests.day - 5000)
        startWithACollection()
        wait(6000)
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(host.ids(1, .failed), ["waits"])
        XCTAssertEqual(sends(), [])
    }

    /// The timer counts by the monotonic clock, which stands meanwhile.
    func testAMessageThatGrewTooOldWhileTheMachineSleptIsNotSentOnWaking() throws {
        try add("waits", age: 1)
        startWithACollection()
        now.wall += 4 * OutboxTests.day
        XCTAssertEqual(sends(), [])
        XCTAssertEqual(host.ids(1, .failed), ["waits"])
    }

    func testAMessageThatGrewTooOldWhileItWaitedForSyncIsNotSent() throws {
        try add("a", age: 1)
        startWithACollection()
        connect()
        now = Moment(monotonic: now.monotonic, wall: now.wall + 4 * OutboxTests.day)
        serve(channels: [EngineTestCase.channel("c")])
        XCTAssertEqual(asked(isSend).count, 0)
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(host.ids(1, .failed), ["a"])
    }

    func testAMessageThatGrewTooOldInAPauseOfTheServiceIsNotSent() throws {
        try add("a", age: 1)
        connectIntoAPause()
        now = Moment(monotonic: now.monotonic, wall: now.wall + 4 * OutboxTests.day)
        wait(61_000)
        XCTAssertEqual(asked(isSend).count, 0)
        XCTAssertEqual(host.ids(1, .failed), ["a"])
    }

    /// What became of the first one is told before the next one, which has grown too old, fails.
    func testTheNextMessageThatGrewTooOldFailsBehindTheOneThatWasSent() throws {
        for id in ["first", "next"] as [RequestID] { try add(id, age: 1) }
        startWithACollection()
        XCTAssertEqual(sends(), ["first"])
        now = Moment(monotonic: now.monotonic, wall: now.wall + 4 * OutboxTests.day)
        answer(.message(EngineTestCase.message(7, by: "mei", requestID: "first")), to: isSend)
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(host.ids(1, .failed), ["next"])
        let removed = host.events.compactMap { event -> CollectionChange? in
            guard case .change(let change) = event else { return nil }
            return change.list == .pending && change.action == .remove ? change : nil
        }
        XCTAssertEqual(removed.flatMap { $0.items.map(\.id) }, ["first", "next"])
        XCTAssertEqual(removed.flatMap { $0.items.map(\.index) }, [0, 0])
    }

    func testAMessageUnderWayDoesNotGrowTooOld() throws {
        try add("sent", age: 3 * OutboxTests.day - 5000)
        startWithACollection()
        XCTAssertEqual(sends(), ["sent"])
        wait(6000)
        XCTAssertEqual(host.ids(1, .pending), ["sent"])
        answer(.message(EngineTestCase.message(7, by: "mei", requestID: "sent")), to: isSend)
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
    }

    // MARK: Pauses of the service

    /// Connects. Channel sync has had its answer when the service wants no requests for a minute: what waited for that
    /// answer waits for the end of the minute.
    private func connectIntoAPause() {
        startWithACollection()
        connect()
        event(.channel(url: "d", .changed(Cause(.eventChannelChanged))))
        answer(EngineTestCase.failure(.rateLimited(retryAfter: 60_000), 500_910)) { $0 == .getChannel(url: "d") }
        serve(channels: [EngineTestCase.channel("c")])
        XCTAssertEqual(asked(isSend).count, 0)
    }

    private func sent() -> [RequestID] {
        asked(isSend).compactMap { if case .sendMessage(_, let id, _) = $0 { id } else { nil } }
    }

    private func freeze(_ isFrozen: Bool) {
        event(.channel(url: "c", .patched(Cause(isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen), members: [
            ChannelPatch(key: "freeze", value: Array("\(isFrozen)".utf8)),
        ])))
    }

    func testAMessageWhoseChannelIsFrozenInAPauseOfTheServiceWaitsUntilItIsNot() throws {
        try add("waits", age: 1)
        connectIntoAPause()
        freeze(true)
        wait(61_000)
        XCTAssertEqual(sent(), [])
        XCTAssertEqual(host.ids(1, .pending), ["waits"])
        freeze(false)
        XCTAssertEqual(sent(), ["waits"])
        answer(.message(EngineTestCase.message(7, by: "mei", requestID: "waits")), to: isSend)
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
    }

    func testWhatTheHostAsksForDoesNotWaitBehindAMessageThatAFrozenChannelHoldsBack() throws {
        try add("waits", age: 1)
        connectIntoAPause()
        freeze(true)
        send(1, "now")
        wait(61_000)
        XCTAssertEqual(sent(), ["now"])
        XCTAssertEqual(host.ids(1, .pending), ["waits", "now"])
    }

    func testAMessageThatIsDeletedInAPauseOfTheServiceIsNotSent() throws {
        try add("deleted", age: 2)
        try add("next", age: 1)
        connectIntoAPause()
        command(.call(newCall(), .own(.delete(.unsent(requestID: "deleted")), in: 1)))
        XCTAssertEqual(host.ids(1, .pending), ["next"])
        wait(61_000)
        XCTAssertEqual(sent(), ["next"])
    }

    // MARK: Frozen channels

    private func frozen(_ isFrozen: Bool) -> ChannelRecord {
        let json = #"{"channel_url":"c","id":1,"created_at":1600000000,"member_state":"joined","freeze":\#(isFrozen)}"#
        return ChannelRecord(json: Array(json.utf8)) ?? EngineTestCase.channel("c")
    }

    /// The service refuses it then; waiting for ever helps nobody.
    func testWhatWaitsInAFrozenChannelGoesOutWhenTheChannelIsGone() throws {
        try add("waits", age: 1)
        startWithACollection()
        connect()
        serve(channels: [frozen(true)])
        XCTAssertEqual(asked(isSend).count, 0)
        event(.channel(url: "c", .removed(Cause(.eventUserLeft))))
        XCTAssertEqual(asked(isSend).count, 1)
        answer(EngineTestCase.failure(.refused, 900_020), to: isSend)
        XCTAssertEqual(host.ids(1, .failed), ["waits"])
    }

    func testWhatWaitedForALoginDoesNotGoIntoAFrozenChannel() throws {
        try add("waits", age: 1)
        startWithACollection()
        connect()
        serve(channels: [frozen(true)])
        XCTAssertEqual(asked(isSend).count, 0)
        // What the host asks for now is asked of the service, which says no.
        send(1, "now")
        XCTAssertEqual(asked(isSend).count, 1)
        answer(EngineTestCase.failure(.refused, 900_050), to: isSend)
        XCTAssertEqual(host.ids(1, .failed), ["now"])
        freeze(false)
        XCTAssertEqual(asked(isSend).count, 1)
        XCTAssertEqual(host.ids(1, .pending), ["waits"])
    }

    /// Failed messages stand in the order they were written, in an open collection as in one opened later.
    func testFailedMessagesStandInTheOrderTheyWereWritten() throws {
        startShowing([EngineTestCase.message(1)], resend: .manual)
        send(1, "a")
        send(1, "b")
        for _ in 1...2 { answer(EngineTestCase.failure(.refused, 900_050), to: isSend) }
        command(.call(newCall(), .own(.resend(requestID: "a"), in: 1)))
        answer(EngineTestCase.failure(.refused, 900_050), to: isSend)
        openMessages(2, "c")
        XCTAssertEqual(host.ids(1, .failed), ["a", "b"])
        XCTAssertEqual(host.ids(2, .failed), ["a", "b"])
    }

    /// Messages for a channel that was frozen meanwhile fail one after the other without a pause between them.
    func testARefusalForGoodIsNoReasonToWait() throws {
        startShowing([EngineTestCase.message(1)])
        let calls = (1...7).map { send(1, "r\($0)") }
        for _ in calls { answer(EngineTestCase.failure(.refused, 900_050), to: isSend) }
        XCTAssertEqual(calls.map { host.status($0) }, Array(repeating: .service, count: 7))
        XCTAssertEqual(host.ids(1, .failed), (1...7).map { "r\($0)" })
    }

    func testSyncRunsWhileAMessageIsSentAndRestsInAPause() throws {
        startShowing([EngineTestCase.message(1)])
        XCTAssertEqual(host.syncStates.last, .idle)
        send(1, "a")
        XCTAssertEqual(host.syncStates.last, .running)
        answer(EngineTestCase.failure(.unavailable, 500_901), to: isSend)
        XCTAssertEqual(host.syncStates.last, .idle)
    }

    // MARK: Accepted, without a place

    private let inStream = ServiceCapabilities(
        channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false)

    /// Sends a message, which the service accepts under the id 7.
    private func accept(_ requestID: RequestID = "r") -> CallID {
        start(capabilities: inStream)
        openMessages(1, "c")
        connect()
        tell(resume: "0")
        serve(channels: [EngineTestCase.channel("c")], messages: ["c": [EngineTestCase.message(1)]])
        fetch(1, .previous)
        let call = send(1, requestID)
        answer(.accepted("7"), to: isSend)
        return call
    }

    private func tell(_ events: ServiceEvent..., resume: String = "1") { event(.batch(events, resume: resume)) }

    private func own(_ requestID: RequestID = "") -> ServiceEvent {
        .messageReceived(
            channelURL: "c", message: EngineTestCase.message(7, by: "mei", text: "r", requestID: requestID))
    }

    func testAnAcceptedMessageIsPendingUntilTheStreamBringsIt() throws {
        for requestID in ["r", ""] as [RequestID] {
            let call = accept()
            XCTAssertEqual(host.status(call), .ok)
            let told = try XCTUnwrap(host.result(call)?.message)
            XCTAssertEqual(try JSON.parse(told)["message_id"], 7)
            XCTAssertEqual(host.ids(1, .pending), ["r"])
            let shown = try XCTUnwrap(host.json(1, .pending, "r"))
            XCTAssertEqual(try JSON.parse(Array(shown.utf8))["status"], "sent")
            wait(10 * OutboxTests.day / 10)
            XCTAssertEqual(everAsked.filter(isSend).count, 1, "it is not sent again")
            tell(own(requestID))
            XCTAssertEqual(host.ids(1, .pending), [], "request '\(requestID)'")
            XCTAssertEqual(host.ids(1).last, "7")
            XCTAssertEqual(try stored(), [])
            try tearDownAndSetUp()
        }
    }

    func testAnAcceptedMessageIsNotSentAgainAfterARestart() throws {
        _ = accept()
        start(capabilities: inStream)
        openMessages(1, "c")
        XCTAssertEqual(host.ids(1, .pending), ["r"])
        connect()
        serve(channels: [EngineTestCase.channel("c")], messages: ["c": [EngineTestCase.message(1)]])
        XCTAssertEqual(everAsked.filter(isSend).count, 0)
        tell(own())
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(try stored(), [])
    }

    /// The stream has told of it, and told that it was deleted; the process ends before it is taken off the disk.
    func testAToldMessageIsNotPendingAfterADeathBetweenTheFiles() throws {
        for events in [[own()], [own(), .messageDeleted(channelURL: "c", messageID: "7")], [own("r")]] {
            _ = accept()
            intents.setStatementHook { (_) throws(StoreError) in throw .failed(code: 10, message: "dead") }
            event(.batch(events, resume: "2"))
            intents.setStatementHook(nil)
            start(capabilities: inStream)
            XCTAssertEqual(try stored(), [])
            openMessages(1, "c")
            XCTAssertEqual(host.ids(1, .pending), [])
            // A later message under the same request is another one.
            connect()
            serve(channels: [EngineTestCase.channel("c")], messages: ["c": [EngineTestCase.message(1)]])
            send(1, "r")
            start(capabilities: inStream)
            XCTAssertEqual(try stored().count, 1)
            try tearDownAndSetUp()
        }
    }

    func testAPageBringsAnAcceptedMessage() throws {
        _ = accept()
        tell(.hole(channelURL: "c", older: "h", newer: EngineTestCase.page(
            [EngineTestCase.message(9)], reachedFirst: false)))
        XCTAssertEqual(host.ids(1, .pending), [], "what the stream leaves out may hold it")
        let all = [
            EngineTestCase.message(1), EngineTestCase.message(7, by: "mei", text: "r"), EngineTestCase.message(9),
        ]
        serve(messages: ["c": all])
        fetch(1, .previous)
        serve(messages: ["c": all])
        XCTAssertEqual(host.ids(1), ["1", "7", "9"])
        XCTAssertEqual(try stored(), [])
    }

    /// The stream may be faster than the answer, and not name the request.
    func testTheStreamTellsOfAMessageBeforeItIsAccepted() throws {
        start(capabilities: inStream)
        openMessages(1, "c")
        connect()
        tell(resume: "0")
        serve(channels: [EngineTestCase.channel("c")], messages: ["c": [EngineTestCase.message(1)]])
        fetch(1, .previous)
        let call = send(1, "r")
        tell(own())
        XCTAssertEqual(host.ids(1, .pending), ["r"])
        answer(.accepted("7"), to: isSend)
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(host.ids(1), ["1", "7"])
        XCTAssertEqual(try stored(), [])
    }

    /// The acknowledgement was lost, and the first that is heard of the message is that somebody reacted to it.
    func testAFailedMessageThatAnEditBringsHasBeenSent() throws {
        start { $0.resendPolicy = .manual }
        openMessages(1, "c")
        connect()
        let first = EngineTestCase.message(1)
        serve(channels: [EngineTestCase.channel("c", last: first)], messages: ["c": [first]])
        send(1, "r")
        loseConnection()
        XCTAssertEqual(host.ids(1, .failed), ["r"])
        connect()
        serve(channels: [EngineTestCase.channel("c", last: first)], messages: ["c": [first]])
        let own = EngineTestCase.message(2, by: "mei", updatedAt: 9, requestID: "r")
        event(.messageUpdated(channelURL: "c", message: own))
        XCTAssertEqual(host.ids(1, .failed), [])
        XCTAssertEqual(try stored(), [])
    }

    func testAFailedMessageThatIsAcceptedLeavesTheListOfFailedOnes() throws {
        start(capabilities: inStream) { $0.resendPolicy = .manual }
        openMessages(1, "c")
        connect()
        serve(channels: [EngineTestCase.channel("c")], messages: ["c": [EngineTestCase.message(1)]])
        send(1, "r")
        answer(EngineTestCase.failure(.refused, 900_050), to: isSend)
        XCTAssertEqual(host.ids(1, .failed), ["r"])
        command(.call(newCall(), .own(.resend(requestID: "r"), in: 1)))
        answer(.accepted("7"), to: isSend)
        XCTAssertEqual(host.ids(1, .failed), [])
        XCTAssertEqual(host.ids(1, .pending), ["r"])
    }
}
