import SyncJSON
import SyncModel
import XCTest

final class ChannelQueryMatchingTests: XCTestCase {
    /// A channel as the service writes it, with some members replaced.
    private func channel(
        _ changes: String = "{}", file: StaticString = #filePath, line: UInt = #line
    ) throws -> ChannelRecord {
        let document = try JSON.parse("""
            {"channel_url":"u1","name":"Tea Room","custom_type":"social_small","created_at":1700000000,"freeze":false,
             "is_super":false,"is_broadcast":false,"is_exclusive":false,"is_public":false,"is_chat_notification":false,
             "last_message":{"message_id":7,"created_at":1700000005000},"unread_message_count":0,"is_hidden":false,
             "hidden_state":"unhidden","member_state":"joined",
             "members":[{"user_id":"me","nickname":"Mei"},{"user_id":"bo","nickname":"Bo Jensen"},
                        {"user_id":"al","nickname":"Älva"}],
             "metadata":{"team":"north-7","rank":"3"}}
            """)
        for (key, value) in try JSON.parse(changes).members ?? [] { document.set(key, value.isNull ? nil : value) }
        return try XCTUnwrap(ChannelRecord(json: document.serialized()), file: file, line: line)
    }

    private func matches(_ query: String, _ changes: String = "{}") throws -> Bool {
        try ChannelQuery(json: JSON.parse(query)).matches(channel(changes), userID: "me")
    }

