import SyncJSON
import SyncModel
import XCTest

final class ChannelQueryParsingTests: XCTestCase {
    private func parse(_ text: String) throws -> ChannelQuery { try ChannelQuery(json: JSON.parse(text)) }

    /// The path and message of the refusal; `nil` when the query was taken.
    private func refusal(_ text: String) throws -> DocumentError? {
        let json = try JSON.parse(text)
        do throws(DocumentError) {
            _ = try ChannelQuery(json: json)
            return nil
        } catch {
            return error
        }
    }

    func testAnEmptyObjectIsTheDefault() throws {
        XCTAssertEqual(try parse("{}"), ChannelQuery())
        XCTAssertEqual(ChannelQuery().limit, 20)
    }

    func testEveryKeyReachesItsField() throws {
        var expected = ChannelQuery()
        expected.limit = 100
        expected.order = .metadataValueAlphabetical
        expected.includeEmpty = false
        expected.includeFrozen = false
        expected.includeMetadata = false
        expected.includeChatNotification = true
        expected.includeMemberList = false
        expected.customTypes = ["t"]
        expected.customTypeStartsWith = "pre"
        expected.nameContains = "name"
        expected.userIDsInclude = ["x", "y"]
        expected.userIDsCombination = .or
        expected.memberState = .invitedByNonFriend
        expected.superChannels = .exclusiveOnly
        expected.publicChannels = .onlyPrivate
        expected.unreadChannels = .unreadMessage
        expected.hiddenChannels = .hiddenPreventAutoUnhide
        expected.metadataKey = "k"
        expected.metadataValues = ["v", "w"]
        expected.metadataOrderKey = "o"
        expected.searchQuery = "s"
        expected.searchFields = [.channelName]
        expected.createdBefore = 2_000
        expected.createdAfter = 1_000
        let parsed = try parse("""
            {"limit":100,"order":"metadata_value_alphabetical","include_empty":false,"include_frozen":false,
             "include_metadata":false,"include_member_list":false,"include_chat_notification":true,"custom_types":["t"],
             "custom_type_starts_with":"pre","channel_name_contains":"name","user_ids_include":["x","y"],
             "user_ids_query_type":"or","member_state":"invited_by_non_friend","super_channels":"exclusive_only",
             "public_channels":"private","unread_channels":"unread_message",
             "hidden_channels":"hidden_prevent_auto_unhide","metadata_key":"k","metadata_values":["v","w"],
             "metadata_order_key":"o","search_query":"s","search_fields":["channel_name"],"created_before":2000,
             "created_after":1000}
            """)
        XCTAssertEqual(parsed, expected)

        // Those that exclude others, one by one.
        XCTAssertEqual(try parse(#"{"user_ids_exact":["a"]}"#).userIDsExact, ["a"])
        XCTAssertEqual(try parse(#"{"nickname_contains":"a"}"#).nicknameContains, "a")
        XCTAssertEqual(try parse(#"{"nickname_starts_with":"a"}"#).nicknameStartsWith, "a")
        XCTAssertEqual(try parse(#"{"nickname_exact":"a"}"#).nicknameExact, "a")
        XCTAssertEqual(
            try parse(#"{"metadata_key":"k","metadata_value_starts_with":"v"}"#).metadataValueStartsWith, "v")
    }

    func testChannelURLsSetFiltersByMembersAndSearchAside() throws {
        var expected = ChannelQuery()
        expected.channelURLs = ["a", "b"]
        expected.customTypes = ["t"]
        for other in [
            #""user_ids_exact":["x"]"#, #""user_ids_include":["x"]"#, #""nickname_contains":"x""#,
            #""nickname_starts_with":"x""#, #""nickname_exact":"x""#,
            #""search_query":"x","search_fields":["channel_name"]"#,
        ] {
            let parsed = try parse(#"{"channel_urls":["a","b","a"],"custom_types":["t"],"# + other + "}")
            XCTAssertEqual(parsed, expected, other)
        }
        // What contradicts each other is refused all the same.
        XCTAssertEqual(
            try refusal(#"{"channel_urls":["a"],"user_ids_exact":["x"],"nickname_exact":"y"}"#)?.path,
            "$.nickname_exact")
    }

    func testRefusalsNameThePathAndWhatIsExpected() throws {
        let cases: [(query: String, path: String, message: String)] = [
            ("[]", "$", "expected an object"),
            ("null", "$", "expected an object"),
            (#"{"limits":1}"#, "$.limits", "a query has no such key"),
            (#"{"odd key":1}"#, #"$["odd key"]"#, "a query has no such key"),
            (#"{"a\"b":1}"#, #"$["a\"b"]"#, "a query has no such key"),
            (#"{"":1}"#, #"$[""]"#, "a query has no such key"),
            (#"{"limit":0}"#, "$.limit", "expected a whole number from 1 to 100"),
            (#"{"limit":101}"#, "$.limit", "expected a whole number from 1 to 100"),
            (#"{"limit":"20"}"#, "$.limit", "expected a whole number from 1 to 100"),
            (#"{"limit":20.0}"#, "$.limit", "expected a whole number from 1 to 100"),
            (#"{"include_empty":1}"#, "$.include_empty", "expected true or false"),
            (#"{"nul":null}"#, "$.nul", "a query has no such key"),
            (#"{"search_query":"a\u0000b"}"#, "$.search_query", "expected a text without U+0000"),
            (#"{"custom_types":"a"}"#, "$.custom_types", "expected a list of texts"),
            (#"{"custom_types":["a",7]}"#, "$.custom_types[1]", "expected a text that is not empty"),
            (#"{"custom_types":["a","b",""]}"#, "$.custom_types[2]", "expected a text that is not empty"),
            (#"{"channel_name_contains":{}}"#, "$.channel_name_contains", "expected a text"),
            (#"{"user_ids_query_type":"xor"}"#, "$.user_ids_query_type", #"expected "and" or "or""#),
            (#"{"public_channels":true}"#, "$.public_channels", #"expected "all", "public" or "private""#),
            (#"{"search_query":"q","search_fields":["name"]}"#, "$.search_fields[0]",
             #"expected "member_nickname" or "channel_name""#),
            (#"{"created_before":-1}"#, "$.created_before",
             "expected a time in milliseconds since the epoch, 0 or later"),
            (#"{"created_after":1.5}"#, "$.created_after",
             "expected a time in milliseconds since the epoch, 0 or later"),
        ]
        for (query, path, message) in cases {
            XCTAssertEqual(try refusal(query), DocumentError(path: path, message: message), query)
        }
        XCTAssertEqual(try refusal(#"{"order":"name"}"#)?.path, "$.order")
        for word in [
            "latest_last_message", "chronological", "channel_name_alphabetical", "metadata_value_alphabetical",
        ] {
            XCTAssertTrue(try refusal(#"{"order":"name"}"#)?.message.contains("\"\(word)\"") ?? false, word)
        }
    }

    func testContradictionsAreRefused() throws {
        let cases: [(query: String, path: String, message: String)] = [
            (#"{"user_ids_include":["b"],"user_ids_exact":["a"]}"#, "$.user_ids_include",
             "cannot be combined with user_ids_exact"),
            (#"{"user_ids_exact":["a"],"nickname_exact":"n"}"#, "$.nickname_exact",
             "cannot be combined with user_ids_exact"),
            (#"{"user_ids_include":["a"],"nickname_starts_with":"n"}"#, "$.nickname_starts_with",
             "cannot be combined with user_ids_include"),
            (#"{"user_ids_include":["a"],"nickname_contains":"n"}"#, "$.nickname_contains",
             "cannot be combined with user_ids_include"),
            (#"{"metadata_values":["a"]}"#, "$.metadata_values", "needs metadata_key"),
            (#"{"metadata_value_starts_with":"a"}"#, "$.metadata_value_starts_with", "needs metadata_key"),
            (#"{"metadata_key":"k","metadata_values":["a"],"metadata_value_starts_with":"a"}"#,
             "$.metadata_value_starts_with", "cannot be combined with metadata_values"),
            (#"{"order":"metadata_value_alphabetical"}"#, "$.metadata_order_key",
             "is required by the order metadata_value_alphabetical"),
            (#"{"metadata_order_key":"k"}"#, "$.metadata_order_key", "needs the order metadata_value_alphabetical"),
            (#"{"search_fields":["channel_name"]}"#, "$.search_fields", "needs search_query"),
            (#"{"created_before":5,"created_after":5}"#, "$.created_after", "must be earlier than created_before"),
        ]
        for (query, path, message) in cases {
            XCTAssertEqual(try refusal(query), DocumentError(path: path, message: message), query)
        }
        // Nickname filters add up.
        XCTAssertNil(try refusal(#"{"nickname_starts_with":"a","nickname_contains":"n","nickname_exact":"an"}"#))
        // Null and empty are the same as missing, so nothing contradicts.
        XCTAssertNil(
            try refusal(#"{"user_ids_exact":null,"nickname_exact":"n","metadata_order_key":null,"limit":null}"#))
        XCTAssertNil(
            try refusal(#"{"user_ids_exact":[],"nickname_exact":"n","metadata_values":[],"created_before":0}"#))
    }

    func testThePathStartsWhereTheQueryStands() throws {
        let json = try JSON.parse(#"{"limit":0}"#)
        XCTAssertThrowsError(try ChannelQuery(json: json, path: "$.queries[3]")) { error in
            XCTAssertEqual((error as? DocumentError)?.path, "$.queries[3].limit")
        }
    }
}
