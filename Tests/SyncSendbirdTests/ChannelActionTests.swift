import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

/// Actions on channels, members and users: as they go over the wire, and what their answers become.
final class ChannelActionTests: XCTestCase {
    private static let parts =
        "show_member=true&show_read_receipt=true&show_delivery_receipt=true&show_metadata=true"

    private func sent(_ document: String) throws -> String {
        let call = try ActionCall(Array(document.utf8))
        switch RequestEncoder.forTest.encode(.action(call), Credentials(), requestID: "q") {
        case .http(let method, let url, _, let body, _):
            let path = url.dropFirst("http://127.0.0.1:1/v3".utf8.count)
                .replacing(ChannelActionTests.parts, with: "PARTS")
            return "\(method) \(path) " + String(decoding: body ?? [], as: UTF8.self)
        case .frame(let bytes, _): return String(decoding: bytes, as: UTF8.self)
        case .refused(let failure): return "refused \(failure.code)"
        case .known(let reply): return "known \(Described.text(reply))"
        }
    }

    func testChannelsOnTheWire() throws {
        let url = #""channel_url":"c d""#
        let path = "/group_channels/c%20d"
        let cases: [(document: String, wire: String)] = [
            (#"{"action":"create_channel","user_ids":["bo","me"],"name":"N","is_distinct":true,"channel_url":"u"}"#,
             #"POST /group_channels?PARTS {"name":"N","channel_url":"u","is_distinct":true,"user_ids":["me","bo"]}"#),
            (#"{"action":"get_channel",\#(url)}"#, "GET \(path)?PARTS "),
            (#"{"action":"update_channel",\#(url),"name":"","is_public":false,"message_survival_seconds":-1}"#,
             #"PUT \#(path)?PARTS {"name":"","is_public":false,"message_survival_seconds":-1}"#),
            (#"{"action":"delete_channel",\#(url)}"#, "DELETE \(path) "),
            (#"{"action":"hide_channel",\#(url)}"#,
             #"PUT \#(path)/hide {"user_id":"me","allow_auto_unhide":true,"hide_previous_messages":false}"#),
            (#"{"action":"unhide_channel",\#(url)}"#, "DELETE \(path)/hide?user_id=me "),
            (#"{"action":"freeze_channel",\#(url)}"#, #"PUT \#(path)/freeze?PARTS {"freeze":true}"#),
            (#"{"action":"unfreeze_channel",\#(url)}"#, #"PUT \#(path)/freeze?PARTS {"freeze":false}"#),
            (#"{"action":"reset_history",\#(url)}"#, #"PUT \#(path)/reset_user_history {"user_id":"me"}"#),
            (#"{"action":"invite",\#(url),"user_ids":["kit"]}"#,
             #"POST \#(path)/invite?PARTS {"inviter_id":"me","user_ids":["kit"]}"#),
            (#"{"action":"accept_invitation",\#(url)}"#, #"PUT \#(path)/accept?PARTS {"user_id":"me"}"#),
            (#"{"action":"decline_invitation",\#(url)}"#, #"PUT \#(path)/decline {"user_id":"me"}"#),
            (#"{"action":"join",\#(url),"access_code":"x"}"#,
             #"PUT \#(path)/join?PARTS {"user_id":"me","access_code":"x"}"#),
            (#"{"action":"leave",\#(url),"should_remove_operator_status":true}"#,
             #"PUT \#(path)/leave {"user_ids":["me"],"should_remove_operator_status":true}"#),
            (#"{"action":"add_operators",\#(url),"user_ids":["bo"]}"#,
             #"POST \#(path)/operators {"operator_ids":["bo"]}"#),
            (#"{"action":"remove_operators",\#(url),"user_ids":["b,o","kit"]}"#,
             "DELETE \(path)/operators?operator_ids=b%2Co,kit "),
            (#"{"action":"mute_user",\#(url),"user_id":"bo","seconds":60,"description":"why"}"#,
             #"POST \#(path)/mute {"user_id":"bo","seconds":60,"description":"why"}"#),
            (#"{"action":"unmute_user",\#(url),"user_id":"b/o"}"#, "DELETE \(path)/mute/b%2Fo "),
            (#"{"action":"ban_user",\#(url),"user_id":"bo"}"#, #"POST \#(path)/ban {"user_id":"bo","seconds":-1}"#),
            (#"{"action":"unban_user",\#(url),"user_id":"bo"}"#, "DELETE \(path)/ban/bo "),
            (#"{"action":"list_members",\#(url),"operator_filter":"operator","limit":3,"token":"t"}"#,
             "GET \(path)/members?operator_filter=operator&show_read_receipt=true&show_delivery_receipt=true"
                 + "&show_member_is_muted=true&limit=3&token=t "),
            (#"{"action":"list_operators",\#(url)}"#, "GET \(path)/operators?limit=20 "),
            (#"{"action":"list_muted_users",\#(url)}"#, "GET \(path)/mute?limit=20 "),
            (#"{"action":"list_banned_users",\#(url)}"#, "GET \(path)/ban?limit=20 "),
            (#"{"action":"create_metadata",\#(url),"metadata":{"a":"b"}}"#,
             #"POST \#(path)/metadata {"metadata":{"a":"b"}}"#),
            (#"{"action":"update_counters",\#(url),"counters":{"n":2},"mode":"increase","upsert":true}"#,
             #"PUT \#(path)/metacounter {"metacounter":{"n":2},"mode":"increase","upsert":true}"#),
            (#"{"action":"delete_metadata",\#(url),"keys":["a","b"]}"#, "DELETE \(path)/metadata?keys=a,b "),
            (#"{"action":"get_counters",\#(url)}"#, "GET \(path)/metacounter "),
            (#"{"action":"set_push_preference",\#(url),"push_trigger_option":"off"}"#,
             #"PUT /users/me/push_preference/c%20d {"push_trigger_option":"off"}"#),
            (#"{"action":"set_count_preference",\#(url),"count_preference":"off"}"#,
             #"PUT /users/me/count_preference/c%20d {"count_preference":"off"}"#),
            (#"{"action":"list_users","nickname_startswith":"B","metadata_key":"k","metadata_values":["1","2"]}"#,
             "GET /users?nickname_startswith=B&metadatakey=k&metadatavalues_in=1,2&limit=20 "),
            (#"{"action":"block_user","user_id":"bo"}"#, #"POST /users/me/block {"target_id":"bo"}"#),
            (#"{"action":"unblock_user","user_id":"bo"}"#, "DELETE /users/me/block/bo "),
            (#"{"action":"list_blocked_users","limit":5}"#, "GET /users/me/block?limit=5 "),
            (#"{"action":"statistics"}"#, "refused 800111"),
        ]
        for each in cases { XCTAssertEqual(try sent(each.document), each.wire) }
    }

    // MARK: Answers

    private func answered(_ document: String, _ body: String, status: Int = 200) throws -> String {
        let response = TransportResponse(status: status, headers: [], body: Array(body.utf8))
        let request = ServiceRequest.action(try ActionCall(Array(document.utf8)))
        return Described.text(ReplyDecoder.decode(request, response, userID: "me"))
    }

    func testAWholeChannelIsKnownAtOnce() throws {
        let parts = #""members":[],"read_receipt":{},"delivery_receipt":{},"metadata":{}"#
        let freeze = #"{"action":"freeze_channel","channel_url":"c"}"#
        XCTAssertEqual(
            try answered(freeze, #"{"channel_url":"c","is_created":false,\#(parts)}"#),
            #"action {"channel_url":"c","is_created":false,\#(parts)}, channel c is now event_channel_frozen"#)
        // Parts that lists show are missing: it has to be asked for.
        XCTAssertEqual(
            try answered(freeze, #"{"channel_url":"c"}"#),
            #"action {"channel_url":"c"}, channel c changed event_channel_frozen"#)
        // A public channel that this user is not in.
        XCTAssertEqual(
            try answered(
                #"{"action":"get_channel","channel_url":"c"}"#,
                #"{"channel_url":"c","member_state":"none",\#(parts)}"#),
            #"action {"channel_url":"c","member_state":"none",\#(parts)}"#)
        XCTAssertEqual(try answered(freeze, ""), "action")
        XCTAssertEqual(try answered(freeze, "[1]"), "action [1]")
        XCTAssertEqual(try answered(freeze, "no JSON"), "failure unavailable 800130")
    }

    func testAnswersThatSayWhatHappened() throws {
        let url = #""channel_url":"c""#
        XCTAssertEqual(
            try answered(#"{"action":"leave",\#(url)}"#, "{}"), "action, channel c removed event_user_left")
        XCTAssertEqual(
            try answered(#"{"action":"hide_channel",\#(url),"allow_auto_unhide":false}"#, #"{"ts_message_offset":7}"#),
            #"action {"ts_message_offset":7}, channel c hidden auto=false offset=7"#)
        XCTAssertEqual(
            try answered(#"{"action":"reset_history",\#(url)}"#, #"{"ts_message_offset":7}"#),
            #"action {"ts_message_offset":7}, channel c patched event_channel_reset_history ts_message_offset=7, "#
                + "channel c changed event_channel_reset_history")
        XCTAssertEqual(
            try answered(#"{"action":"set_push_preference",\#(url),"push_trigger_option":"off"}"#, "{}"),
            #"action {}, channel c patched event_channel_changed push_trigger_option="off", "#
                + "channel c changed event_channel_changed")
    }

    func testListsOfUsersHaveOneShape() throws {
        XCTAssertEqual(
            try answered(
                #"{"action":"list_banned_users","channel_url":"c"}"#,
                #"{"banned_list":[{"user":{"user_id":"bo"},"end_at":5}],"total_ban_count":1,"next":"t"}"#),
            #"action {"users":[{"user_id":"bo","end_at":5}],"next":"t"}"#)
        XCTAssertEqual(
            try answered(#"{"action":"list_muted_users","channel_url":"c"}"#, #"{"muted_list":[{"user_id":"bo"}]}"#),
            #"action {"users":[{"user_id":"bo"}],"next":""}"#)
    }

    // MARK: Refusals

    /// "Not allowed" said of an action is no fault of the credentials, and the session goes on.
    func testARefusedActionDoesNotEndTheSession() throws {
        for code in [400_108, 400_300, 400_301] {
            let harness = ServiceHarness.online()
            let freeze = ServiceRequest.action(
                ActionCall(action: .channel(.freezeChannel), arguments: ["channel_url": .text("c")]))
            let asked = harness.ask(freeze, id: 7)
            XCTAssertEqual(asked.count, 1)
            XCTAssertEqual(
                harness.answered(1, #"{"error":true,"code":\#(code),"message":"no"}"#, status: 400),
                ["reply 7 failure refused \(code)"])
        }
    }

    func testARefusedUploadDoesNotEndTheSession() throws {
        let stamp = FileStamp(size: 3, modified: 0, inode: 1)
        for code in [400_108, 400_300, 400_301] {
            let harness = ServiceHarness.online()
            let upload = ServiceRequest.uploadFile(
                channelURL: "c", requestID: "r", OutgoingFile(path: "/a", stamp: stamp, name: "a", type: "text/plain"))
            XCTAssertEqual(harness.ask(upload, id: 7).count, 1)
            XCTAssertEqual(
                harness.answered(1, #"{"error":true,"code":\#(code),"message":"no"}"#, status: 403),
                ["reply 7 failure refused \(code)"])
        }
    }

    func testWhatTheServiceHasNothingForIsRefused() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(
            harness.ask(.action(ActionCall(action: .library(.statistics), arguments: [:])), id: 7),
            ["reply 7 failure refused 800111"])
    }
}
