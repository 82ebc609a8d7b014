import SyncBytes
import SyncModel
import XCTest

@testable import SyncEngine

/// Ids that look alike and differ in bytes: an é of one scalar, and an e with an accent behind it. To the service they
/// are two.
final class TextIdentityTests: EngineTestCase {
    private typealias Case = EngineTestCase

    private let composed: ChannelURL = "gr\u{E9}"
    private let decomposed: ChannelURL = "gre\u{301}"

    private func ids(_ collection: CollectionID, _ list: CollectionChange.List = .succeeded) -> [TextKey] {
        host.ids(collection, list).map { TextKey($0) }
    }

    func testChannelsOfSuchURLsAreTwo() throws {
        start()
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        openMessages(2, composed)
        openMessages(3, decomposed)
        connect()
        serve(channels: [Case.channel(composed), Case.channel(decomposed)])
        for collection in [1, 2, 3] as [CollectionID] { fetch(collection, collection == 1 ? .next : .previous) }
        XCTAssertEqual(ids(1, .channels), [TextKey(decomposed.text), TextKey(composed.text)])
        event(.messageReceived(channelURL: composed, message: Case.message(1, in: composed)))
        XCTAssertEqual(ids(1, .channels), [TextKey(composed.text), TextKey(decomposed.text)])
        XCTAssertEqual(ids(2), ["1"])
        XCTAssertEqual(ids(3), [])
        event(.channel(url: decomposed, .removed(Cause(.eventChannelDeleted))))
        XCTAssertEqual(ids(1, .channels), [TextKey(composed.text)])
        XCTAssertEqual(ids(2), ["1"])
    }

    /// After the change log could not be read, the listing names one of the two only.
    func testOneOfTheTwoIsMissedByAListing() throws {
        start()
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        connect()
        serve(channels: [Case.channel(composed), Case.channel(decomposed)])
        fetch(1, .next)
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        answer(Case.failure(.pageTokenExpired, 400_109)) { if case .channelChanges = $0 { true } else { false } }
        serve(channels: [Case.channel(composed)])
        XCTAssertEqual(ids(1, .channels), [TextKey(composed.text)])
        XCTAssertEqual(try cache.channels.urls(), [composed])
    }

    func testRequestsOfSuchIDsAreTwo() throws {
        start()
        openMessages(1, "c")
        let first = send(1, RequestID(composed.text))
        let second = send(1, RequestID(decomposed.text))
        XCTAssertEqual(ids(1, .pending), [TextKey(composed.text), TextKey(decomposed.text)])
        XCTAssertNil(host.status(second))
        command(.call(newCall(), .own(.delete(.unsent(requestID: RequestID(composed.text))), in: 1)))
        XCTAssertEqual(host.status(first), .removed)
        XCTAssertEqual(ids(1, .pending), [TextKey(decomposed.text)])
        connect()
        serve(channels: [Case.channel("c")])
        let own = Case.message(1, by: "mei", requestID: RequestID(decomposed.text))
        answer(.message(own)) { if case .sendMessage = $0 { true } else { false } }
        XCTAssertEqual(host.status(second), .ok)
    }

    /// Somebody whose id looks like one's own is somebody else.
    func testAMessageOfALookalikeIsNotAnOwnOne() throws {
        start { $0.userID = UserID(composed.text) }
        openMessages(1, "c")
        connect()
        serve(channels: [Case.channel("c")])
        fetch(1, .previous)
        event(.messageReceived(channelURL: "c", message: Case.message(1, by: decomposed.text)))
        let call = newCall()
        command(.call(call, .own(.delete(.sent(id: "1")), in: 1)))
        XCTAssertEqual(host.status(call), .notOwnMessage)
    }
}
