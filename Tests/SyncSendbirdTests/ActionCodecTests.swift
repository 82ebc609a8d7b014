import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

/// Every action on messages as it goes over the wire, and what its answer becomes.
final class ActionCodecTests: XCTestCase {
    private func sent(_ document: String, isFile: Bool = false) throws -> String {
        var call = try ActionCall(Array(document.utf8))
        if isFile { call = call.adding(ActionCall.concernsFile, .flag(true)) }
        switch RequestEncoder.forTest.encode(.action(call), Credentials(), requestID: "q") {
        case .http(let method, let url, _, let body, _):
            return "\(method) \(url.dropFirst("http://127.0.0.1:1/v3".utf8.count)) "
                + String(decoding: body ?? [], as: UTF8.self)
        case .refused(let failure): return "refused \(failure.code)"
        case .known(let reply): return "known \(Described.text(reply))"
        case .frame(let bytes, let awaiting):
            return String(decoding: bytes.dropLast(), as: UTF8.self) + (awaiting.map { " awaits \($0)" } ?? "")
        }
    }

    /// "." and ".." are ids like others to whoever chose them, and the level above to whatever reads a path.
    func testAnIDOfDotsNamesNothingElse() throws {
        for (id, escaped) in [(".", "%2E"), ("..", "%2E%2E"), ("...", "..."), (".a", ".a")] {
            let isDots = escaped.hasPrefix("%")
            for (action, path) in [
                (#"{"action":"delete_message","channel_url":"c","message_id":"\#(id)"}"#, "messages/\(id)"),
                (#"{"action":"unban_user","channel_url":"c","user_id":"\#(id)"}"#, "ban/\(id)"),
            ] {
                let wire = try sent(action)
                XCTAssertEqual(wire, isDots ? "refused 800110" : "DELETE /group_channels/c/\(path) ")
            }
            XCTAssertEqual(
                try sent(#"{"action":"get_message","channel_url":"\#(id)","message_id":7}"#).prefix { $0 != "?" },
                "GET /group_channels/\(escaped)/messages/7")
        }
    }

    func testActionsOnTheWire() throws {
        let message = #""channel_url":"c d","message_id":7"#
        let path = "/group_channels/c%20d/messages/7"
        for (document, wire) in [
            (#"{"action":"edit_message",\#(message),"message":"new","mention_type":"users","#
                + #""mentioned_user_ids":["bo"]}"#,
             #"PUT \#(path) {"message_type":"MESG","user_id":"me","message":"new","mention_type":"users","#
                 + #""mentioned_user_ids":["bo"]}"#),
            (#"{"action":"delete_message",\#(message)}"#, "DELETE \(path) "),
            (#"{"action":"add_reaction",\#(message),"key":"+1"}"#,
             #"POST \#(path)/reactions {"user_id":"me","reaction":"+1"}"#),
            (#"{"action":"remove_reaction",\#(message),"key":"+1"}"#,
             "DELETE \(path)/reactions?user_id=me&reaction=%2B1 "),
            (#"{"action":"pin_message",\#(message)}"#, "POST \(path)/pin {}"),
            (#"{"action":"unpin_message",\#(message)}"#, "DELETE \(path)/pin {}"),
            (#"{"action":"translate_message",\#(message),"target_langs":["de","ko"]}"#,
             #"POST \#(path)/translation {"target_langs":["de","ko"]}"#),
            (#"{"action":"create_meta_array_keys",\#(message),"keys":["a"]}"#,
             #"MEDI{"channel_url":"c d","metaarray":{"array":[{"key":"a","value":[]}],"mode":"add","upsert":true},"#
                 + #""msg_id":7,"req_id":"q"} awaits q"#),
            (#"{"action":"remove_meta_array_values",\#(message),"values":{"a":["1","2"]}}"#,
             #"MEDI{"channel_url":"c d","metaarray":{"array":[{"key":"a","value":["1","2"]}],"mode":"remove","#
                 + #""upsert":true},"msg_id":7,"req_id":"q"} awaits q"#),
            (#"{"action":"mark_as_read","channel_url":"c"}"#, #"READ{"channel_url":"c","req_id":"q"} awaits q"#),
            (#"{"action":"mark_all_as_read"}"#, "PUT /users/me/mark_as_read_all {}"),
            (#"{"action":"mark_all_as_read","channel_urls":["c"]}"#,
             #"PUT /users/me/mark_as_read_all {"channel_urls":["c"]}"#),
            (#"{"action":"mark_as_unread",\#(message)}"#,
             #"PUT /group_channels/c%20d/messages/mark_as_read {"user_id":"me","is_excluded":true,"message_id":7}"#),
            (#"{"action":"mark_as_delivered","channel_url":"c","time":9}"#,
             #"PUT /group_channels/c/messages/mark_as_delivered {"user_id":"me","ts":9}"#),
            (#"{"action":"start_typing","channel_url":"c"}"#, #"TPST{"channel_url":"c","time":0}"#),
            (#"{"action":"end_typing","channel_url":"c"}"#, #"TPEN{"channel_url":"c","time":0}"#),
        ] { XCTAssertEqual(try sent(document), wire) }
    }

    func testAFileMessageIsNamedAsOne() throws {
        let edit = #"{"action":"edit_message","channel_url":"c","message_id":7,"data":"d"}"#
        XCTAssertEqual(
            try sent(edit, isFile: true),
            #"PUT /group_channels/c/messages/7 {"message_type":"FILE","user_id":"me","data":"d"}"#)
        let keys = #"{"action":"delete_meta_array_keys","channel_url":"c","message_id":7,"keys":["a"]}"#
        XCTAssertTrue(try sent(keys, isFile: true).hasPrefix("FEDI{"))
    }

    func testAnAnswerBecomesWhatCollectionsAreToldAndTheResult() throws {
        func events(_ document: String, _ answer: String) throws -> [String] {
            let call = try ActionCall(Array(document.utf8))
            let reply = ReplyDecoder.answer(try JSON.parse(Array(answer.utf8)), to: call, "me")
            guard case .action(let answer) = reply else { return [] }
            return answer.events.map { Described.text($0) }
                + [answer.result.map { String(decoding: $0, as: UTF8.self) } ?? "-"]
        }
        let message = #"{"message_id":7,"type":"MESG","created_at":5,"updated_at":6,"message":"new"}"#
        let edit = try events(#"{"action":"edit_message","channel_url":"c","message_id":7}"#, message)
        XCTAssertEqual(edit.count, 2)
        XCTAssertTrue(edit[0].contains("c") && edit[0].contains("7"), edit[0])
        XCTAssertEqual(edit[1], message)
        XCTAssertEqual(
            try events(#"{"action":"delete_message","channel_url":"c","message_id":7}"#, "{}").count, 2)
        XCTAssertEqual(
            try events(#"{"action":"add_reaction","channel_url":"c","message_id":7,"key":"k"}"#, #"{"updated_at":3}"#),
            ["reaction c 7 k me added 3", #"{"updated_at":3}"#])
    }

    /// A success without the result that was asked for would be told to the host as one with it.
    func testAnEmptyAnswerToAQuestionIsMalformed() throws {
        func failure(_ document: String) throws -> ServiceFailure? {
            let call = try ActionCall(Array(document.utf8))
            let response = TransportResponse(status: 200, headers: [], body: [])
            guard case .failure(let failure) = ReplyDecoder.decode(.action(call), response, userID: "me") else {
                return nil
            }
            return failure
        }
        XCTAssertEqual(try failure(#"{"action":"list_members","channel_url":"c"}"#), .malformed)
        XCTAssertEqual(try failure(#"{"action":"get_message","channel_url":"c","message_id":7}"#), .malformed)
        XCTAssertNil(try failure(#"{"action":"delete_message","channel_url":"c","message_id":7}"#))
    }

    /// The acknowledgement of an edit by socket is an edit for everybody and the answer for who asked, and the request
    /// id in it is not that of the message's sending.
    func testAnEditBySocketIsAnswered() {
        let events = FrameDecoder(userID: "me").decode(Array(
            #"MEDI{"req_id":"q","channel_url":"c","msg_id":7,"ts":5,"message":"new","channel_type":"group"}"#.utf8))
        guard events.count == 2, case .event(.messageUpdated("c", let message)) = events[0],
            case .answered("q", let json) = events[1]
        else { return XCTFail("\(events)") }
        XCTAssertEqual(message.requestID, "")
        XCTAssertFalse(String(decoding: json, as: UTF8.self).contains("req_id"))
    }
}
