import SyncModel
import XCTest

@testable import SyncEngine

/// Services that lack something: the engine asks for more instead, and shows the same in the end.
final class CapabilityTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// A list of channels and one of messages, both at rest; then the connection is lost and comes back.
    private func reconnect(_ capabilities: ServiceCapabilities) {
        start(capabilities: capabilities)
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        openMessages(2, "c")
        connect()
        let messages = [Case.message(1), Case.message(2), Case.message(3)]
        serve(
            channels: [Case.channel("c", last: messages.last), Case.channel("gone"), Case.channel("named")],
            messages: ["c": messages])
        fetch(1, .next)
        fetch(2, .previous)
        XCTAssertEqual(Set(host.ids(1, .channels)), ["c", "gone", "named"])
        XCTAssertEqual(host.ids(2), ["1", "2", "3"])
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall + 60_000)))
    }

    func testWithoutAChangeLogOfChannelsAllAreListedAgain() throws {
        reconnect(ServiceCapabilities(channelChanges: .asked))
        let now = [
            Case.channel("c", last: Case.message(3)), Case.channel("named", name: "otherwise"), Case.channel("new"),
        ]
        serve(channels: now, messages: ["c": [Case.message(1), Case.message(2), Case.message(3)]])
        XCTAssertEqual(Set(host.ids(1, .channels)), ["c", "named", "new"])
        XCTAssertEqual(try cache.channels.urls().sorted(), ["c", "named", "new"])
        XCTAssert(try XCTUnwrap(host.json(1, .channels, "named")).contains("otherwise"))
        XCTAssertEqual(host.ids(2), ["1", "2", "3"])
        XCTAssertFalse(everAsked.contains { if case .channelChanges = $0 { true } else { false } })
    }

    func testWithoutAChangeLogOfMessagesTheyAreAskedForAgain() throws {
        reconnect(ServiceCapabilities(messageChanges: .asked))
        let now = [Case.message(1, text: "edited", updatedAt: Case.wall + 9000), Case.message(3), Case.message(4)]
        let channels = [Case.channel("c", last: now.last), Case.channel("gone"), Case.channel("named")]
        serve(channels: channels, messages: ["c": now])
        fetch(2, .previous)
        XCTAssertEqual(host.ids(2), ["1", "3", "4"])
        XCTAssert(try XCTUnwrap(host.json(2, .succeeded, "1")).contains("edited"))
        XCTAssertNil(try cache.message(id: "2", channel: try cache.channels.key("c")))
        XCTAssertFalse(everAsked.contains { if case .messageChanges = $0 { true } else { false } })
    }

    func testWithoutAGapCheckPagesBringWhatWasMissed() throws {
        reconnect(ServiceCapabilities(hasGapCheck: false))
        let now = (1...5).map { Case.message($0) }
        serve(channels: [Case.channel("c", last: now.last), Case.channel("gone"), Case.channel("named")],
            messages: ["c": now])
        XCTAssertEqual(host.ids(2), ["1", "2", "3", "4", "5"])
        event(.messageReceived(channelURL: "c", message: Case.message(6)))
        XCTAssertEqual(host.ids(2).last, "6")
        XCTAssertFalse(everAsked.contains { if case .messageGap = $0 { true } else { false } })
    }

    /// Channels that came, changed or went while the stream did not go on are found by a listing; while it goes on,
    /// there is none.
    func testAStreamThatBrokeHasItsChannelsListedAgain() throws {
        start(capabilities: ServiceCapabilities(
            channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false))
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        connect()
        event(.batch([], resume: "1"))
        serve(channels: [Case.channel("c"), Case.channel("gone"), Case.channel("named")])
        fetch(1, .next)
        func listings() -> Int { everAsked.count { if case .listChannels = $0 { true } else { false } } }
        let atFirst = listings()
        let now = [Case.channel("c"), Case.channel("named", name: "otherwise"), Case.channel("new")]
        for isContinued in [true, false] {
            loseConnection()
            wait(60_000)
            event(.connected(SessionInfo(
                userID: "mei", loginTime: Case.wall + 60_000, isContinued: isContinued)))
            event(.batch([], resume: "2"))
            serve(channels: now)
            XCTAssertEqual(listings(), isContinued ? atFirst : atFirst + 1)
            XCTAssertEqual(
                try cache.channels.urls().sorted(), isContinued ? ["c", "gone", "named"] : ["c", "named", "new"])
        }
        XCTAssert(try XCTUnwrap(host.json(1, .channels, "named")).contains("otherwise"))
    }

    func testWithNothingOfItAllIsShownAsItIs() throws {
        reconnect(ServiceCapabilities(channelChanges: .asked, messageChanges: .asked, hasGapCheck: false))
        let now = [Case.message(2), Case.message(4), Case.message(5)]
        serve(channels: [Case.channel("c", last: now.last), Case.channel("named")], messages: ["c": now])
        fetch(2, .previous)
        XCTAssertEqual(host.ids(2), ["2", "4", "5"])
        XCTAssertEqual(Set(host.ids(1, .channels)), ["c", "named"])
    }

    /// Without a request, and also while nobody is logged in.
    func testAnActionThatIsNotOfferedCompletesAtOnce() {
        start(capabilities: ServiceCapabilities(missingActions: [.channel(.freezeChannel)]))
        let freeze = ActionCall(action: .channel(.freezeChannel), arguments: ["channel_url": .text("c")])
        let call = newCall()
        command(.call(call, .action(freeze)))
        XCTAssertEqual(host.status(call), .service)
        XCTAssertEqual(host.result(call)?.failure?.code, 800_111)
        XCTAssertFalse(everAsked.contains { if case .action = $0 { true } else { false } })
    }
}
