import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

/// Profile, devices, reports, scheduled messages, public channels and the service itself, on the wire and back.
final class OwnActionTests: XCTestCase {
    private func sent(_ document: String) throws -> String {
        let call = try ActionCall(Array(document.utf8))
        switch RequestEncoder.forTest.encode(.action(call), Credentials(), requestID: "q") {
        case .http(let method, let url, _, let body, _):
            return "\(method) \(url.dropFirst("http://127.0.0.1:1/v3".utf8.count)) "
                + String(decoding: body ?? [], as: UTF8.self)
        case .refused(let failure): return "refused \(failure.code)"
        case .known(let reply): return "known \(Described.text(reply))"
        case .frame(let bytes, _): return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func result(_ document: String, _ answer: String, adding more: [String: ActionCall.Value] = [:]) throws
        -> String
    {
        var call = try ActionCall(Array(document.utf8))
        for (key, value) in more { call = call.adding(key, value) }
        let reply = ReplyDecoder.answer(try JSON.parse(Array(answer.utf8)), to: call, "me")
        guard case .action(let answer) = reply else { return "none" }
        XCTAssertTrue(answer.events.isEmpty)
        return answer.result.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    }

    func testOnTheWire() throws {
        let scheduled = #""channel_url":"c d","scheduled_message_id":7"#
        let path = "/group_channels/c%20d/scheduled_messages"
        let report = #""reporting_user_id":"me","report_category":"spam""#
        for (document, wire) in [
            (#"{"action":"update_profile","nickname":"Me","profile_url":"","preferred_languages":["de","ko"]}"#,
             #"PUT /users/me {"nickname":"Me","profile_url":"","preferred_languages":["de","ko"]}"#),
            (#"{"action":"list_push_tokens","type":"gcm"}"#, "GET /users/me/push/gcm "),
            (#"{"action":"register_push_token","type":"gcm","token":"t","is_unique":true}"#,
             #"POST /users/me/push/gcm {"gcm_reg_token":"t","is_unique":true}"#),
            (#"{"action":"register_push_token","type":"apns_voip","token":"t"}"#,
             #"POST /users/me/push/apns_voip {"apns_device_token":"t"}"#),
            (#"{"action":"register_push_token","type":"huawei","token":"t"}"#,
             #"POST /users/me/push/huawei {"huawei_device_token":"t"}"#),
            (#"{"action":"unregister_push_token","type":"gcm","token":"a/b"}"#, "DELETE /users/me/push/gcm/a%2Fb "),
            (#"{"action":"unregister_push_token","type":"gcm","token":".."}"#, "refused 800110"),
            (#"{"action":"unregister_all_push_tokens"}"#, "DELETE /users/me/push "),
            (#"{"action":"report_user","user_id":"b o","category":"spam","description":"d","channel_url":"c"}"#,
             #"POST /report/users/b%20o {\#(report),"report_description":"d","channel_url":"c","#
                 + #""channel_type":"group_channels"}"#),
            (#"{"action":"report_user","user_id":"bo","category":"spam"}"#, "POST /report/users/bo {\(report)}"),
            (#"{"action":"report_channel","channel_url":"c d","category":"spam","user_id":"bo"}"#,
             #"POST /report/group_channels/c%20d {\#(report),"offending_user_id":"bo"}"#),
            (#"{"action":"report_message","channel_url":"c","message_id":7,"category":"spam"}"#,
             "POST /report/group_channels/c/messages/7 {\(report)}"),
            (#"{"action":"schedule_message","channel_url":"c d","scheduled_at":9,"message":"m","data":"d","#
                + #""mention_type":"users","mentioned_user_ids":["bo"],"push_option":"suppress"}"#,
             #"POST \#(path) {"message_type":"MESG","user_id":"me","message":"m","data":"d","mention_type":"users","#
                 + #""push_option":"suppress","mentioned_user_ids":["bo"],"scheduled_at":9}"#),
            (#"{"action":"get_scheduled_message",\#(scheduled)}"#, "GET \(path)/7 "),
            (#"{"action":"update_scheduled_message",\#(scheduled),"message":"n"}"#,
             #"PUT \#(path)/7 {"message_type":"MESG","user_id":"me","message":"n"}"#),
            (#"{"action":"cancel_scheduled_message",\#(scheduled)}"#, "DELETE \(path)/7 "),
            (#"{"action":"send_scheduled_message_now",\#(scheduled)}"#, "POST \(path)/7/send_now {}"),
            (#"{"action":"list_scheduled_messages"}"#, "GET /scheduled_messages?limit=20 "),
            (#"{"action":"list_scheduled_messages","channel_url":"c","status":["pending","sent"],"#
                + #""order":"created_at","reverse":true,"limit":2,"token":"t"}"#,
             "GET /scheduled_messages?channel_url=c&status=pending,sent&order=created_at&reverse=true&limit=2"
                 + "&token=t "),
            (#"{"action":"search_messages","query":"a&b"}"#,
             "GET /search/messages?query=a%26b&sort_field=ts&limit=20 "),
            (#"{"action":"search_messages","query":"q","channel_url":"c","custom_type":"t","since":0,"until":9,"#
                + #""exact":true,"fields":["message","data"],"reverse":true,"limit":3,"token":"n"}"#,
             "GET /search/messages?query=q&channel_url=c&custom_type=t&message_ts_from=0&message_ts_to=9"
                 + "&exact_match=true&target_fields=message,data&sort_field=ts&reverse=true&limit=3&token=n "),
            (#"{"action":"service_info"}"#, "GET /emoji_categories "),
        ] { XCTAssertEqual(try sent(document), wire) }
        let channels = try sent(
            #"{"action":"list_public_channels","membership":"joined","custom_types":["a","b"],"include_empty":false}"#)
        XCTAssertTrue(
            channels.hasPrefix(
                "GET /group_channels?public_mode=public&public_membership_mode=joined&order=chronological&"
                    + "custom_types=a,b&show_empty=false&show_frozen=true&"), channels)
    }

    func testAnswers() throws {
        XCTAssertEqual(
            try result(#"{"action":"list_push_tokens","type":"gcm"}"#, #"{"token":["a",{"token":"b"}],"user":{}}"#),
            #"{"type":"gcm","tokens":["a","b"]}"#)
        XCTAssertEqual(
            try result(#"{"action":"register_push_token","type":"gcm","token":"t"}"#, #"{"token":"t","user":{}}"#),
            #"{"type":"gcm","token":"t"}"#)
        XCTAssertEqual(try result(#"{"action":"unregister_all_push_tokens"}"#, "{}"), "-")
        XCTAssertEqual(
            try result(#"{"action":"list_public_channels"}"#, #"{"channels":[{"channel_url":"c"}],"next":"n","ts":1}"#),
            #"{"channels":[{"channel_url":"c"}],"next":"n"}"#)
        let search = #"{"action":"search_messages","query":"q"}"#
        XCTAssertEqual(
            try result(search, #"{"results":[{"a":1}],"has_next":true,"total_count":2,"end_cursor":"c"}"#),
            #"{"messages":[{"a":1}],"next":"c","total":2}"#)
        XCTAssertEqual(
            try result(search, #"{"results":[],"has_next":false,"end_cursor":"c"}"#), #"{"messages":[],"next":""}"#)
        XCTAssertEqual(
            try result(#"{"action":"list_scheduled_messages"}"#, #"{"scheduled_messages":[]}"#),
            #"{"scheduled_messages":[],"next":""}"#)
        let told = Array(#"{"file_upload_size_limit":5,"emoji_hash":"h"}"#.utf8)
        XCTAssertEqual(
            try result(
                #"{"action":"service_info"}"#, #"{"emoji_hash":"i","emoji_categories":[{"id":1}]}"#,
                adding: [ActionCall.toldAtLogin: .object(told)]),
            #"{"file_upload_size_limit":5,"emoji_hash":"i","emoji_categories":[{"id":1}]}"#)
    }

    /// What is secret in a login does not reach hosts.
    func testWhatALoginTellsOfTheService() throws {
        let login = #"LOGI{"user_id":"me","key":"KEY","ekey":"EKEY","login_ts":5,"file_upload_size_limit":7,"#
            + #""premium_feature_list":["poll"],"emoji_hash":"h","use_reaction":true}"#
        guard case .loggedIn(let answer) = FrameDecoder.forTest.decode(Array(login.utf8)).first else {
            return XCTFail("no login")
        }
        XCTAssertEqual(
            String(decoding: try XCTUnwrap(answer.info).details, as: UTF8.self),
            #"{"file_upload_size_limit":7,"premium_feature_list":["poll"],"use_reaction":true,"emoji_hash":"h"}"#)
    }
}
