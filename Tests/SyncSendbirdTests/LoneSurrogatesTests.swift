import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

final class LoneSurrogatesTests: XCTestCase {
    func testOnlyLoneHalvesAreReplaced() {
        let bad = #"\ufffd"#
        let cases: [(text: String, result: String)] = [
            ("", ""), ("plain ü 😀", "plain ü 😀"), (#"\ud83d\ude00"#, #"\ud83d\ude00"#),
            (#"\uD83D\uDE00x"#, #"\uD83D\uDE00x"#),
            (#"\ud83d"#, bad), (#"\ude00"#, bad), (#"\ud83dx\ude00"#, bad + "x" + bad),
            (#"\ude00\ud83d"#, bad + bad), (#"\ud83d\ud83d\ude00"#, bad + #"\ud83d\ude00"#),
            (#"\ud83d\ude00\ude00"#, #"\ud83d\ude00"# + bad), (#"\ud83d\n"#, bad + #"\n"#),
            (#"\ud83d\u0041"#, bad + #"\u0041"#), (#"\ud7ff\ue000"#, #"\ud7ff\ue000"#),
            // An escaped backslash is no escape of what follows it.
            (#"\\ud83d"#, #"\\ud83d"#), (#"\\\ud83d"#, #"\\"# + bad),
            (#"\ud8"#, #"\ud8"#), (#"\ud8zz"#, #"\ud8zz"#), (#"\"#, #"\"#), (#"x\ud83d\"#, "x" + bad + #"\"#),
        ]
        for (text, result) in cases {
            XCTAssertEqual(
                String(decoding: LoneSurrogates.replaced(in: Array(text.utf8)), as: UTF8.self), result, text)
        }
    }

    func testAHalvedEmojiCostsNoMessage() throws {
        let message = #"{"type":"MESG","message_id":7,"created_at":9,"channel_url":"c","message":"cut \ud83d"}"#
        let request = ServiceRequest.messagesAround(channelURL: "c", time: 1, limit: 1)
        let body = Array(#"{"messages":[\#(message)]}"#.utf8)
        let response = TransportResponse(status: 200, headers: [], body: body)
        guard case .messages(let page) = ReplyDecoder.decode(request, response, userID: "me") else {
            return XCTFail("no page")
        }
        XCTAssertEqual(try JSON.parse(XCTUnwrap(page.messages.first).json)["message"], "cut \u{FFFD}")
        guard case .event(.messageReceived(_, let received)) = FrameDecoder.forTest.decode(
            Array(("MESG" + message).utf8)).first
        else { return XCTFail("no message") }
        XCTAssertEqual(try JSON.parse(received.json)["message"], "cut \u{FFFD}")
        // And where the text is read as a document.
        XCTAssertEqual(
            FrameDecoder.forTest.described(#"SYEV{"cat":10900,"channel_url":"c","data":{"user_id":"\ud83d"}}"#),
            ["channel c \u{FFFD} types {\"user_id\":\"\u{FFFD}\"}"])
        let channel = ReplyDecoder.decode(
            .getChannel(url: "c"),
            TransportResponse(status: 200, headers: [], body: Array(#"{"channel_url":"c","name":"\udc00"}"#.utf8)),
            userID: "me")
        guard case .channel(let record) = channel else { return XCTFail("no channel") }
        XCTAssertEqual(record.name, "\u{FFFD}")
        XCTAssertNoThrow(try JSON.parse(record.json))
    }
}
