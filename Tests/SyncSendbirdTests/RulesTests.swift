import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

final class RulesTests: XCTestCase {
    private let rules = SendbirdRules()

    private func channel(_ json: String) throws -> ChannelRecord {
        try XCTUnwrap(ChannelRecord(json: Array(json.utf8)), json)
    }

    // MARK: New messages

    func testWhatANewMessageChangesInItsChannel() throws {
        let last = #""last_message":{"message_id":5,"created_at":50}"#
        let plain = #"{"channel_url":"c","unread_message_count":2,\#(last)}"#
        let cases: [(channel: String, message: MessageRecord, patches: String)] = [
            (plain, message(6, 60), "last_message={6} unread_message_count=3"),
            (#"{"channel_url":"c"}"#, message(6, 60), "last_message={6} unread_message_count=1"),
            (plain, message(6, 60, sender: "me"), "last_message={6}"),
            // Older than the last one, or that one itself.
            (plain, message(5, 50), ""), (plain, message(4, 50, sender: "me"), ""),
            // What came behind a later one may be counted already.
            (plain, message(4, 50), "ask"), (plain, message(9, 40), "ask"),
            (plain, message(6, 50), "last_message={6} unread_message_count=3"),
            // Before what this user sees.
            (#"{"channel_url":"c","ts_message_offset":61}"#, message(6, 60), ""),
            (#"{"channel_url":"c","ts_message_offset":60}"#, message(6, 60),
             "last_message={6} unread_message_count=1"),
            // Silent ones count for nothing, unless they mean to be the last message.
            (plain, message(6, 60, isSilent: true), ""),
            (plain, message(6, 60, isSilent: true, json: #"{"force_update_last_message":false}"#), ""),
            (plain, message(6, 60, isSilent: true, json: #"{"force_update_last_message":true}"#),
             #"last_message={"force_update_last_message":true}"#),
            (plain, message(6, 60, isSilent: true, json: #"{"mentioned_user_ids":["me"]}"#), ""),
            // To its sender it is the last one, whatever it says of the others.
            (plain, message(6, 60, sender: "me", isSilent: true), "last_message={6}"),
            (plain, message(6, 60, sender: "me", isSilent: true, json: SilentRule.noLast),
             "last_message=\(SilentRule.noLast)"),
            (plain, message(4, 40, sender: "me", isSilent: true), ""),
            (#"{"channel_url":"c","is_hidden":true}"#, message(6, 60, isSilent: true), "ask"),
            // What this user does not want counted stays 0, and those who are only invited have no counts.
            (#"{"channel_url":"c","count_preference":"off"}"#, message(6, 60, json: SilentRule.toMe),
             "last_message=\(SilentRule.toMe)"),
            (#"{"channel_url":"c","count_preference":"unread_mention_count_only"}"#,
             message(6, 60, json: SilentRule.toMe), "last_message=\(SilentRule.toMe) unread_mention_count=1"),
            (#"{"channel_url":"c","count_preference":"unread_message_count_only"}"#,
             message(6, 60, json: SilentRule.toMe), "last_message=\(SilentRule.toMe) unread_message_count=1"),
            (#"{"channel_url":"c","member_state":"invited"}"#, message(6, 60), "last_message={6}"),
            // The message says what it counts for.
            (plain, message(6, 60, json: #"{"message_events":{"update_unread_count":false}}"#),
             #"last_message={"message_events":{"update_unread_count":false}}"#),
            (plain, message(4, 40, json: #"{"message_events":{"update_unread_count":false}}"#), ""),
            // What replies count for is a setting of the application.
            (plain, message(6, 60, parent: "3"), "ask"), (plain, message(6, 60, parent: "3", toChannel: true), "ask"),
            (plain, message(6, 60, sender: "me", parent: "3"), "ask"),
            // Mentions count beside.
            (plain, message(6, 60, json: #"{"mentioned_user_ids":["bo","me"]}"#),
             #"last_message={"mentioned_user_ids":["bo","me"]} unread_message_count=3 unread_mention_count=1"#),
            (#"{"channel_url":"c","unread_mention_count":4}"#, message(6, 60, json: #"{"mention_type":"channel"}"#),
             #"last_message={"mention_type":"channel"} unread_message_count=1 unread_mention_count=5"#),
            (plain, message(6, 60, sender: "me", json: #"{"mention_type":"channel"}"#),
             #"last_message={"mention_type":"channel"}"#),
            (plain, message(6, 60, json: #"{"mention_type":"users","mentioned_user_ids":["al"]}"#),
             #"last_message={"mention_type":"users","mentioned_user_ids":["al"]} unread_message_count=3"#),
            // A hidden channel comes back, unless this user forbade it.
            (#"{"channel_url":"c","is_hidden":true,"hidden_state":"hidden_allow_auto_unhide"}"#, message(6, 60),
             #"last_message={6} unread_message_count=1 is_hidden=false hidden_state="unhidden""#),
            (#"{"channel_url":"c","is_hidden":true}"#, message(6, 60, sender: "me"),
             #"last_message={6} is_hidden=false hidden_state="unhidden""#),
            (#"{"channel_url":"c","is_hidden":true,"hidden_state":"hidden_prevent_auto_unhide"}"#, message(6, 60),
             "last_message={6} unread_message_count=1"),
            // Told by the host before the service told that it hid the channel (simulation, seed 30622).
            (#"{"channel_url":"c","is_hidden":true,"last_message":{"message_id":6,"created_at":60}}"#,
             message(6, 60, sender: "me"), "ask"),
            (#"{"channel_url":"c","last_message":{"message_id":6,"created_at":60}}"#, message(6, 60, sender: "me"), ""),
            (#"{"channel_url":"c","unread_message_count":9223372036854775807}"#, message(6, 60),
             "last_message={6} unread_message_count=9223372036854775807"),
        ]
        for (text, message, patches) in cases {
            let found = rules.patches(for: message, in: try channel(text), userID: "me", counting: CountingPolicy())
            XCTAssertEqual(found.map(Described.text) ?? "ask", patches, "\(text) \(message)")
        }
    }

    private enum SilentRule {
        static let noLast = #"{"message_events":{"update_last_message":false}}"#
        static let toMe = #"{"mentioned_user_ids":["me"]}"#
    }

    /// Both policies with every kind of reply. What counts without being the last message leaves no trace in the
    /// channel, so the service is asked.
    func testWhatRepliesCountFor() throws {
        let plain = try channel(#"{"channel_url":"c","unread_message_count":2}"#)
        let both = "last_message={6} unread_message_count=3"
        let cases: [(CountingPolicy.Replies, CountingPolicy.Replies, reply: String, inChannel: String, own: String)] = [
            (.included, .included, both, both, "last_message={6}"),
            (.included, .excluded, "ask", "ask", ""),
            (.included, .onlyInChannel, "ask", both, ""),
            (.excluded, .included, "last_message={6}", "last_message={6}", "last_message={6}"),
            (.excluded, .excluded, "", "", ""),
            (.onlyInChannel, .onlyInChannel, "", both, ""),
        ]
        for (unread, last, reply, inChannel, own) in cases {
            func found(_ message: MessageRecord) -> String {
                rules.patches(
                    for: message, in: plain, userID: "me",
                    counting: CountingPolicy(unread: unread, lastMessage: last)).map(Described.text) ?? "ask"
            }
            XCTAssertEqual(found(message(6, 60, parent: "3")), reply, "\(unread) \(last)")
            XCTAssertEqual(found(message(6, 60, parent: "3", toChannel: true)), inChannel, "\(unread) \(last)")
            XCTAssertEqual(found(message(6, 60, sender: "me", parent: "3")), own, "\(unread) \(last)")
            XCTAssertEqual(found(message(6, 60)), both, "\(unread) \(last)")
        }
    }

    func testAnEditThatMayMoveMentions() throws {
        let read = try channel(#"{"channel_url":"c","user_last_read":70}"#)
        let unread = try channel(#"{"channel_url":"c","user_last_read":50}"#)
        let readInItsMillisecond = try channel(#"{"channel_url":"c","user_last_read":60}"#)
        let mentioned = try channel(#"{"channel_url":"c","unread_mention_count":1}"#)
        let toMe = message(6, 60, json: SilentRule.toMe)
        func may(_ message: MessageRecord, _ channel: ChannelRecord) -> Bool {
            rules.mayChangeMentions(message, in: channel, userID: "me")
        }
        XCTAssertTrue(may(toMe, unread))
        XCTAssertFalse(may(toMe, read))
        XCTAssertTrue(may(toMe, readInItsMillisecond), "it may have come after the reading")
        XCTAssertFalse(may(message(6, 60), unread))
        XCTAssertTrue(may(message(6, 60), mentioned))
        XCTAssertFalse(may(message(6, 60, sender: "me"), mentioned))
    }

    func testUntilWhenThisUserIsMuted() throws {
        func end(_ members: String, _ isMuted: Bool = true) throws -> Int64? {
            rules.muteEnd(
                in: try channel(#"{"channel_url":"c","is_muted":\#(isMuted),"members":\#(members)}"#), userID: "me")
        }
        let me = #"[{"user_id":"bo","muted_end_at":3},{"user_id":"me","muted_end_at":70}]"#
        XCTAssertEqual(try end(me), 70)
        XCTAssertNil(try end(me, false))
        XCTAssertNil(try end(#"[{"user_id":"me","muted_end_at":-1}]"#))
        XCTAssertNil(try end("[]"))
    }

    private func message(
        _ id: Int64, _ time: Int64, sender: String = "bo", parent: String = "", toChannel: Bool = false,
        isSilent: Bool = false, json: String? = nil
    ) -> MessageRecord {
        MessageRecord(
            id: "\(id)", position: MessagePosition(order: time, tie: id), senderID: UserID(sender),
            parentID: MessageID(parent),
            isReplyToChannel: toChannel, isSilent: isSilent,
            json: Array((json ?? "{\(id)}").utf8))
    }

    // MARK: Channel events

    func testWhatAnEventChangesInItsChannel() throws {
        let patch = ChannelPatch(key: "freeze", value: Array("true".utf8))
        let offset = #"{"channel_url":"c","ts_message_offset":40,"member_state":"joined","#
            + #""last_message":{"message_id":5,"created_at":50}}"#
        let read = #"{"channel_url":"c","read_receipt":{"bo":7,"al":3},"unread_message_count":9}"#
        let cases: [(channel: String, event: ChannelEvent, patches: String)] = [
            (read, .changed(Cause(.eventUserJoined)), "ask"),
            (read, .removed(Cause(.eventUserLeft)), ""),
            (read, .typing(userID: "bo", user: [], isTyping: true), ""),
            (read, .patched(Cause(.eventChannelFrozen), members: [patch]), "freeze=true"),
            (read, .read(userID: "bo", at: 8), #"read_receipt={"bo":8,"al":3} delivery_receipt={"bo":8}"#),
            // A receipt never goes back.
            (read, .read(userID: "bo", at: 6), #"read_receipt={"bo":7,"al":3} delivery_receipt={"bo":6}"#),
            (read, .read(userID: "me", at: 8),
             #"read_receipt={"bo":7,"al":3,"me":8} delivery_receipt={"me":8} unread_message_count=0 "#
                 + "unread_mention_count=0 user_last_read=8"),
            // Of before what the channel is known as: it may count what came behind that reading.
            (#"{"channel_url":"c","user_last_read":8,"unread_message_count":1}"#, .read(userID: "me", at: 8), "ask"),
            (#"{"channel_url":"c","user_last_read":9,"unread_mention_count":1}"#, .read(userID: "me", at: 8), "ask"),
            (#"{"channel_url":"c","user_last_read":8}"#, .read(userID: "me", at: 8),
             #"read_receipt={"me":8} delivery_receipt={"me":8}"#),
            (#"{"channel_url":"c","user_last_read":7,"unread_message_count":1}"#, .read(userID: "me", at: 8),
             #"read_receipt={"me":8} delivery_receipt={"me":8} unread_message_count=0 unread_mention_count=0 "#
                 + "user_last_read=8"),
            (read, .delivered(["bo": 2, "al": 1]), #"delivery_receipt={"al":1,"bo":2}"#),
            (#"{"channel_url":"c","delivery_receipt":7}"#, .delivered(["bo": 2]), #"delivery_receipt={"bo":2}"#),
            (offset, .hidden(allowAutoUnhide: true, offset: 40),
             #"is_hidden=true hidden_state="hidden_allow_auto_unhide""#),
            // What is hidden may count as read.
            (read, .hidden(allowAutoUnhide: true, offset: 0), "ask"),
            (#"{"channel_url":"c","unread_mention_count":1}"#,
             .hidden(allowAutoUnhide: true, offset: 0), "ask"),
            (offset, .hidden(allowAutoUnhide: false, offset: 50),
             #"is_hidden=true hidden_state="hidden_prevent_auto_unhide" ts_message_offset=50 user_last_read=50 "#
                 + #"read_receipt={"me":50}"#),
            (offset, .hidden(allowAutoUnhide: true, offset: 51),
             #"is_hidden=true hidden_state="hidden_allow_auto_unhide" ts_message_offset=51 user_last_read=51 "#
                 + #"read_receipt={"me":51} last_message=null unread_message_count=0 unread_mention_count=0"#),
            // Who is only invited has no receipt.
            (#"{"channel_url":"c","member_state":"invited"}"#, .hidden(allowAutoUnhide: false, offset: 50),
             #"is_hidden=true hidden_state="hidden_prevent_auto_unhide" ts_message_offset=50 user_last_read=50"#),
        ]
        for (text, event, patches) in cases {
            let found = rules.patches(for: event, in: try channel(text), userID: "me")
            XCTAssertEqual(found.map(Described.text) ?? "ask", patches, "\(event)")
        }
    }

    func testTheLastMessageHasNewContent() throws {
        let channel = try channel(#"{"channel_url":"c"}"#)
        XCTAssertEqual(
            Described.text(rules.patches(forLastMessage: Array(#"{"message_id":5}"#.utf8), in: channel)),
            #"last_message={"message_id":5}"#)
    }

    // MARK: Message patches

    private func applied(_ patch: MessagePatch, _ json: String) -> String? {
        rules.apply(patch, to: Array(json.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func reaction(_ key: String, _ user: String, _ isAdded: Bool, _ time: Int64) -> MessagePatch {
        .reaction(MessageReaction(key: key, userID: UserID(user), isAdded: isAdded, updatedAt: time))
    }

    func testReactions() {
        let cases: [(patch: MessagePatch, before: String, after: String)] = [
            (reaction("x", "bo", true, 5), #"{"a":1}"#,
             #"{"a":1,"reactions":[{"key":"x","user_ids":["bo"],"updated_at":5}]}"#),
            (reaction("x", "bo", false, 5), #"{"a":1}"#, #"{"a":1,"reactions":[]}"#),
            (reaction("x", "bo", true, 5), #"{"reactions":[{"key":"x","user_ids":["al"],"updated_at":9}],"z":2}"#,
             #"{"reactions":[{"key":"x","user_ids":["al","bo"],"updated_at":9}],"z":2}"#),
            (reaction("x", "bo", false, 10), #"{"reactions":[{"key":"x","user_ids":["bo","al"],"updated_at":9}]}"#,
             #"{"reactions":[{"key":"x","user_ids":["al"],"updated_at":10}]}"#),
            (reaction("x", "bo", false, 10),
             #"{"reactions":[{"key":"x","user_ids":["bo"]},{"key":"y","user_ids":["bo"]}]}"#,
             #"{"reactions":[{"key":"y","user_ids":["bo"]}]}"#),
        ]
        for (patch, before, after) in cases {
            XCTAssertEqual(applied(patch, before), after)
            // Told twice is told once.
            XCTAssertEqual(applied(patch, after), after)
        }
        XCTAssertNil(applied(reaction("x", "bo", true, 5), "[]"))
        XCTAssertNil(applied(reaction("x", "bo", true, 5), "{"))
    }

    func testThreads() {
        let patch = MessagePatch.threadInfo(Array(#"{"reply_count":2}"#.utf8))
        XCTAssertEqual(applied(patch, #"{"thread_info":{},"a":1}"#), #"{"thread_info":{"reply_count":2},"a":1}"#)
        XCTAssertEqual(applied(patch, #"{"a":1}"#), #"{"a":1,"thread_info":{"reply_count":2}}"#)
        XCTAssertNil(applied(patch, "{"))
        XCTAssertNil(applied(.threadInfo([]), "{}"))
    }

    // MARK: Own messages

    func testAnOwnMessageBeforeTheServiceHasIt() throws {
        let body = #"{"message":"hi","data":"d"}"#
        var own = OwnMessageContent(
            channelURL: "c", requestID: "r", createdAt: 9, body: Array(body.utf8), failure: nil)
        XCTAssertEqual(
            try JSON.parse(rules.json(of: own, userID: "me")),
            try JSON.parse("""
                {"message":"hi","data":"d","message_id":0,"request_id":"r","channel_url":"c","type":"MESG",
                 "created_at":9,"user":{"user_id":"me"},"status":"pending"}
                """))
        own.failure = (code: 800_180, retryCount: 2)
        own.body = Array(#"{"type":"FILE","user":{"user_id":"me","nickname":"I"},"message_id":7}"#.utf8)
        XCTAssertEqual(
            try JSON.parse(rules.json(of: own, userID: "me")),
            try JSON.parse("""
                {"type":"FILE","user":{"user_id":"me","nickname":"I"},"message_id":0,"request_id":"r",
                 "channel_url":"c","created_at":9,"status":"failed","error_code":800180,"resendable":true,
                 "retry_count":2}
                """))
        own.failure = nil
        own.acceptedID = "7"
        XCTAssertEqual(try JSON.parse(rules.json(of: own, userID: "me"))["status"], "sent")
        XCTAssertEqual(try JSON.parse(rules.json(of: own, userID: "me"))["message_id"], 7)
        own.acceptedID = nil
        for body in ["", "[]", "{"] {
            own.body = Array(body.utf8)
            XCTAssertEqual(try JSON.parse(rules.json(of: own, userID: "me"))["message_id"], 0, body)
        }
    }

    /// What a host got from the service over a connection of its own.
    func testAMessageOfTheHosts() throws {
        func read(_ text: String) throws -> String {
            SendbirdService.message(try JSON.parse(text)).map(Described.text) ?? "none"
        }
        XCTAssertEqual(
            try read(#"{"message_id":7,"created_at":9,"user":{"user_id":"me"},"req_id":"r"}"#),
            "user 7@9 by 'me' request r")
        XCTAssertEqual(
            try read(#"{"msg_id":7,"ts":9,"user":{"guest_id":"me"},"type":"FILE","url":"u"}"#), "file 7@9 by 'me'")
        XCTAssertEqual(try read(#"{"msg_id":7,"ts":9,"type":"ADMN"}"#), "admin 7@9 by ''")
        for text in [
            "{}", "[]", "7", #"{"message_id":7}"#, #"{"created_at":7}"#, #"{"message_id":"7","created_at":9}"#,
        ] {
            XCTAssertEqual(try read(text), "none", text)
        }
    }

    // MARK: Failures

    func testWhichCodesALaterAttemptCanCure() {
        for code in [
            800_101, 800_120, 800_180, 800_190, 800_200, 800_210, 800_220, 800_221, 500_901, 500_910, 900_200,
        ] {
            XCTAssertTrue(rules.isCurable(code: code), "\(code)")
        }
        for code in [0, -1, 400_302, 400_309, 800_130, 900_020, 900_050, 900_060, 503] {
            XCTAssertFalse(rules.isCurable(code: code), "\(code)")
        }
    }

    func testFailuresFoundOnThisSide() {
        let cases: [(cause: LocalFailure, text: String)] = [
            (.notConnected, "unreachable 800101"), (.connectionClosed, "unreachable 800200"),
            (.unexpectedReply, "unavailable 800130"), (.tooOld, "refused 800101"),
            (.neverAnswered, "unreachable 800101"), (.byHost(code: 42), "refused 42"),
        ]
        for (cause, text) in cases {
            XCTAssertEqual(Described.text(rules.failure(cause)), text)
            XCTAssertFalse(rules.failure(cause).message.isEmpty)
        }
    }

    /// A file that cannot be opened for lack of descriptors is not at fault.
    func testAFileThatCannotBeOpenedNowIsRetried() {
        let found = rules.failure(.file(.unavailable, path: "/a"))
        let told = ServiceFailure(TransportFailure(kind: .file(.unavailable), message: "why"))
        for failure in [found, told] {
            XCTAssertEqual(failure.kind, .crowded)
            XCTAssertFalse(failure.kind.isForGood)
            XCTAssertTrue(rules.isCurable(code: failure.code))
        }
        XCTAssertEqual(rules.failure(.file(.unreadable, path: "/a")).kind, .file(.unreadable))
    }
}
