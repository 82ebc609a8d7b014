import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

/// What each event of the wire tells beside its source, out of frames as the service writes them.
final class EventFactTests: XCTestCase {
    private let user = #"{"user_id":"bo","nickname":"Bo","profile_url":"p"}"#

    /// The facts that hosts get of a frame: those in the cause, and those that the event holds.
    private func facts(_ frame: String) throws -> [String] {
        var facts: [EventFact] = []
        for event in FrameDecoder.forTest.decode(Array(frame.utf8)) {
            guard case .event(let event) = event else { continue }
            if case .channel(_, let inner) = event { facts += inner.cause(userID: "me").facts }
            facts += SendbirdRules().facts(of: event, userID: "me")
        }
        for fact in facts {
            let source = try JSON.parse(fact.json)["event"]?.string
            XCTAssertNotNil(source.flatMap(EventSource.init(rawValue:)), frame)
        }
        return facts.map { String(decoding: $0.json, as: UTF8.self) }
    }

    private func assert(_ frame: String, _ expected: [String], line: UInt = #line) throws {
        XCTAssertEqual(try facts(frame), expected, frame, line: line)
    }

    private func system(_ category: Int, _ data: String) -> String {
        #"SYEV{"cat":\#(category),"channel_url":"c","channel_type":"group","ts":5,"data":\#(data)}"#
    }

