import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

final class FrameTests: XCTestCase {
    private let decoder = FrameDecoder.forTest

    private func assert(
        _ cases: [(frame: String, events: [String])], file: StaticString = #filePath, line: UInt = #line
    ) {
        for (frame, events) in cases {
            XCTAssertEqual(decoder.described(frame), events, frame, file: file, line: line)
        }
    }

    private func message(_ frame: String) throws -> MessageRecord {
        let events = decoder.decode(Array(frame.utf8)).filter {
            if case .event(.unreadCounts) = $0 { false } else { true }
        }
        XCTAssertEqual(events.count, 1)
        switch try XCTUnwrap(events.first) {
        case .event(.messageReceived(_, let message)), .event(.messageUpdated(_, let message)),
            .acknowledged(_, _, let message):
            return message
        case let other:
            XCTFail("no message: \(Described.text(other))")
            throw CancellationError()
        }
    }

    // MARK: Session

    func testLogin() {
        assert([
            (FrameDecoder.loginFrame,
             ["login key 'KEY' ping 15000/5000 me at 1700000000123 reconnect 1500*3<=20000 #5"]),
            // What is missing gets the usual values, what is absurd is bounded.
            (#"LOGI{"user_id":"me","login_ts":5,"new_key":"K2"}"#,
             ["login key 'K2' ping 15000/5000 me at 5 reconnect 2000*2<=20000 #-1"]),
            (#"LOGI{"login_ts":5,"ping_interval":-1,"pong_timeout":1e300,"#
                + #""reconnect":{"interval":"x","mul":9223372036854775807,"retry_cnt":-9}}"#,
             ["login key '' ping 0/86400000 me at 5 reconnect 2000*10<=20000 #-1"]),
            // The answer to a renewal is no login.
            (#"LOGI{"req_id":"r","new_key":"K3","login_ts":9}"#,
             ["renewed key 'K3' ping 15000/5000 me at 9 reconnect 2000*2<=20000 #-1"]),
            (#"LOGI{"user_id":"me","key":"K3"}"#, ["login key 'K3' ping 15000/5000 without time"]),
        ])
    }

    func testRefusedLogins() {
        assert([
            (#"LOGI{"error":true,"code":400302,"message":"m"}"#, ["login refused tokenRejected 400302"]),
            (#"LOGI{"error":true,"code":400309,"message":"m"}"#, ["login refused tokenRejected 400309"]),
            (#"LOGI{"error":true,"code":400301,"message":"m"}"#, ["login refused tokenRejected 400301"]),
            (#"LOGI{"error":true,"code":500910,"message":"m"}"#,
             ["login refused rateLimited(retryAfter: 1000) 500910"]),
            (#"LOGI{"error":true}"#, ["login refused refused 800000"]),
        ])
    }

    func testErrorsAndTheEndOfASession() {
        assert([
            (#"EROR{"code":900060,"message":"m","req_id":"r"}"#, ["refused r refused 900060"]),
            (#"MESG{"error":true,"code":900200,"message":"m","req_id":"r"}"#,
             ["refused r rateLimited(retryAfter: 1000) 900200"]),
            (#"EROR{"code":400309,"message":"m"}"#, ["failed tokenRejected 400309"]),
            (#"EROR{"code":400310,"message":"m"}"#, ["failed tokenRejected 400310"]),
            (#"EROR{"code":500901,"message":"m"}"#, ["failed unavailable 500901"]),
            (#"EXPR{"expires_in":30}"#, ["session expired"]),
            (#"EXPR{"expires_in":-1}"#, ["token revoked"]),
            (#"EXPR{"expires_in":30,"reason":400310}"#, ["token revoked"]),
            (#"BUSY{"retry_after":7,"reason_code":1,"message":"m"}"#, ["busy 7000"]),
            (#"BUSY{"retry_after":99999999999}"#, ["busy 86400000"]),
            (#"BUSY{"retry_after":-3}"#, ["busy 0"]),
            (#"PONG{"ts":1700000000000,"sts":1}"#, ["alive"]),
        ])
    }

    // MARK: Messages

    func testAMessageInTheSocketsShapeBecomesTheCanonicalOne() throws {
        let received = try message("""
            MESG{"msg_id":7,"ts":1700000000001,"channel_url":"c","channel_type":"group","channel_id":99,\
            "message":"hi","custom":"d","custom_type":"note","user":{"guest_id":"bo","name":"Bo","image":"i"},\
            "mentioned_users":[{"guest_id":"al","name":"Al"}],"mention_type":"users",\
            "metaarray":{"b":["2"],"a":["1"],"z":[]},"metaarray_key_order":["a","x","b"],\
            "previous_message_id":6,"force_update_last_message":false,"silent":true,"parent_message_id":3,\
            "reply_to_channel":true,"unread_cnt":{"all":3,"ts":1},"is_op_msg":false}
            """)
        XCTAssertEqual(
            Described.text(received), "user 7@1700000000001 by 'bo' type 'note' in 3 to channel silent")
        XCTAssertEqual(
            try JSON.parse(received.json),
            try JSON.parse("""
                {"type":"MESG","message_id":7,"created_at":1700000000001,"channel_url":"c","channel_type":"group",
                 "message":"hi","data":"d","custom_type":"note",
                 "user":{"user_id":"bo","nickname":"Bo","profile_url":"i"},
                 "mentioned_users":[{"user_id":"al","nickname":"Al"}],"mention_type":"users",
                 "sorted_metaarray":[{"key":"a","value":["1"]},{"key":"b","value":["2"]},{"key":"z","value":[]}],
                 "force_update_last_message":false,"silent":true,"parent_message_id":3,"is_reply_to_channel":true,
                 "is_op_msg":false}
                """))
    }

    /// The message that is told has the id and the time by which it stands in its list.
    func testANameWithAValueThatIsNoneDoesNotCount() throws {
        let cases: [(member: String, id: Int64, time: Int64)] = [
            (#""message_id":8"#, 8, 9), (#""created_at":0"#, 7, 0), (#""message_id":null"#, 7, 9),
            (#""message_id":"8""#, 7, 9), (#""message_id":0"#, 7, 9), (#""message_id":-1"#, 7, 9),
            (#""message_id":1.5"#, 7, 9), (#""message_id":9223372036854775808"#, 7, 9), (#""created_at":"8""#, 7, 9),
            (#""created_at":-1"#, 7, 9),
        ]
        for (member, id, time) in cases {
            let text = #"MESG{"msg_id":7,\#(member),"ts":9,"channel_url":"c","message":"m"}"#
            let received = try message(text)
            XCTAssertEqual(received.id, MessageID(number: id), member)
            let told = try JSON.parse(received.json)
            XCTAssertEqual(told["message_id"]?.int, id, member)
            XCTAssertEqual(told["created_at"]?.int, time, member)
        }
    }

    func testAMessageInCanonicalShapeStaysAsItIs() throws {
        let text = #"{"type":"MESG","message_id":7,"created_at":9,"channel_url":"c","message":"hi","data":"d","#
            + #""user":{"user_id":"bo","nickname":"Bo"},"sorted_metaarray":[{"key":"a","value":["1"]}]}"#
        XCTAssertEqual(try JSON.parse(message("MESG" + text).json), try JSON.parse(text))
    }

    func testAFileMessageKeepsItsTypeApartFromItsFiles() throws {
        let flat = try message("""
            FILE{"msg_id":7,"ts":9,"channel_url":"c","type":"image/png","url":"http://x/y","name":"y.png","size":12,\
            "require_auth":true,"thumbnails":[{"url":"t"}],"user":{"user_id":"bo","nickname":"Bo"}}
            """)
        XCTAssertEqual(flat.kind, .file)
        XCTAssertEqual(
            try JSON.parse(flat.json),
            try JSON.parse("""
                {"type":"FILE","message_id":7,"created_at":9,"channel_url":"c","require_auth":true,
                 "file":{"url":"http://x/y","name":"y.png","size":12,"type":"image/png"},
                 "thumbnails":[{"url":"t"}],"user":{"user_id":"bo","nickname":"Bo"}}
                """))
        let nested = #"{"type":"FILE","message_id":7,"created_at":9,"channel_url":"c","file":{"url":"u","type":"a/b"}}"#
        XCTAssertEqual(try JSON.parse(message("FILE" + nested).json), try JSON.parse(nested))
        let several =
            #"{"type":"FILE","message_id":7,"created_at":9,"channel_url":"c","files":[{"url":"u"},{"url":"v"}]}"#
        XCTAssertEqual(try JSON.parse(message("FILE" + several).json), try JSON.parse(several))
        XCTAssertEqual(
            try message(#"FEDI{"msg_id":7,"ts":9,"channel_url":"c","type":"image/png","url":"u"}"#).kind, .file)
    }

    func testEveryMessageCommand() {
        assert([
            (#"MESG{"msg_id":1,"ts":2,"channel_url":"c","user":{"user_id":"bo"}}"#, ["received c user 1@2 by 'bo'"]),
            (#"FILE{"msg_id":1,"ts":2,"channel_url":"c","url":"u","user":{"user_id":"bo"}}"#,
             ["received c file 1@2 by 'bo'"]),
            (#"ADMM{"msg_id":1,"ts":2,"channel_url":"c"}"#, ["received c admin 1@2 by ''"]),
            (#"BRDM{"msg_id":1,"ts":2,"channel_url":"c"}"#, ["received c admin 1@2 by ''"]),
            (#"MEDI{"msg_id":1,"ts":2,"updated_at":5,"channel_url":"c","old_values":{"mention_type":"users"}}"#,
             ["updated c user 1@2 by '' edited 5"]),
            (#"FEDI{"msg_id":1,"ts":2,"updated_at":5,"channel_url":"c"}"#, ["updated c file 1@2 by '' edited 5"]),
            (#"AEDI{"msg_id":1,"ts":2,"updated_at":5,"channel_url":"c"}"#, ["updated c admin 1@2 by '' edited 5"]),
            (#"DELM{"channel_url":"c","channel_type":"group","msg_id":9,"ts":2}"#, ["deleted c 9"]),
            (#"MRCT{"channel_url":"c","msg_id":9,"reaction":"smile","user_id":"bo","operation":"ADD","updated_at":3}"#,
             ["reaction c 9 smile bo added 3"]),
            (#"MRCT{"channel_url":"c","msg_id":9,"reaction":"smile","user_id":"bo","operation":"DELETE","#
                + #""updated_at":4}"#,
             ["reaction c 9 smile bo taken away 4"]),
            (#"MTHD{"channel_url":"c","parent_message_id":9,"thread_info":{"reply_count":2,"last_replied_at":3}}"#,
             [#"thread c 9 {"reply_count":2,"last_replied_at":3}"#]),
        ])
    }

    func testAnAcknowledgementAnswersItsRequest() throws {
        assert([
            (#"MESG{"msg_id":1,"ts":2,"channel_url":"c","req_id":"r1","user":{"user_id":"me"}}"#,
             ["ack r1 c user 1@2 by 'me' request r1"]),
            // Without request the same is a message like any other; nothing of a request is invented.
            (#"MESG{"msg_id":1,"ts":2,"channel_url":"c","req_id":"","user":{"user_id":"me"}}"#,
             ["received c user 1@2 by 'me'"]),
            (#"MESG{"msg_id":1,"ts":2,"channel_url":"c","req_id":null,"user":{"user_id":"me"}}"#,
             ["received c user 1@2 by 'me'"]),
        ])
        let record = try message(#"MESG{"msg_id":1,"ts":2,"channel_url":"c","req_id":"r1"}"#)
        XCTAssertEqual(try JSON.parse(record.json)["req_id"], "r1")
    }

    // MARK: Channels

    func testReceiptsAndCounts() {
        assert([
            (#"READ{"channel_url":"c","user":{"user_id":"bo","nickname":"Bo"},"ts":5,"unread_cnt":{"all":1}}"#,
             ["channel c read by bo at 5", "unread 1 at 0"]),
            (#"SYEV{"cat":12000,"channel_url":"c","data":{},"unread_cnt":{"all":4,"feed":0,"custom_types":{"b":3,"#
                + #""a":1},"ts":9}}"#,
             ["channel c removed event_channel_deleted", "unread 4 at 9 a=1 b=3"]),
            (#"READ{"channel_url":"c","user":{"guest_id":"bo"},"ts":5}"#, ["channel c read by bo at 5"]),
            // Who asked for it is answered by it, after everybody was told.
            (#"READ{"channel_url":"c","user_id":"me","ts":5,"req_id":"r"}"#,
             ["channel c read by me at 5", #"answered r {"channel_url":"c","user_id":"me","ts":5,"req_id":"r"}"#]),
            (#"READ{"channel_url":"c","user":{"user_id":"me"},"ts":5,"is_excluded":true}"#,
             ["channel c changed event_current_user_marked_unread"]),
            (#"DLVR{"channel_url":"c","updated":{"bo":7,"al":6}}"#, ["channel c delivered al=6 bo=7"]),
            (#"DLRV{"channel_url":"c","updated":{"bo":7}}"#, ["channel c delivered bo=7"]),
            (#"DLVR{"channel_url":"c"}"#, ["alive"]),
            (#"MCNT{"group_channels":[{"channel_url":"a","member_count":3,"joined_member_count":2,"ts":1},"#
                + #"{"channel_url":"b","member_count":9}],"#
                + #""open_channels":[{"channel_url":"o","participant_count":1}],"ts":1}"#,
             ["channel a patched event_channel_member_count_changed member_count=3 joined_member_count=2",
              "channel b patched event_channel_member_count_changed member_count=9"]),
            (#"USEV{"cat":20100,"data":{"channel_url":"c","my_role":"operator"},"ts":1}"#,
             [#"channel c patched event_operator_updated my_role="operator""#]),
            (#"USEV{"cat":20001,"data":{"blocker":{"user_id":"me"},"blockee":{"user_id":"bo"}}}"#, ["alive"]),
            (#"USEV{"cat":20900,"data":{"friend_discoveries":[]}}"#, ["alive"]),
        ])
    }

    func testEveryChannelEvent() {
        let cases: [(category: Int, data: String, event: String)] = [
            (10000, #"{"users":[{"user_id":"bo"}],"member_count":3}"#, "changed event_user_joined"),
            (10000, #"{"user_id":"me","joined_ts":5}"#, "entered event_user_joined"),
            (10001, #"{"user_id":"bo","member_count":3}"#, "changed event_user_left"),
            (10001, #"{"user_id":"me","member_count":3}"#, "removed event_user_left"),
            (10001, #"{"guest_id":"me"}"#, "removed event_user_left"),
            (10001, #"{"users":[{"user_id":"bo"},{"user_id":"me"}]}"#, "removed event_user_left"),
            (10002, #"{"operators":[{"user_id":"me"}]}"#, "changed event_operator_updated"),
            (10020, #"{"inviter":{"user_id":"bo"},"invitees":[{"user_id":"me"}],"invited_at":5}"#,
             "entered event_user_received_invitation"),
            (10022, #"{"inviter":{"user_id":"me"},"invitee":{"user_id":"bo"}}"#,
             "changed event_user_declined_invitation"),
            (10022, #"{"inviter":{"user_id":"bo"},"invitee":{"user_id":"me"}}"#,
             "removed event_user_declined_invitation"),
            (10200, #"{"user_id":"me"}"#, "changed event_user_unmuted"),
            (10201, #"{"user_id":"me","end_at":-1}"#, "changed event_user_muted"),
            (10600, #"{"user_id":"me"}"#, "changed event_user_unbanned"),
            (10601, #"{"user_id":"bo"}"#, "changed event_user_banned"),
            (10601, #"{"user":{"user_id":"me"},"description":"x"}"#, "removed event_user_banned"),
            (10700, "{}", "patched event_channel_unfrozen freeze=false"),
            (10701, "{}", "patched event_channel_frozen freeze=true"),
            (10900, #"{"user_id":"bo","nickname":"Bo","ts":5}"#, #"bo types {"user_id":"bo","nickname":"Bo"}"#),
            (10900, #"{"guest_id":"bo","name":"Bo","image":"u"}"#,
             #"bo types {"user_id":"bo","nickname":"Bo","profile_url":"u"}"#),
            (10901, #"{"user":{"user_id":"bo"}}"#, #"bo stops {"user_id":"bo"}"#),
            (11000, "{}", "changed event_channel_changed"),
            (11100, #"{"created":{"a":"b"}}"#, "changed event_meta_data_created"),
            (11100, #"{"updated":{"a":"b"}}"#, "changed event_meta_data_updated"),
            (11100, #"{"deleted":["a"]}"#, "changed event_meta_data_deleted"),
            (11200, #"{"created":{"a":1}}"#, "changed event_meta_counter_created"),
            (11200, #"{"deleted":["a"]}"#, "changed event_meta_counter_deleted"),
            (11200, #"{"updated":{"a":1}}"#, "changed event_meta_counter_updated"),
            (11300, #"{"pinned_message_ids":[1]}"#, "changed event_pinned_message_updated"),
            (12000, "{}", "removed event_channel_deleted"),
            (13000, #"{"hide_previous_messages":true,"allow_auto_unhide":false}"#,
             "hidden auto=false offset=77"),
            (13000, "{}", "hidden auto=true offset=77"),
            (13001, "{}", #"patched event_channel_unhidden is_hidden=false hidden_state="unhidden""#),
            (19999, "{}", "changed event_channel_changed"),
        ]
        for (category, data, event) in cases {
            let frame = #"SYEV{"cat":\#(category),"channel_url":"c","channel_type":"group","ts":5,"#
                + #""ts_message_offset":77,"data":\#(data)}"#
            XCTAssertEqual(decoder.described(frame), ["channel c " + event], frame)
        }
    }

    func testOpenChannelsAreNotCached() {
        assert([
            (#"SYEV{"cat":10102,"channel_url":"o","channel_type":"open","data":{}}"#, ["alive"]),
            (#"SYEV{"cat":12000,"channel_url":"o","channel_type":"open","data":{}}"#, ["alive"]),
            (#"MESG{"msg_id":1,"ts":2,"channel_url":"o","channel_type":"open"}"#, ["alive"]),
            (#"MESG{"msg_id":1,"ts":2,"channel_url":"f","channel_type":"feed"}"#, ["alive"]),
            (#"SYEV{"cat":11000,"channel_url":"f","channel_type":"feed","data":{}}"#, ["alive"]),
            (#"READ{"channel_url":"f","channel_type":"feed","user":{"user_id":"bo"},"ts":5}"#, ["alive"]),
            (#"SYEV{"cat":12000,"data":{}}"#, ["alive"]),
            (#"SYEV{"cat":10900,"channel_url":"c","data":{}}"#, ["alive"]),
        ])
    }

    // MARK: Framing

    func testSeveralCommandsInOneFrame() {
        let read = #"READ{"channel_url":"c","user":{"user_id":"bo"},"ts":5}"#
        assert([
            (read + "\n" + read + "\n", ["channel c read by bo at 5", "channel c read by bo at 5"]),
            ("\n\r\n" + read + "\r\n\n", ["channel c read by bo at 5"]),
            (#"PONG{"ts":1}"# + "\n{broken\n" + read, ["alive", "alive", "channel c read by bo at 5"]),
        ])
    }

    func testWhatCannotBeReadIsASignOfLife() {
        assert([
            ("", []), ("\n", []), ("PON", []), ("PONG", ["alive"]), ("MESG", ["alive"]), ("MESG{", ["alive"]),
            ("MESG[]", ["alive"]), ("MESG7", ["alive"]), (#"MESG{"channel_url":"c"}"#, ["alive"]),
            (#"MESG{"channel_url":"c","msg_id":"7","ts":"9"}"#, ["alive"]),
            (#"MESG{"channel_url":7,"msg_id":7,"ts":9}"#, ["alive"]), (#"MESG{"req_id":"r"}"#, ["alive"]),
            (#"DELM{"channel_url":"c"}"#, ["alive"]), (#"MRCT{"channel_url":"c","msg_id":1}"#, ["alive"]),
            (#"MTHD{"channel_url":"c","parent_message_id":1,"thread_info":7}"#, ["alive"]),
            (#"READ{"channel_url":"c"}"#, ["alive"]), (#"MCNT{}"#, []), (#"MCNT{"group_channels":[{},7]}"#, []),
            (#"RXNS{"channel_url":"c"}"#, ["alive"]), (#"NEWC{"channel_url":"c"}"#, ["alive"]),
            (#"ENTR{"channel_url":"o","participant_count":1}"#, ["alive"]), (#"mesg{"channel_url":"c"}"#, ["alive"]),
        ])
    }
}
