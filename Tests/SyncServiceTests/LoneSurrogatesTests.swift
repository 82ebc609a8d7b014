import SyncJSON
import SyncModel
import XCTest

@testable import SyncService

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
        var service = SendbirdService.forTest()
        let message = #"{"type":"MESG","message_id":7,"created_at":9,"channel_url":"c","message":"cut \ud83d"}"#
        let request = ServiceRequest.listMessages(channelURL: "c", around: 1, before: 1, after: 1)
        guard case .messages(let page) = service.decode(
            request, status: 200, headers: [], body: Array(#"{"messages":[\#(message)]}"#.utf8))
        else { return XCTFail("no page") }
        XCTAssertEqual(try JSON.parse(XCTUnwrap(page.messages.first).json)["message"], "cut \u{FFFD}")
        XCTAssertEqual(service.described("MESG" + message), ["received c user 7@9 by ''"])
    }
}
