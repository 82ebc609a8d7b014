import Foundation
import SyncJSON
import SyncModel
import TestSupport
import XCTest

@testable import SyncSendbird

/// Frames and answers with damage in them: nothing may trap, and whatever comes out must be whole.
final class MutatedFrameTests: XCTestCase {
    private let seeds = [
        FrameDecoder.loginFrame,
        #"MESG{"msg_id":7,"ts":1700000000001,"channel_url":"c","message":"h\u00e9 \ud83d\ude00","custom":"d","#
            + #""req_id":"r","user":{"guest_id":"bo","name":"B"},"#
            + #""metaarray":{"a":["1"]},"metaarray_key_order":["a"],"parent_message_id":3}"#,
        #"FILE{"msg_id":7,"ts":9,"channel_url":"c","type":"image/png","url":"u","name":"n","size":12,"#
            + #""files":[{"url":"v"}]}"#,
        #"MEDI{"msg_id":1,"ts":2,"updated_at":5,"channel_url":"c","old_values":{"mention_type":"users"}}"#,
        #"MRCT{"channel_url":"c","msg_id":9,"reaction":"smile","user_id":"bo","operation":"ADD","updated_at":3}"#,
        #"MTHD{"channel_url":"c","parent_message_id":9,"thread_info":{"reply_count":2,"#
            + #""most_replies":[{"user_id":"a"}]}}"#,
        #"READ{"channel_url":"c","user":{"user_id":"bo"},"ts":5}"# + "\n"
            + #"DLVR{"channel_url":"c","updated":{"bo":7}}"#,
        #"MCNT{"group_channels":[{"channel_url":"a","member_count":3,"joined_member_count":2,"ts":1}],"ts":1}"#,
        #"SYEV{"cat":13000,"channel_url":"c","ts_message_offset":5,"data":{"hide_previous_messages":true}}"#,
        #"SYEV{"cat":10601,"channel_url":"c","data":{"user_id":"me","end_at":-1}}"#,
        #"VOTE{"channel_url":"c","poll_id":5,"message_id":7,"updated_vote_counts":[{"option_id":8,"vote_count":1}]}"#,
        #"PEDI{"channel_url":"c","poll":{"id":5,"message_id":7,"options":[{"id":8,"vote_count":1}]}}"#,
        #"EROR{"code":400309,"message":"m","req_id":"r"}"#, #"EXPR{"expires_in":-5}"#, #"BUSY{"retry_after":2.5}"#,
    ]
    /// Values at the edges of their types, to stand where others stood. One is an integer that jansson refuses:
    /// messages with it pass through pages untouched.
    private let edges = [
        "null", "true", "{}", "[]", "\"\"", "-0", "1e308", "9223372036854775807", "-9223372036854775808",
        "18446744073709551616", "0.5", "\"\\ud800\"", "\"\\u0000\"",
    ]

    /// How often the long run does what the others do once.
    private let times = ProcessInfo.processInfo.environment["SM_LONG"] == nil ? 1 : 50

