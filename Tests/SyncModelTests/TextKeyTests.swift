import SyncBytes
import SyncJSON
import XCTest

@testable import SyncModel

/// Texts that Swift takes for the same and everybody else does not.
final class TextKeyTests: XCTestCase {
    private let composed = "t\u{E9}"
    private let decomposed = "te\u{301}"

    /// Two ids are never told as one.
    func testIdsAreTheNumbersThatTheyAreWrittenAs() {
        for text in ["0", "1", "-7", "9223372036854775807"] {
            XCTAssertEqual(MessageID(text).json.serialized(), Array(text.utf8))
        }
        for text in ["01", "+1", "-0", "007", "1 ", "9223372036854775808", "$a", ""] {
            XCTAssertEqual(MessageID(text).json, .string(text))
        }
    }

    func testKeysCompareBytes() {
        XCTAssertEqual(composed, decomposed, "what this is about")
        XCTAssertNotEqual(TextKey(composed), TextKey(decomposed))
        XCTAssertEqual(TextKey(composed), TextKey("t" + "\u{E9}"))
        XCTAssertLessThan(TextKey(decomposed), TextKey(composed))
        XCTAssertNotEqual(UserID(composed), UserID(decomposed))
        XCTAssertEqual(Set([UserID(composed), UserID(decomposed), UserID(composed)]).count, 2)
        XCTAssertEqual([composed, decomposed, composed].keys.count, 2)
        var places: [TextKey: Int] = [:]
        places[composed] = 1
        places[decomposed] = 2
        XCTAssertEqual([places[composed], places[decomposed]], [1, 2])
        // A long text is stored in another way than a short one.
        let long = String(repeating: "x", count: 100)
        XCTAssertEqual(Set([TextKey(long), TextKey(String(decoding: Array(long.utf8), as: UTF8.self))]).count, 1)
    }

    func testFiltersCompareBytes() throws {
        var filter = MessageFilter()
        filter.customTypes = [composed]
        filter.senderIDs = [UserID(composed)]
        func matches(_ type: String, _ sender: String) -> Bool {
            filter.matches(
                kind: .user, customType: type, senderID: UserID(sender), isInThread: false, parentID: "",
                isReplyToChannel: false)
        }
        XCTAssert(matches(composed, composed))
        XCTAssertFalse(matches(decomposed, composed))
        XCTAssertFalse(matches(composed, decomposed))
    }

    func testQueriesCompareBytes() throws {
        let json = #"{"channel_url":"\#(composed)","custom_type":"\#(composed)","member_state":"joined","#
            + #""members":[{"user_id":"\#(composed)","nickname":"\#(composed)"}],"metadata":{"k":"\#(composed)"}}"#
        let channel = try XCTUnwrap(ChannelRecord(json: Array(json.utf8)))
        let changes: [(inout ChannelQuery, String) -> Void] = [
            { $0.channelURLs = [ChannelURL($1)] }, { $0.customTypes = [$1] }, { $0.userIDsInclude = [UserID($1)] },
            { $0.userIDsExact = [UserID($1)] }, { $0.nicknameExact = $1 },
            {
                $0.metadataKey = "k"
                $0.metadataValues = [$1]
            },
        ]
        for (index, change) in changes.enumerated() {
            for (text, isMatch) in [(composed, true), (decomposed, false)] {
                var query = ChannelQuery()
                change(&query, text)
                XCTAssertEqual(query.matches(channel, userID: "me"), isMatch && index != 3, "\(index)")
                if index == 3 { XCTAssertEqual(query.matches(channel, userID: UserID(composed)), isMatch) }
            }
        }
    }

    func testAListOfTextsKeepsBoth() throws {
        let json = try JSON.parse(Array(#"["\#(composed)","\#(decomposed)","\#(composed)"]"#.utf8))
        XCTAssertEqual(try DocumentValue(json).texts().map { TextKey($0) }, [TextKey(composed), TextKey(decomposed)])
    }
}