    func testMembersComeAndGo() throws {
        // Older names, and what stands beside the user.
        let old = #"{"guest_id":"bo","name":"Bo","image":"p","state":"joined","is_muted":false}"#
        try assert(
            system(10000, #"{"users":[\#(old)],"joined_ts":7,"member_count":3}"#),
            [#"{"event":"event_user_joined","users":[\#(user)],"joined_at":7}"#])
        try assert(
            system(10000, #"{"user_id":"bo","joined_ts":7}"#),
            [#"{"event":"event_user_joined","users":[{"user_id":"bo"}],"joined_at":7}"#])
        try assert(
            system(10001, #"{"guest_id":"bo","name":"Bo","image":"p","member_count":1}"#),
            [#"{"event":"event_user_left","users":[\#(user)]}"#])
        try assert(
            system(10020, #"{"inviter":\#(user),"invitees":[{"user_id":"al"},{"user_id":"me"}],"invited_at":5}"#),
            [#"{"event":"event_user_received_invitation","inviter":\#(user),"#
                + #""invitees":[{"user_id":"al"},{"user_id":"me"}],"invited_at":5}"#])
        try assert(
            system(10020, #"{"inviter":null,"invitees":[{"user_id":"al"}]}"#),
            [#"{"event":"event_user_received_invitation","invitees":[{"user_id":"al"}]}"#])
        try assert(
            system(10022, #"{"inviter":{"user_id":"al"},"invitee":\#(user)}"#),
            [#"{"event":"event_user_declined_invitation","inviter":{"user_id":"al"},"invitee":\#(user)}"#])
        try assert(
            #"MCNT{"group_channels":[{"channel_url":"c","member_count":3,"joined_member_count":2}]}"#,
            [#"{"event":"event_channel_member_count_changed","member_count":3,"joined_member_count":2}"#])
    }

    func testModeration() throws {
        let until = #""description":"rude","end_at":99"#
        let inline = #"{"user_id":"bo","nickname":"Bo","profile_url":"p",\#(until),"remaining_duration":9}"#
        try assert(
            system(10201, inline), [#"{"event":"event_user_muted","user":\#(user),\#(until)}"#])
        try assert(
            system(10201, #"{"user":\#(user),"end_at":-1}"#),
            [#"{"event":"event_user_muted","user":\#(user),"end_at":-1}"#])
        try assert(system(10200, user), [#"{"event":"event_user_unmuted","user":\#(user)}"#])
        try assert(
            system(10601, inline), [#"{"event":"event_user_banned","user":\#(user),\#(until)}"#])
        try assert(system(10600, user), [#"{"event":"event_user_unbanned","user":\#(user)}"#])
        try assert(
            system(10002, #"{"operators":[\#(user)]}"#),
            [#"{"event":"event_operator_updated","operators":[\#(user)]}"#])
        try assert(
            #"USEV{"cat":20100,"data":{"channel_url":"c","my_role":"operator"}}"#,
            [#"{"event":"event_operator_updated","my_role":"operator"}"#])
        try assert(system(10701, "{}"), [#"{"event":"event_channel_frozen"}"#])
        try assert(system(10700, "{}"), [#"{"event":"event_channel_unfrozen"}"#])
    }

    func testMetadataAndCounters() throws {
        try assert(
            system(11100, #"{"created":{"a":"1"},"updated":{"b":"2","c":"3"},"deleted":["d"]}"#),
            [#"{"event":"event_meta_data_created","values":{"a":"1"}}"#,
             #"{"event":"event_meta_data_updated","values":{"b":"2","c":"3"}}"#,
             #"{"event":"event_meta_data_deleted","keys":["d"]}"#])
        try assert(
            system(11200, #"{"created":{"a":1},"updated":{"b":-2},"deleted":["d"]}"#),
            [#"{"event":"event_meta_counter_created","values":{"a":1}}"#,
             #"{"event":"event_meta_counter_updated","values":{"b":-2}}"#,
             #"{"event":"event_meta_counter_deleted","keys":["d"]}"#])
        try assert(system(11100, #"{"created":{},"deleted":[]}"#), [])
    }

    func testReadingAndTyping() throws {
        try assert(
            #"READ{"channel_url":"c","user":\#(user),"ts":5}"#,
            [#"{"event":"event_user_marked_read","user":{"user_id":"bo"},"read_at":5}"#])
        try assert(
            #"READ{"channel_url":"c","user":\#(user),"ts":5,"is_excluded":true}"#,
            [#"{"event":"event_user_marked_unread","user":\#(user),"read_at":5}"#])
        // This user's own is not another member's.
        try assert(
            #"READ{"channel_url":"c","user":{"user_id":"me"},"ts":5}"#,
            [#"{"event":"event_current_user_marked_read","user":{"user_id":"me"},"read_at":5}"#])
        try assert(
            #"READ{"channel_url":"c","user_id":"me","ts":5,"is_excluded":true}"#,
            [#"{"event":"event_current_user_marked_unread","user":{"user_id":"me"},"read_at":5}"#])
        try assert(
            #"DLVR{"channel_url":"c","updated":{"bo":7,"al":6}}"#,
            [#"{"event":"event_delivery_status_updated","delivered_at":{"al":6,"bo":7}}"#])
        try assert(
            system(10900, user), [#"{"event":"event_typing_status_updated","user":\#(user),"is_typing":true}"#])
        try assert(
            system(10901, #"{"guest_id":"bo"}"#),
            [#"{"event":"event_typing_status_updated","user":{"user_id":"bo"},"is_typing":false}"#])
    }

    func testMessages() throws {
        try assert(
            #"MRCT{"channel_url":"c","msg_id":9,"reaction":"+1","user_id":"bo","operation":"ADD","updated_at":3}"#,
            [#"{"event":"event_reaction_updated","message_id":"9","key":"+1","user":{"user_id":"bo"},"#
                + #""is_added":true}"#])
        try assert(
            #"MTHD{"channel_url":"c","parent_message_id":9,"thread_info":{"reply_count":2}}"#,
            [#"{"event":"event_thread_info_updated","message_id":"9","thread_info":{"reply_count":2}}"#])
        try assert(
            system(11300, #"{"pinned_message_ids":[7,8],"latest_pinned_message":{}}"#),
            [#"{"event":"event_pinned_message_updated","pinned_message_ids":["7","8"]}"#])
        try assert(system(11300, "{}"), [#"{"event":"event_pinned_message_updated","pinned_message_ids":[]}"#])
    }

    func testMentions() throws {
        func message(_ more: String, by sender: String = "bo") -> String {
            #"MESG{"msg_id":7,"ts":9,"channel_url":"c","user":{"user_id":"\#(sender)"},\#(more)}"#
        }
        let mention = [#"{"event":"event_mention","message_id":"7","user":{"user_id":"bo"}}"#]
        try assert(message(#""mention_type":"users","mentioned_user_ids":["al","me"]"#), mention)
        try assert(message(#""mention_type":"channel","mentioned_user_ids":[]"#), mention)
        try assert(message(#""mention_type":"users","mentioned_user_ids":["al"]"#), [])
        try assert(message(#""mention_type":"channel""#, by: "me"), [])
        try assert(message(#""message":"x""#), [])
    }

    func testTheChannelItself() throws {
        try assert(system(11000, "{}"), [#"{"event":"event_channel_changed"}"#])
        try assert(system(12000, "{}"), [#"{"event":"event_channel_deleted"}"#])
        try assert(system(13001, "{}"), [#"{"event":"event_channel_unhidden"}"#])
        try assert(
            #"SYEV{"cat":13000,"channel_url":"c","ts_message_offset":77,"data":{"allow_auto_unhide":false}}"#,
            [#"{"event":"event_channel_hidden","allow_auto_unhide":false,"history_offset":77}"#])
        try assert(
            system(13000, "{}"), [#"{"event":"event_channel_hidden","allow_auto_unhide":true}"#])
    }

    /// What the service sent as something else than it should is left out; the source stays.
    func testOddValues() throws {
        try assert(system(10201, #"{"user_id":7,"end_at":"soon"}"#), [#"{"event":"event_user_muted"}"#])
        try assert(
            system(10000, #"{"users":"bo","joined_ts":null}"#), [#"{"event":"event_user_joined","users":[]}"#])
        try assert(
            system(10002, #"{"operators":{"user_id":"bo"}}"#), [#"{"event":"event_operator_updated","operators":[]}"#])
        try assert(system(11100, #"{"created":["a"],"deleted":{"a":1}}"#), [])
        try assert(
            system(11300, #"{"pinned_message_ids":[null,7,{}]}"#),
            [#"{"event":"event_pinned_message_updated","pinned_message_ids":["7"]}"#])
        try assert(
            #"USEV{"cat":20100,"data":{"channel_url":"c","my_role":null}}"#, [#"{"event":"event_operator_updated"}"#])
    }
}
