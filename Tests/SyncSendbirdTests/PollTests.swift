import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

/// Polls: frames and the log as the service writes them, and what becomes of the poll in a message.
final class PollTests: XCTestCase {
    private let rules = SendbirdRules()

    /// Of two options, one of which this user chose.
    private let held = #"{"message_id":7,"poll":{"id":5,"title":"Tea?","status":"open","voter_count":3,"#
        + #""allow_multiple_votes":false,"options":[{"id":8,"text":"yes","vote_count":2},"#
        + #"{"id":9,"text":"no","vote_count":1}],"voted_option_ids":[8]}}"#

    private func poll(_ json: [UInt8]?) throws -> String {
        let message = try JSON.parse(try XCTUnwrap(json))
        let poll = try XCTUnwrap(message["poll"])
        let options = (poll["options"]?.array ?? []).map {
            "\($0["text"]?.string ?? ""):\($0["vote_count"]?.int ?? -1)"
        }
        let chosen = (poll["voted_option_ids"]?.array ?? []).map(\.text)
        return "\(poll["title"]?.string ?? "") \(poll["status"]?.string ?? "") \(options.joined(separator: " ")) "
            + "voters \(poll["voter_count"]?.int ?? -1) chosen \(chosen.joined(separator: ","))"
    }

    private func apply(_ kind: PollChange.Kind, of pollID: String = "5") -> [UInt8]? {
        rules.apply(.poll(PollChange(pollID: pollID, kind: kind)), to: Array(held.utf8))
    }

    // MARK: On the wire

