import SyncJSON
import SyncModel
import XCTest

final class MessageFilterParsingTests: XCTestCase {
    func testEveryKeyReachesItsField() throws {
        XCTAssertEqual(try MessageFilter(json: .object()), MessageFilter())
        XCTAssertEqual(try MessageFilter(json: JSON.parse(#"{"limit":null,"sender_ids":null}"#)), MessageFilter())
        var expected = MessageFilter()
        expected.type = .file
        expected.customTypes = ["", "a"]
        expected.senderIDs = ["mei"]
        expected.replyType = .onlyReplyToChannel
        expected.limit = 200
        expected.previousLimit = 7
        expected.nextLimit = 8
        expected.isInclusive = false
        expected.isReversed = true
        expected.leftOut = [.reactions, .pollDetails]
        XCTAssertEqual(
            try MessageFilter(json: JSON.parse("""
                {"message_type":"file","custom_types":["","a",""],"sender_ids":["mei"],
                 "reply_type":"only_reply_to_channel","limit":200,"previous_limit":7,"next_limit":8,
                 "is_inclusive":false,"reverse":true,"include_reactions":false,"include_thread_info":true,
                 "include_meta_array":true,"include_parent_message_info":true,"include_poll_details":false}
                """)),
            expected)
        for (key, part) in [
            ("include_thread_info", MessagePart.threadInfo), ("include_meta_array", .metaArray),
            ("include_parent_message_info", .parentMessageInfo),
        ] {
            XCTAssertEqual(try MessageFilter(json: .object([key: .bool(false)])).leftOut, [part], key)
        }
        for thread in [#"{"parent_message_id":42}"#, #"{"parent_message_id":"42"}"#] {
            XCTAssertEqual(try MessageFilter(json: JSON.parse(thread)).parentID, "42")
        }
    }

    func testALimitOfADirectionComesBeforeTheOneOfBoth() throws {
        let filter = try MessageFilter(json: JSON.parse(#"{"limit":5,"next_limit":9}"#))
        XCTAssertEqual(filter.limit(.previous), 5)
        XCTAssertEqual(filter.limit(.next), 9)
    }

    func testRefusalsNameThePathAndWhatIsExpected() throws {
        let cases: [(filter: String, path: String, message: String)] = [
            ("7", "$", "expected an object"),
            (#"{"type":"file"}"#, "$.type", "a filter has no such key"),
            (#"{"message_type":"FILE"}"#, "$.message_type", #"expected "all", "user", "file" or "admin""#),
            (#"{"reply_type":1}"#, "$.reply_type", #"expected "none", "all" or "only_reply_to_channel""#),
            (#"{"sender_ids":[""]}"#, "$.sender_ids[0]", "expected a text that is not empty"),
            (#"{"custom_types":[null]}"#, "$.custom_types[0]", "expected a text"),
            (#"{"limit":201}"#, "$.limit", "expected a whole number from 1 to 200"),
            (#"{"previous_limit":0}"#, "$.previous_limit", "expected a whole number from 1 to 200"),
            (#"{"next_limit":1.0}"#, "$.next_limit", "expected a whole number from 1 to 200"),
            (#"{"is_inclusive":1}"#, "$.is_inclusive", "expected true or false"),
            (#"{"reverse":"true"}"#, "$.reverse", "expected true or false"),
            (#"{"include_reactions":0}"#, "$.include_reactions", "expected true or false"),
            (#"{"parent_message_id":""}"#, "$.parent_message_id", "expected a text that is not empty"),
            (
                #"{"parent_message_id":1,"reply_type":"all"}"#, "$.reply_type",
                "a thread has replies only: not together with parent_message_id"
            ),
        ]
        for (filter, path, message) in cases {
            let json = try JSON.parse(filter)
            XCTAssertThrowsError(try MessageFilter(json: json), filter) { error in
                XCTAssertEqual(error as? DocumentError, DocumentError(path: path, message: message), filter)
            }
        }
    }
}
