import SyncJSON
import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Drafts: shown at once, on the disk within a second, gone with the message.
final class DraftsTests: EngineTestCase {
    @discardableResult
    private func set(_ text: String?, in url: String = "c", thread: String? = nil, replyTo: String? = nil) -> CallID {
        var arguments: [String: ActionCall.Value] = ["channel_url": .text(url)]
        if let text { arguments["message"] = .text(text) }
        if let thread { arguments["parent_message_id"] = .text(thread) }
        if let replyTo { arguments["reply_to"] = .text(replyTo) }
        let call = newCall()
        command(.call(call, .action(ActionCall(action: .library(.setDraft), arguments: arguments))))
        return call
    }

    private func outcome(_ call: CallID) -> Status? { host.status(call) }

    private func online() {
        start()
        openMessages(1, "c")
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        connect()
        serve(channels: [EngineTestCase.channel("c"), EngineTestCase.channel("d")])
        fetch(2, .next)
    }

    /// The texts on the disk.
    private func stored() throws -> [String] {
        try intents.drafts().map { try XCTUnwrap(JSON.parse($0.body)["message"]?.string) }
    }

    private func shown(_ url: String = "c", _ key: String = "draft") throws -> JSON? {
        try JSON.parse(Array(XCTUnwrap(host.json(2, .channels, url)).utf8))[key]
    }

    func testADraftIsShownAndStored() throws {
        online()
        XCTAssertEqual(outcome(set("text", replyTo: "7")), .ok)
        XCTAssertEqual(try shown()?["message"]?.string, "text")
        XCTAssertEqual(try shown()?["reply_to"]?.int, 7)
        XCTAssertEqual(try shown()?["updated_at"]?.int, EngineTestCase.wall)
        XCTAssertEqual(try stored(), ["text"])
        XCTAssertEqual(outcome(set(nil)), .ok)
        XCTAssertNil(try shown())
        wait(1000)
        XCTAssertEqual(try stored(), [])
    }

    /// However fast somebody types, the disk is written once a second.
    func testTypingIsStoredOnceASecond() throws {
        online()
        var writes = 0
        intents.setCommitHook { () throws(StoreError) in writes += 1 }
        for number in 1...40 {
            set("text \(number)")
            wait(100)
            XCTAssertEqual(try shown()?["message"]?.string, "text \(number)")
        }
        XCTAssertLessThanOrEqual(writes, 5)
        XCTAssertGreaterThanOrEqual(writes, 4)
        wait(1000)
        XCTAssertEqual(try stored(), ["text 40"])
        let done = writes
        wait(5000)
        XCTAssertEqual(writes, done, "nothing is left to be stored")
    }

    /// What is under way when the client closes, and what still waits then, is stored.
    func testClosingStores() throws {
        online()
        set("one")
        set("two")
        XCTAssertEqual(try stored(), ["one"])
        let call = newCall()
        let last = ActionCall(
            action: .library(.setDraft), arguments: ["channel_url": .text("d"), "message": .text("three")])
        close([.call(call, .action(last))])
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(try stored(), ["two", "three"])
    }

    /// The message and the draft that it was are on the disk one or the other, never both, never none.
    func testSendingTakesTheDraftInOneTransaction() throws {
        online()
        set("text")
        set("thread", thread: "5")
        wait(1000)
        var failing = true
        intents.setCommitHook { () throws(StoreError) in if failing { throw .full } }
        send(1, "r1")
        XCTAssertEqual(try stored(), ["text", "thread"])
        XCTAssertEqual(try shown()?["message"]?.string, "text", "what could not be written down was not sent")
        failing = false
        send(1, "r2")
        XCTAssertEqual(try stored(), ["thread"])
        XCTAssertEqual(try intents.intents().map(\.requestID), ["r2"])
        XCTAssertNil(try shown())
        XCTAssertEqual(try shown("c", "thread_drafts")?.array?.count, 1)
    }

    func testAReplyTakesTheDraftsThatItAnswers() throws {
        online()
        for (text, thread, target) in [("own", nil, "5"), ("thread", "5", nil), ("other", "6", nil)] {
            set(text, thread: thread, replyTo: target)
        }
        let body = Array(#"{"message":"a","parent_message_id":5}"#.utf8)
        command(.call(newCall(), .own(.send(requestID: "r", body: body), in: 1)))
        XCTAssertNil(try shown())
        wait(1000)
        XCTAssertEqual(try stored(), ["other"])
    }

    func testAFileWithoutATextLeavesTheDraft() throws {
        online()
        set("text")
        let body = Array(#"{"type":"FILE","file":{"url":"http://x/a"}}"#.utf8)
        command(.call(newCall(), .own(.send(requestID: "r", body: body), in: 1)))
        XCTAssertEqual(try shown()?["message"]?.string, "text")
    }

    func testADraftOutlivesTheProcessAndAFailure() throws {
        online()
        intents.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertEqual(outcome(set("text")), .ok)
        XCTAssertEqual(try stored(), [])
        intents.setCommitHook(nil)
        wait(9999)
        XCTAssertEqual(try stored(), [])
        wait(1)
        XCTAssertEqual(try stored(), ["text"])
        start()
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        fetch(2, .next)
        XCTAssertEqual(try shown()?["message"]?.string, "text")
    }

    func testADraftGoesWithItsChannel() throws {
        online()
        set("text")
        set("other", in: "d")
        event(.channel(url: "c", .removed(Cause(.eventChannelDeleted))))
        wait(1000)
        XCTAssertEqual(try stored(), ["other"])
    }

    func testSigningOutForgetsDrafts() throws {
        online()
        set("text")
        set("more")
        command(.call(newCall(), .signOut))
        wait(2000)
        close()
        XCTAssertEqual(try stored(), [])
    }

    func testDraftsHaveBounds() throws {
        online()
        XCTAssertEqual(outcome(set(String(repeating: "x", count: Drafts.byteLimit))), .tooLarge)
        XCTAssertNil(try shown())
        let large = String(repeating: "x", count: 60_000)
        for number in 1...17 { XCTAssertEqual(outcome(set(large, thread: "\(number)")), .ok) }
        XCTAssertEqual(outcome(set(large, thread: "18")), .tooLarge)
        XCTAssertEqual(outcome(set("small", thread: "17")), .ok)
        XCTAssertEqual(outcome(set(large, thread: "18")), .ok)
        for number in 1...18 { set(nil, thread: "\(number)") }
        for number in 0..<Drafts.countLimit { XCTAssertEqual(outcome(set("x", in: "e\(number)")), .ok) }
        XCTAssertEqual(outcome(set("x", in: "f")), .tooLarge)
        XCTAssertEqual(outcome(set("y", in: "e0")), .ok)
    }
}
