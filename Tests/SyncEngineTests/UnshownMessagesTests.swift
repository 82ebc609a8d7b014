import SyncModel
import XCTest

@testable import SyncEngine

/// Messages of channels and threads that are cached while no collection shows them.
final class UnshownMessagesTests: EngineTestCase {
    private typealias Case = EngineTestCase

    private func edited(_ id: Int64) -> MessageRecord {
        Case.message(id, text: "edited", updatedAt: Case.wall + 9000)
    }

    /// What is cached of a channel or a thread, as `id` or, where it was edited, `id*`.
    private func cached(_ key: Int64) throws -> [String] {
        try cache.messageReferences(channel: key, from: .first, through: .last).map { message in
            let json = try XCTUnwrap(try cache.message(id: message.id, channel: key)).json
            return message.id.text + (String(decoding: json, as: UTF8.self).contains("edited") ? "*" : "")
        }
    }

    func testEditsAndDeletionsReachTheCache() throws {
        startShowing([Case.message(1), Case.message(2), Case.message(3)])
        command(.post(.removeCollection(id: 1)))
        event(.messageUpdated(channelURL: "c", message: edited(1)))
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        let reaction = MessageReaction(key: "+1", userID: "bo", isAdded: true, updatedAt: 1)
        event(.messagePatched(channelURL: "c", messageID: "3", patch: .reaction(reaction)))
        let key = try cache.channels.key("c")
        XCTAssertEqual(try cached(key), ["1*", "3"])
        let third = try XCTUnwrap(try cache.message(id: "3", channel: key))
        XCTAssert(String(decoding: third.json, as: UTF8.self).contains("+1"))
    }

    /// The file says no more which message is the newest: what comes next may not be behind it.
    func testMessagesOfOthersAreNotStored() throws {
        startShowing([Case.message(1), Case.message(2)])
        command(.post(.removeCollection(id: 1)))
        event(.messageReceived(channelURL: "c", message: Case.message(5)))
        let key = try cache.channels.key("c")
        XCTAssertEqual(try cached(key), ["1", "2"])
        XCTAssertEqual(try cache.chunks.of(channel: key).last?.end.position, Case.message(2).position)
    }

    /// It may be from before what this user may see.
    func testAnEditBringsNothingThatIsNotCached() throws {
        startShowing([Case.message(1), Case.message(3)])
        command(.post(.removeCollection(id: 1)))
        event(.messageUpdated(channelURL: "c", message: edited(2)))
        XCTAssertEqual(try cached(try cache.channels.key("c")), ["1", "3"])
    }

    /// Where the stream goes on over sessions, what it tells is stored also while nobody looks, and no page is asked
    /// for when the channel is opened again, after a restart too.
    func testAStreamThatGoesOnIsStored() throws {
        let inStream = ServiceCapabilities(channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false)
        start(capabilities: inStream)
        openMessages(1, "c")
        connect()
        event(.batch([], resume: "1"))
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1), Case.message(2)]])
        command(.post(.removeCollection(id: 1)))
        event(.messageReceived(channelURL: "c", message: Case.message(5)))
        close()
        start(capabilities: inStream)
        command(.call(newCall(), .connect))
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall, isContinued: true)))
        event(.messageReceived(channelURL: "c", message: Case.message(6)))
        openMessages(1, "c")
        serve(channels: [Case.channel("c")])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2", "5", "6"])
        XCTAssertFalse(everAsked.contains { if case .messages = $0 { true } else { false } })
        XCTAssertFalse(everAsked.contains { if case .messagesAround = $0 { true } else { false } })
        XCTAssertFalse(everAsked.contains { if case .messageChanges = $0 { true } else { false } })
    }

    /// Of a thread that was shown the parent is cached, too.
    func testThreadsOfThatChannelFollow() throws {
        startShowing([Case.message(1), Case.message(2)])
        let channel = try cache.channels.key("c")
        let thread = try cache.threads.key(channel: channel, parentID: "1")
        try cache.threads.copy(thread, parentID: "1", from: channel)
        XCTAssertEqual(try cached(thread), ["1"])
        event(.messageUpdated(channelURL: "c", message: edited(1)))
        XCTAssertEqual(try cached(thread), ["1*"])
        event(.messageDeleted(channelURL: "c", messageID: "1"))
        XCTAssertEqual(try cached(thread), [])
        XCTAssertEqual(try cached(channel), ["2"])
    }

    /// A damaged thread is no reason to lose what becomes known of its channel.
    func testADamagedThreadStopsNothing() throws {
        startShowing([Case.message(1), Case.message(2)])
        _ = try cache.threads.key(channel: try cache.channels.key("c"), parentID: "1")
        try sql("UPDATE thread SET parent_id = '9'", file: "cache.db")
        send(1, "own")
        answer(.message(Case.message(3, by: "mei", requestID: "own")), to: isSend)
        event(.messageUpdated(channelURL: "c", message: edited(2)))
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
        XCTAssertEqual(try cached(try cache.channels.key("c")), ["1", "2*", "3"])
    }

    /// The service moved it behind the newest one cached: where history is complete ends as before.
    func testAMovedMessageMakesNothingComplete() throws {
        startShowing([Case.message(1), Case.message(2), Case.message(3)])
        command(.post(.removeCollection(id: 1)))
        var moved = edited(1)
        moved.position = Case.message(9).position
        event(.messageUpdated(channelURL: "c", message: moved))
        XCTAssertEqual(
            try cache.chunks.of(channel: try cache.channels.key("c")).last?.end.position, Case.message(3).position)
    }
}