    func testFrames() {
        let counts = #""updated_vote_counts":[{"option_id":8,"vote_count":1},{"option_id":9,"vote_count":0}]"#
        for (frame, events) in [
            (#"VOTE{"channel_url":"c","channel_type":"group","channel_id":3,"poll_id":5,"message_id":7,"ts":9,"#
                + #""voter_count":1,\#(counts)}"#,
             [#"poll c 7 5 voted {\#(counts),"voter_count":1}"#]),
            // The acknowledgement has the votes too, in order with those of others.
            (#"VOTE{"channel_url":"c","poll_id":"5","msg_id":7,\#(counts),"voted_option_ids":[8],"req_id":"q"}"#,
             [#"poll c 7 5 voted {\#(counts),"voted_option_ids":[8]}"#,
              #"answered q {"channel_url":"c","poll_id":"5","msg_id":7,\#(counts),"voted_option_ids":[8],"#
                  + #""req_id":"q"}"#]),
            (#"PEDI{"channel_url":"c","channel_type":"group","ts":9,"poll":{"id":5,"message_id":7,"title":"T"}}"#,
             [#"poll c 7 5 is {"id":5,"message_id":7,"title":"T"}"#]),
            // No message has it yet, or nothing says which poll it is.
            (#"PEDI{"channel_url":"c","poll":{"id":5,"message_id":0}}"#, ["alive"]),
            (#"PEDI{"channel_url":"c","poll":{"message_id":7}}"#, ["alive"]), (#"PEDI{"poll":{}}"#, ["alive"]),
            (#"PEDI{"channel_url":"c","poll":[5]}"#, ["alive"]), (#"VOTE{"channel_url":"c","poll_id":1}"#, ["alive"]),
            (#"VOTE{"channel_url":"c","poll_id":5,"message_id":-7,\#(counts)}"#, ["alive"]),
            (#"VOTE{"channel_url":"c","channel_type":"open","poll_id":5,"message_id":7,\#(counts)}"#, ["alive"]),
            (#"VOTE{"error":true,"code":400111,"message":"m","req_id":"q"}"#, ["refused q refused 400111"]),
        ] { XCTAssertEqual(FrameDecoder.forTest.described(frame), events, frame) }
    }

    func testTheLog() throws {
        func reply(_ body: String) -> String {
            let response = TransportResponse(status: 200, headers: [], body: Array(body.utf8))
            let request = ServiceRequest.pollChanges(channelURL: "c", since: .time(1))
            return Described.text(ReplyDecoder.decode(request, response, userID: "me"))
        }
        XCTAssertEqual(
            reply(#"{"updated":[{"id":5,"message_id":7},{"id":6,"message_id":0},7],"deleted":[3,{"id":4},{}],"#
                + #""has_more":true,"next":"t"}"#),
            #"polls 7 5 is {"id":5,"message_id":7} gone ["3", "4"] more true next 't'"#)
        XCTAssertEqual(reply(#"{"updated":[]}"#), "polls gone [] more false next ''")
        XCTAssertEqual(reply(#"{"updated":{}}"#), "failure unavailable 800130")
        XCTAssertEqual(reply(#"{"error":true,"code":900020}"#), "failure notFound 900020")
        guard case .http("GET", let url, _, nil, _) = RequestEncoder.forTest.encode(
            .pollChanges(channelURL: "c d", since: .token("a b")), Credentials(), requestID: "")
        else { return XCTFail("no request") }
        XCTAssertEqual(
            url, "http://127.0.0.1:1/v3/group_channels/c%20d/polls/changelogs?token=a%20b&limit=100")
    }

    func testActionsOnTheWire() throws {
        func sent(_ document: String) throws -> String {
            let call = try ActionCall(Array(document.utf8))
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
        let place = #""channel_url":"c","poll_id":5"#
        let body = #""channel_url":"c","channel_type":"group""#
        let query = "channel_url=c&channel_type=group"
        for (document, wire) in [
            (#"{"action":"create_poll","title":"T","options":["a","b"],"data":"d","allow_multiple_votes":true,"#
                + #""allow_user_suggestion":false,"close_at":-1}"#,
             #"POST /polls {"title":"T","data":{"text":"d"},"allow_user_suggestion":false,"#
                 + #""allow_multiple_votes":true,"close_at":-1,"options":["a","b"]}"#),
            (#"{"action":"get_poll",\#(place)}"#, "GET /polls/5?\(query) "),
            (#"{"action":"list_polls","channel_url":"c","token":"t"}"#, "GET /polls?\(query)&limit=20&token=t "),
            (#"{"action":"update_poll",\#(place),"title":"T"}"#, #"PUT /polls/5 {\#(body),"title":"T"}"#),
            (#"{"action":"close_poll","channel_url":"c","poll_id":"5"}"#, "PUT /polls/5/close {\(body)}"),
            (#"{"action":"delete_poll",\#(place)}"#, "DELETE /polls/5?\(query) "),
            (#"{"action":"delete_poll","channel_url":"c","poll_id":".."}"#, "refused 800110"),
            (#"{"action":"add_poll_option",\#(place),"text":"t"}"#, #"POST /polls/5/options {\#(body),"text":"t"}"#),
            (#"{"action":"update_poll_option",\#(place),"option_id":8,"text":"t"}"#,
             #"PUT /polls/5/options/8 {\#(body),"text":"t"}"#),
            (#"{"action":"delete_poll_option",\#(place),"option_id":8}"#, "DELETE /polls/5/options/8?\(query) "),
            (#"{"action":"list_poll_voters",\#(place),"option_id":8,"limit":3}"#,
             "GET /polls/5/options/8/voters?\(query)&limit=3 "),
            (#"{"action":"list_poll_changes","channel_url":"c"}"#,
             "GET /group_channels/c/polls/changelogs?change_ts=0&limit=20 "),
            (#"{"action":"list_poll_changes","channel_url":"c","since":4,"token":"t","limit":2}"#,
             "GET /group_channels/c/polls/changelogs?token=t&limit=2 "),
            (#"{"action":"vote_poll",\#(place),"message_id":7,"option_ids":[8,"9"]}"#,
             #"VOTE{\#(body),"poll_id":5,"option_ids":[8,9],"req_id":"q"} awaits q"#),
            (#"{"action":"vote_poll",\#(place),"message_id":7,"option_ids":[]}"#,
             #"VOTE{\#(body),"poll_id":5,"option_ids":[],"req_id":"q"} awaits q"#),
        ] { XCTAssertEqual(try sent(document), wire) }
    }

    /// A vote is told with its frame; an acknowledgement that does not say what was chosen is completed.
    func testTheAnswersToActions() throws {
        func events(_ document: String, _ answer: String) throws -> [String] {
            let reply = ReplyDecoder.answer(
                try JSON.parse(answer), to: try ActionCall(Array(document.utf8)), "me")
            guard case .action(let answer) = reply else { return [] }
            return answer.events.map { Described.text($0) }
        }
        let vote = #"{"action":"vote_poll","channel_url":"c","poll_id":5,"message_id":7,"option_ids":[8]}"#
        let counts = #""updated_vote_counts":[{"option_id":8,"vote_count":1}]"#
        XCTAssertEqual(try events(vote, #"{"poll_id":5,"message_id":7,\#(counts),"voted_option_ids":[8]}"#), [])
        XCTAssertEqual(
            try events(vote, #"{"poll_id":5,\#(counts)}"#), [#"poll c 7 5 voted {\#(counts),"voted_option_ids":[8]}"#])
        let close = #"{"action":"close_poll","channel_url":"c","poll_id":5}"#
        XCTAssertEqual(
            try events(close, #"{"id":5,"message_id":7,"status":"closed"}"#),
            [#"poll c 7 5 is {"id":5,"message_id":7,"status":"closed"}"#])
        XCTAssertEqual(try events(close, #"{"id":5,"message_id":0}"#), [])
    }

    // MARK: In a message

    func testVotesOfOthersKeepTheOwn() throws {
        let counts = #"{"updated_vote_counts":[{"option_id":8,"vote_count":2},{"option_id":9,"vote_count":2}]"#
        // Who votes once is one voter, where the service does not count them.
        XCTAssertEqual(
            try poll(apply(.voted(Array((counts + "}").utf8)))), "Tea? open yes:2 no:2 voters 4 chosen 8")
        XCTAssertEqual(
            try poll(apply(.voted(Array((counts + #","voter_count":3,"voted_option_ids":[9]}"#).utf8)))),
            "Tea? open yes:2 no:2 voters 3 chosen 9")
        // Counts of options that are not there, and numbers that are none.
        XCTAssertEqual(
            try poll(apply(.voted(Array(
                #"{"updated_vote_counts":[{"option_id":1,"vote_count":9},{"option_id":9,"vote_count":-4},7]}"#.utf8)))),
            "Tea? open yes:2 no:0 voters 2 chosen 8")
    }

    func testAChangedPollKeepsTheOwnVoteAsFarAsItIsThere() throws {
        let told = #"{"id":5,"title":"Coffee?","status":"closed","voter_count":1,"#
            + #""options":[{"id":9,"text":"no","vote_count":1}]}"#
        XCTAssertEqual(try poll(apply(.edited(Array(told.utf8)))), "Coffee? closed no:1 voters 1 chosen ")
        XCTAssertEqual(
            try poll(apply(.edited(Array(#"{"id":5,"status":"closed"}"#.utf8)))),
            "Tea? closed yes:2 no:1 voters 3 chosen 8")
        XCTAssertEqual(try poll(apply(.removed)), "Tea? removed yes:2 no:1 voters 3 chosen 8")
        XCTAssertNil(apply(.removed, of: "6"))
        XCTAssertNil(rules.apply(.poll(PollChange(pollID: "5", kind: .removed)), to: Array(#"{"message_id":7}"#.utf8)))
    }

    func testAVoteIsShownBeforeItIsAnswered() throws {
        func preview(_ options: String) throws -> String {
            let call = try ActionCall(Array(
                #"{"action":"vote_poll","channel_url":"c","poll_id":5,"message_id":7,"option_ids":\#(options)}"#.utf8))
            guard case .changed(let json) = rules.preview(of: call, on: Array(held.utf8), userID: "me") else {
                return "none"
            }
            return try poll(json)
        }
        XCTAssertEqual(try preview("[9]"), "Tea? open yes:1 no:2 voters 3 chosen 9")
        XCTAssertEqual(try preview("[8]"), "Tea? open yes:2 no:1 voters 3 chosen 8")
        XCTAssertEqual(try preview("[]"), "Tea? open yes:1 no:1 voters 2 chosen ")
        XCTAssertEqual(try preview("[4]"), "Tea? open yes:1 no:1 voters 2 chosen ")
    }

    /// An edit is told to all, and so without the own vote.
    func testAnEditKeepsTheOwnVote() throws {
        func edited(_ json: String) throws -> String {
            String(decoding: rules.edited(Array(json.utf8), from: Array(held.utf8)), as: UTF8.self)
        }
        XCTAssertEqual(
            try edited(#"{"message_id":7,"poll":{"id":5,"options":[{"id":8}]}}"#),
            #"{"message_id":7,"poll":{"id":5,"options":[{"id":8}],"voted_option_ids":[8]}}"#)
        let own = #"{"message_id":7,"poll":{"id":5,"voted_option_ids":[]}}"#
        XCTAssertEqual(try edited(own), own)
        XCTAssertEqual(try edited(#"{"message_id":7}"#), #"{"message_id":7}"#)
        XCTAssertEqual(rules.pollID(in: Array(held.utf8)), "5")
        XCTAssertNil(rules.pollID(in: Array(#"{"message":"\"poll\""}"#.utf8)))
    }

    func testWhatEventsTell() throws {
        func fact(_ frame: String) throws -> String {
            guard case .event(let event) = FrameDecoder.forTest.decode(Array(frame.utf8)).first else { return "none" }
            return rules.facts(of: event, userID: "me").map { String(decoding: $0.json, as: UTF8.self) }.joined()
        }
        let vote = #"VOTE{"channel_url":"c","poll_id":5,"message_id":7,"updated_vote_counts":[]"#
        let told = #""message_id":"7","poll_id":"5""#
        XCTAssertEqual(try fact(vote + "}"), #"{"event":"event_poll_voted",\#(told),"is_own":false}"#)
        XCTAssertEqual(
            try fact(vote + #","voted_option_ids":[]}"#), #"{"event":"event_poll_voted",\#(told),"is_own":true}"#)
        XCTAssertEqual(
            try fact(#"PEDI{"channel_url":"c","poll":{"id":5,"message_id":7}}"#),
            #"{"event":"event_poll_updated",\#(told)}"#)
    }
}