    /// Query, changes to the channel, whether it belongs.
    private let cases: [(query: String, channel: String, belongs: Bool)] = [
        ("{}", "{}", true),
        // Empty and frozen ones.
        ("{}", #"{"last_message":null}"#, true),
        (#"{"include_empty":false}"#, #"{"last_message":null}"#, false),
        (#"{"include_empty":false}"#, "{}", true),
        ("{}", #"{"freeze":true}"#, true),
        (#"{"include_frozen":false}"#, #"{"freeze":true}"#, false),
        (#"{"include_frozen":false}"#, "{}", true),
        // Chat notification channels.
        ("{}", #"{"is_chat_notification":true}"#, false),
        (#"{"include_chat_notification":true}"#, #"{"is_chat_notification":true}"#, true),
        // Kinds.
        (#"{"super_channels":"super"}"#, "{}", false),
        (#"{"super_channels":"super"}"#, #"{"is_super":true}"#, true),
        (#"{"super_channels":"nonsuper"}"#, #"{"is_super":true}"#, false),
        (#"{"super_channels":"nonsuper"}"#, "{}", true),
        (#"{"super_channels":"broadcast_only"}"#, #"{"is_super":true}"#, false),
        (#"{"super_channels":"broadcast_only"}"#, #"{"is_super":true,"is_broadcast":true}"#, true),
        (#"{"super_channels":"exclusive_only"}"#, #"{"is_super":true}"#, false),
        (#"{"super_channels":"exclusive_only"}"#, #"{"is_super":true,"is_exclusive":true}"#, true),
        (#"{"public_channels":"public"}"#, "{}", false),
        (#"{"public_channels":"public"}"#, #"{"is_public":true}"#, true),
        (#"{"public_channels":"private"}"#, #"{"is_public":true}"#, false),
        (#"{"public_channels":"private"}"#, "{}", true),
        // A public channel without me, asked for or not.
        ("{}", #"{"is_public":true,"member_state":"none"}"#, false),
        (#"{"public_channels":"public"}"#, #"{"is_public":true,"member_state":"none"}"#, false),
        ("{}", #"{"is_public":true}"#, true),
        ("{}", #"{"data":"\"is_public\":true","member_state":"none"}"#, true),
        // Hidden ones.
        ("{}", #"{"is_hidden":true,"hidden_state":"hidden_allow_auto_unhide"}"#, false),
        (#"{"hidden_channels":"all"}"#, #"{"is_hidden":true}"#, true),
        (#"{"hidden_channels":"all"}"#, "{}", true),
        (#"{"hidden_channels":"hidden_only"}"#, "{}", false),
        (#"{"hidden_channels":"hidden_only"}"#, #"{"is_hidden":true}"#, true),
        (#"{"hidden_channels":"hidden_allow_auto_unhide"}"#, "{}", false),
        (#"{"hidden_channels":"hidden_allow_auto_unhide"}"#,
         #"{"is_hidden":true,"hidden_state":"hidden_allow_auto_unhide"}"#, true),
        (#"{"hidden_channels":"hidden_allow_auto_unhide"}"#,
         #"{"is_hidden":true,"hidden_state":"allow_auto_unhide"}"#, true),
        (#"{"hidden_channels":"hidden_allow_auto_unhide"}"#,
         #"{"is_hidden":true,"hidden_state":"hidden_prevent_auto_unhide"}"#, false),
        (#"{"hidden_channels":"hidden_prevent_auto_unhide"}"#,
         #"{"is_hidden":true,"hidden_state":"hidden_prevent_auto_unhide"}"#, true),
        (#"{"hidden_channels":"hidden_prevent_auto_unhide"}"#,
         #"{"is_hidden":true,"hidden_state":"hidden_allow_auto_unhide"}"#, false),
        // URL, name, type.
        (#"{"channel_urls":["u1","u2"]}"#, "{}", true),
        (#"{"channel_urls":["u2"]}"#, "{}", false),
        (#"{"channel_name_contains":"a ro"}"#, "{}", true),
        (#"{"channel_name_contains":"tee"}"#, "{}", false),
        (#"{"channel_name_contains":"älv"}"#, #"{"name":"ÄLVEN"}"#, true),
        (#"{"channel_name_contains":"x"}"#, #"{"name":""}"#, false),
        (#"{"custom_types":["social_small"]}"#, "{}", true),
        (#"{"custom_types":["social"]}"#, "{}", false),
        (#"{"custom_type_starts_with":"social"}"#, "{}", true),
        (#"{"custom_type_starts_with":"Social"}"#, "{}", false),
        (#"{"custom_type_starts_with":"social_small_"}"#, "{}", false),
        (#"{"custom_type_starts_with":"e"}"#, #"{"custom_type":"e\u0301"}"#, true),
        // Members.
        (#"{"user_ids_exact":["bo","me","al"]}"#, "{}", true),
        (#"{"user_ids_exact":["bo","me"]}"#, "{}", false),
        (#"{"user_ids_exact":["bo","me","al","x"]}"#, "{}", false),
        (#"{"user_ids_exact":["bo","al"],"search_query":"room"}"#, "{}", true),
        (#"{"user_ids_exact":["bo","al"],"search_query":"kitchen"}"#, "{}", false),
        (#"{"user_ids_include":["bo","al"]}"#, "{}", true),
        (#"{"user_ids_include":["bo","x"]}"#, "{}", false),
        (#"{"user_ids_include":["bo","x"],"user_ids_query_type":"or"}"#, "{}", true),
        (#"{"user_ids_include":["y","x"],"user_ids_query_type":"or"}"#, "{}", false),
        (#"{"user_ids_include":["bo"]}"#, #"{"members":null}"#, false),
        (#"{"nickname_contains":"JENS"}"#, "{}", true),
        (#"{"nickname_contains":"mei"}"#, "{}", false),
        (#"{"nickname_starts_with":"bo j"}"#, "{}", true),
        (#"{"nickname_starts_with":"jen"}"#, "{}", false),
        (#"{"nickname_starts_with":"me"}"#, "{}", false),
        (#"{"nickname_exact":"ÄLVA"}"#, "{}", true),
        (#"{"nickname_exact":"bo"}"#, "{}", false),
        (#"{"nickname_exact":"Mei"}"#, "{}", false),
        // My state.
        (#"{"member_state":"joined_only"}"#, "{}", true),
        (#"{"member_state":"joined_only"}"#, #"{"member_state":"invited"}"#, false),
        (#"{"member_state":"invited_only"}"#, #"{"member_state":"invited"}"#, true),
        (#"{"member_state":"invited_only"}"#, "{}", false),
        (#"{"member_state":"invited_by_friend"}"#, #"{"member_state":"invited"}"#, true),
        (#"{"member_state":"invited_by_non_friend"}"#, "{}", false),
        // Unread.
        (#"{"unread_channels":"unread_message"}"#, "{}", false),
        (#"{"unread_channels":"unread_message"}"#, #"{"unread_message_count":2}"#, true),
        // Search: a union of the fields.
        (#"{"search_query":"tea"}"#, "{}", true),
        (#"{"search_query":"jensen"}"#, "{}", true),
        (#"{"search_query":"mei"}"#, "{}", false),
        (#"{"search_query":"jensen","search_fields":["channel_name"]}"#, "{}", false),
        (#"{"search_query":"tea","search_fields":["member_nickname"]}"#, "{}", false),
        (#"{"search_query":"tea","search_fields":["member_nickname","channel_name"]}"#, "{}", true),
        // Metadata.
        (#"{"metadata_key":"team"}"#, "{}", true),
        (#"{"metadata_key":"none"}"#, "{}", false),
        (#"{"metadata_key":"team"}"#, #"{"metadata":null}"#, false),
        (#"{"metadata_key":"rank","metadata_values":["2","3"]}"#, "{}", true),
        (#"{"metadata_key":"rank","metadata_values":["2"]}"#, "{}", false),
        (#"{"metadata_key":"team","metadata_value_starts_with":"north"}"#, "{}", true),
        (#"{"metadata_key":"team","metadata_value_starts_with":"North"}"#, "{}", false),
        // Time of creation, bounds excluded. Channel times are seconds on the wire.
        (#"{"created_before":1700000000001}"#, "{}", true),
        (#"{"created_before":1700000000000}"#, "{}", false),
        (#"{"created_after":1699999999999}"#, "{}", true),
        (#"{"created_after":1700000000000}"#, "{}", false),
    ]

    func testEveryRule() throws {
        for (query, changes, belongs) in cases {
            XCTAssertEqual(try matches(query, changes), belongs, "\(query) \(changes)")
        }
    }

    /// Of a super channel only some members are known: what is not found among them is not known to be missing.
    func testMembersOfASuperChannelMayLeaveItOpen() throws {
        let cases: [(query: String, memberCount: Int, membership: ChannelQuery.Membership)] = [
            (#"{"user_ids_include":["bo"]}"#, 50, .belongs),
            (#"{"user_ids_include":["bo","x"]}"#, 50, .isUnknown),
            (#"{"user_ids_include":["x","bo"],"user_ids_query_type":"or"}"#, 50, .belongs),
            (#"{"user_ids_include":["x"]}"#, 3, .isOut),
            (#"{"user_ids_exact":["bo","al","x"]}"#, 4, .isUnknown),
            (#"{"user_ids_exact":["bo","al","x"]}"#, 5, .isOut),
            (#"{"user_ids_exact":["bo","x","y"]}"#, 4, .isOut),
            (#"{"nickname_exact":"nobody"}"#, 50, .isUnknown),
            (#"{"search_query":"tea"}"#, 50, .belongs),
            (#"{"search_query":"none"}"#, 50, .isUnknown),
            (#"{"user_ids_include":["x"],"custom_types":["none"]}"#, 50, .isOut),
            (#"{"user_ids_include":["x"],"metadata_key":"none"}"#, 50, .isOut),
        ]
        for (query, memberCount, membership) in cases {
            let parsed = try ChannelQuery(json: JSON.parse(query))
            let superChannel = try channel(#"{"is_super":true,"member_count":\#(memberCount)}"#)
            XCTAssertEqual(parsed.membership(of: superChannel, userID: "me"), membership, "\(query) \(memberCount)")
        }
        // The service names every member of any other channel.
        XCTAssertFalse(try matches(#"{"user_ids_include":["x"]}"#, #"{"member_count":50}"#))
    }

    func testWhatIsLeftOutOfWhatIsToldIsStillUsed() throws {
        var query = ChannelQuery()
        let whole = try channel()
        XCTAssertEqual(query.shown(whole.json), whole.json)
        query.includeMemberList = false
        let withoutMembers = try JSON.parse(query.shown(whole.json))
        XCTAssertNil(withoutMembers["members"])
        XCTAssertNotNil(withoutMembers["metadata"])
        query.includeMetadata = false
        let withoutBoth = try JSON.parse(query.shown(whole.json))
        XCTAssertEqual(withoutBoth.members?.count, (whole.document?.members?.count ?? 0) - 2)
    }

    func testAllFiltersMustHold() throws {
        let query = #"{"custom_types":["social_small"],"channel_name_contains":"tea","public_channels":"private"}"#
        XCTAssertTrue(try matches(query))
        XCTAssertFalse(try matches(query, #"{"name":"Coffee"}"#))
        XCTAssertFalse(try matches(query, #"{"custom_type":"x"}"#))
        XCTAssertFalse(try matches(query, #"{"is_public":true}"#))
    }

    func testWhoIsAFriendOnlyTheServiceKnows() {
        for state in ChannelQuery.MemberState.allCases {
            var query = ChannelQuery()
            query.memberState = state
            XCTAssertEqual(
                query.isDecidableFromCache, ![.invitedByFriend, .invitedByNonFriend].contains(state), state.rawValue)
        }
    }
}
