import SyncModel
import XCTest

@testable import SyncEngine

/// Own messages of which somebody else tells than the answer to their send: a page, or the host that sent them by its
/// own means.
final class OwnMessageTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// The acknowledgement of an own reply was lost; a page of the channel shows that the service has it (simulation,
    /// seed 684).
    func testAnOwnReplyThatAPageOfTheChannelBringsIsInItsThread() {
        func reply(_ id: Int64, requestID: RequestID = "") -> MessageRecord {
            var message = Case.message(id, by: requestID.isEmpty ? "bo" : "mei", requestID: requestID)
            message.parentID = "1"
            return message
        }
        start()
        connect()
        let channels = [Case.channel("c")]
        serve(channels: channels)
        var filter = MessageFilter()
        filter.parentID = "1"
        command(.post(.openMessageCollection(id: 2, channelURL: "c", filter: filter, viewpoint: .max)))
        answer(.message(Case.message(1)), to: isGetMessage)
        serve(channels: channels, messages: ["c": [reply(2)]])
        fetch(2, .previous)
        serve(channels: channels, messages: ["c": [reply(2)]])
        let call = newCall()
        let body = Array(#"{"message":"r","parent_message_id":1}"#.utf8)
        command(.call(call, .own(.send(requestID: "r", body: body), in: 2)))
        event(.messageReceived(channelURL: "c", message: reply(5)))
        XCTAssertEqual(host.ids(2), ["2", "5"])

        openMessages(3, "c")
        fetch(3, .previous)
        serve(
            channels: channels,
            messages: ["c": [Case.message(1), reply(2), reply(4, requestID: "r"), reply(5)]])
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(2, .pending), [])
        XCTAssertEqual(host.ids(2), ["2", "4", "5"])
    }

    /// A host sends by its own means before the login and tells of it after; meanwhile another device deleted the
    /// message (simulation, seed 11136).
    func testAMessageOfBeforeTheLoginThatPagesDoNotHaveIsGone() {
        start()
        let old = Case.message(-5, at: -60, by: "mei", requestID: "r")
        connect()
        let channels = [Case.channel("c")]
        serve(channels: channels)
        openMessages(1, "c")
        let call = newCall()
        command(.call(call, .own(.append(requestID: "r", body: Array(#"{"message":"r"}"#.utf8)), in: 1)))
        let tell = newCall()
        command(.call(tell, .own(.handleSendResponse(requestID: "r", .sent(old)), in: 1)))
        serve(channels: channels, messages: ["c": [Case.message(1, at: -120)]])
        fetch(1, .previous)
        serve(channels: channels, messages: ["c": [Case.message(1, at: -120)]])
        XCTAssertEqual(host.status(tell), .ok)
        XCTAssertEqual(host.ids(1), ["1"])
        XCTAssertEqual(host.ids(1, .pending), [])
    }

    /// A message that the host sent itself while offline, deleted elsewhere before the reconnect, must not come back.
    func testAMessageDeletedWhileAwayDoesNotReturnFromMemory() throws {
        let first = [Case.message(1), Case.message(2)]
        startShowing(first)
        loseConnection()
        command(.post(.disconnect))
        command(.call(newCall(), .own(.append(requestID: "own", body: Array(#"{"message":"own"}"#.utf8)), in: 1)))
        let own = Case.message(3, by: "mei", requestID: "own")
        command(.call(newCall(), .own(.handleSendResponse(requestID: "own", .sent(own)), in: 1)))
        connect()
        answerMessageLog(deleted: ["3"])
        serve(channels: [Case.channel("c", last: first.last)], messages: ["c": first])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertNil(try cache.message(id: "3", channel: try cache.channels.key("c")))
    }

    /// A host tells of its own send after the service told that the message is deleted again.
    func testADeletedMessageThatItsHostTellsOfIsNotTheLastOne() throws {
        startShowing([Case.message(1)])
        command(.call(newCall(), .own(.append(requestID: "own", body: Array(#"{"message":"own"}"#.utf8)), in: 1)))
        event(.messageReceived(channelURL: "c", message: Case.message(2, by: "mei")))
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        serve(channels: [Case.channel("c", last: Case.message(1))])
        let call = newCall()
        command(.call(
            call,
            .own(.handleSendResponse(requestID: "own", .sent(Case.message(2, by: "mei", requestID: "own"))), in: 1)))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1"])
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(try cache.channels.channel("c")?.lastMessage?.id, "1")
    }
}