    private func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard !result.isEmpty else { return result }
            let place = Int.random(in: 0..<result.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: result[place] = UInt8.random(in: 0...255, using: &random)
            case 1: result.remove(at: place)
            case 2: result.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 3: result.removeSubrange(place...)
            case 4: result.insert(contentsOf: result[place...].prefix(40), at: place)
            default:
                // A whole value gives way to one at the edge, so that most of these still are JSON.
                guard let colon = result[place...].firstIndex(of: UInt8(ascii: ":")),
                    let end = result[(colon + 1)...].firstIndex(where: {
                        $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}")
                    })
                else { continue }
                let edge = edges.randomElement(using: &random) ?? "0"
                result.replaceSubrange((colon + 1)..<end, with: Array(edge.utf8))
            }
        }
        return result
    }

    private func assertWhole(_ message: MessageRecord, _ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        message.json.withUnsafeBytes { bytes in
            // Of a member that is there twice the last one counts, as with most readers.
            var id: Int64?
            try? JSONSlice.checked(bytes).forEachMember { if $0.equals("message_id") { id = $1.int } }
            XCTAssertEqual(id, message.position.tie, text)
            XCTAssertEqual(message.id, "\(message.position.tie)")
        }
    }

    private func assertWhole(_ event: WireEvent, _ input: [UInt8]) {
        switch event {
        case .event(.messageReceived(let url, let message)), .event(.messageUpdated(let url, let message)):
            XCTAssertFalse(url.isEmpty)
            assertWhole(message, input)
        case .acknowledged(let id, _, let message):
            XCTAssertFalse(id.isEmpty)
            assertWhole(message, input)
        case .refused(let id, _): XCTAssertFalse(id.isEmpty)
        case .event(.messagePatched(let url, _, .threadInfo(let json))):
            XCTAssertFalse(url.isEmpty)
            XCTAssertNoThrow(try JSON.parse(json))
        case .event(.channel(let url, .patched(_, let members))):
            XCTAssertFalse(url.isEmpty)
            for member in members { XCTAssertNoThrow(try JSON.parse(member.value)) }
        case .event(.channel(let url, _)), .event(.messageDeleted(let url, _)): XCTAssertFalse(url.isEmpty)
        case .busy(let pause): XCTAssertTrue((0...86_400_000).contains(pause))
        default: break
        }
    }

    func testDamagedFramesAreNeverTrapsNorHalfTruths() {
        var random = SeededGenerator(seed: 20_261_121)
        var told = 0
        for round in 0..<20_000 * times {
            let seed = seeds[round % seeds.count]
            let frame = damaged(Array(seed.utf8), &random)
            for event in FrameDecoder.forTest.decode(frame) {
                assertWhole(event, frame)
                if case .alive = event { continue }
                told += 1
            }
        }
        // The damage is mild enough that most paths are still walked.
        XCTAssertGreaterThan(told, 4_000 * times)
    }

    /// The whole machine between damaged frames and answers: no trap, one reply at most for each request, and none
    /// that was not asked for.
    func testDamageAgainstTheWholeService() {
        var random = SeededGenerator(seed: 99)
        var connected = 0
        for round in 0..<400 * times {
            let service = SendbirdService(
                appID: "APP", userID: "me", apiHost: nil, wsHost: nil, libraryVersion: "0")
            var now = Moment(monotonic: 0, wall: 1_700_000_000_000)
            var open: Set<UInt64> = []
            var sockets: [UInt64] = []
            var exchanges: [UInt64] = []
            var lastID: UInt64 = 0
            service.connect(SessionStart(token: "tok"), now: now)
            for step in 0..<40 {
                for output in service.takeOutputs() {
                    switch output {
                    case .transport(.openSocket(let socket, _, _)): sockets.append(socket)
                    case .transport(.send(_, let id)): exchanges.append(id)
                    case .transport: break
                    case .event(.connected): connected += 1
                    case .event(.disconnected):
                        open = []
                        service.connect(SessionStart(token: "tok"), now: now)
                    case .event, .progress: break
                    case .reply(let id, _):
                        XCTAssertNotNil(open.remove(id), "round \(round) step \(step)")
                    }
                }
                now.monotonic += Int64.random(in: 0...3000, using: &random)
                let socket = sockets.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<8, using: &random) {
                case 0: service.receive(.socketOpened(socket), now: now)
                case 1:
                    service.receive(.socketText(sockets.last ?? 0, Array(FrameDecoder.loginFrame.utf8)), now: now)
                case 2, 3:
                    let seed = seeds.randomElement(using: &random) ?? ""
                    service.receive(.socketText(socket, damaged(Array(seed.utf8), &random)), now: now)
                case 4:
                    let answer = answers.randomElement(using: &random)
                    lastID += 1
                    open.insert(lastID)
                    let read = ActionCall(action: .reading(.markAsRead), arguments: ["channel_url": .text("c")])
                    service.ask(answer?.request ?? .action(read), id: lastID, timeout: 9000, now: now)
                case 5:
                    lastID += 1
                    open.insert(lastID)
                    service.ask(
                        .sendMessage(channelURL: "c", requestID: "r", body: []), id: lastID, timeout: 9000, now: now)
                case 6:
                    let body = damaged(Array((answers.randomElement(using: &random)?.body ?? "").utf8), &random)
                    let status = [200, 200, 400, 429, 500].randomElement(using: &random) ?? 200
                    service.receive(
                        .response(
                            id: exchanges.randomElement(using: &random) ?? 0,
                            TransportResponse(status: status, headers: [], body: body)),
                        now: now)
                default: service.advance(now: now)
                }
            }
        }
        XCTAssertGreaterThan(connected, 100 * times)
    }

    private let message =
        #"{"type":"MESG","message_id":7,"created_at":9,"user":{"user_id":"bo"},"parent_message_id":1}"#
    private let edge = HistoryEdge(MessagePosition(order: 5, tie: 5))
    private var answers: [(request: ServiceRequest, body: String)] {
        [
            (.messagesAround(channelURL: "c", time: 1, limit: 1),
             #"{"messages":[\#(message),\#(message)],"has_next":true}"#),
            (.messages(channelURL: "c", from: edge, direction: .previous, limit: 2),
             #"{"messages":[{"message_id":3,"created_at":4},{"message_id":5,"created_at":5}]}"#),
            (.messages(channelURL: "c", from: edge, direction: .next, limit: 2), #"{"messages":[\#(message)]}"#),
            (.messageChanges(channelURL: "c", since: .time(1)),
             #"{"updated":[\#(message)],"deleted":[{"message_id":1}],"has_more":true,"next":"n"}"#),
            (.messageGap(channelURL: "c", start: edge, end: edge, held: 1),
             #"{"is_huge_gap":false,"prev_messages":[],"next_messages":[\#(message)],"next_hasmore":true}"#),
            (.listChannels(query: ChannelQuery(), token: "", limit: 1),
             #"{"channels":[{"channel_url":"u","created_at":1700000000,"last_message":\#(message)}],"next":"n"}"#),
            (.channelChanges(since: .time(1)), #"{"updated":[{"channel_url":"u"}],"deleted":["x"],"has_more":false}"#),
            (.sendMessage(channelURL: "c", requestID: "7", body: []), message),
            (.getChannel(url: "c"), #"{"channel_url":"c","key":"k","error":false}"#),
        ]
    }

    func testDamagedAnswersAreNeverTraps() {
        var random = SeededGenerator(seed: 7)
        for round in 0..<12_000 * times {
            let (request, body) = answers[round % answers.count]
            let bytes = damaged(Array(body.utf8), &random)
            let status = [200, 201, 400, 429, 500].randomElement(using: &random) ?? 200
            let response = TransportResponse(status: status, headers: [], body: bytes)
            _ = ReplyDecoder.renewal(response)
            switch ReplyDecoder.decode(request, response, userID: "me") {
            case .messages(let page), .gap(.fill(let page)):
                for message in page.messages { assertWhole(message, bytes) }
                let positions = page.messages.map(\.position)
                XCTAssertEqual(positions, positions.sorted())
                if let range = page.range {
                    XCTAssertLessThanOrEqual(range.start.position, range.end.position)
                    for position in positions {
                        XCTAssertTrue(range.start.position <= position && position <= range.end.position)
                    }
                }
            case .message(let message): assertWhole(message, bytes)
            case .channels(let page):
                for channel in page.channels { XCTAssertNotNil(ChannelRecord(json: channel.json)) }
            case .failure(let failure): XCTAssertFalse(failure.message.isEmpty && failure.code == 0)
            default: break
            }
        }
    }
}
