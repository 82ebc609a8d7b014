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
        XCTAssertEqual(
            try MessageFilter(json: JSON.parse("""
                {"message_type":"file","custom_types":["","a",""],"sender_ids":["mei"],
                 "reply_type":"only_reply_to_channel","limit":200}
                """)),
            expected)
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
        ]
        for (filter, path, message) in cases {
            let json = try JSON.parse(filter)
            XCTAssertThrowsError(try MessageFilter(json: json), filter) { error in
                XCTAssertEqual(error as? DocumentError, DocumentError(path: path, message: message), filter)
            }
        }
    }
}
