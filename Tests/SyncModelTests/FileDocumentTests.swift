import SyncModel
import XCTest

final class FileDocumentTests: XCTestCase {
    private func completed(_ body: String) throws -> String {
        let document = try XCTUnwrap(FileDocument(Array(body.utf8)))
        document.complete()
        return String(decoding: document.body, as: UTF8.self)
    }

    func testAFileOfThisMachineHasANameAndAType() throws {
        XCTAssertEqual(
            try completed(#"{"file":{"path":"/a/b.png"}}"#),
            #"{"file":{"path":"/a/b.png","name":"b.png","type":"image/png"}}"#)
        XCTAssertEqual(
            try completed(#"{"file":{"path":"/a/b","name":"c.pdf"}}"#),
            #"{"file":{"path":"/a/b","name":"c.pdf","type":"application/pdf"}}"#)
        let elsewhere = #"{"files":[{"url":"u"},{"url":"v","type":"x/y"}]}"#
        XCTAssertEqual(try completed(elsewhere), elsewhere)
    }

    func testWhatCannotBeSent() throws {
        let many = (0..<31).map { #"{"url":"\#($0)"}"# }.joined(separator: ",")
        for (body, isSendable) in [
            (#"{"file":{"path":"/a"}}"#, true), (#"{"file":{"url":"u","size":3}}"#, true), (#"{"file":{}}"#, false),
            (#"{"file":{"path":"/a"},"files":[{"path":"/a"}]}"#, false), (#"{"files":[\#(many)]}"#, false),
            (#"{"file":{"path":"/a","name":5}}"#, false), (#"{"file":{"path":"/a","size":"big"}}"#, false),
            (#"{"file":{"path":"/a","size":-1}}"#, false), (#"{"file":{"path":"/a","type":""}}"#, false),
        ] {
            XCTAssertEqual(try XCTUnwrap(FileDocument(Array(body.utf8))).isSendable, isSendable, body)
        }
    }

    func testAMediaTypeIsOneLine() throws {
        for (type, isOne) in [("a/b", true), ("a/b; c=d", true), ("", false), ("a\r\nb", false), ("ä", false)] {
            XCTAssertEqual(FileDocument.isMediaType(type), isOne, type)
        }
    }
}
