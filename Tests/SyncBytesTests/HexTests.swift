import SyncBytes
import XCTest

final class HexTests: XCTestCase {
    func testBytesBecomeTwoDigitsEach() {
        XCTAssertEqual(Hex.text([0, 9, 10, 0x5F, 0xFF]), "00090a5fff")
        XCTAssertEqual(Hex.text([]), "")
        XCTAssertEqual((0..<16).map { Hex.digit($0) }, Array("0123456789abcdef".utf8))
        XCTAssertEqual((0..<16).map { Hex.upperDigit($0) }, Array("0123456789ABCDEF".utf8))
    }

    func testDigitsOfEitherCaseAreRead() {
        XCTAssertEqual(Hex.bytes("00090a5fFF"), [0, 9, 10, 0x5F, 0xFF])
        XCTAssertEqual(Hex.bytes(""), [])
        let all = (0...255).map { UInt8($0) }
        XCTAssertEqual(Hex.bytes(Hex.text(all)), all)
    }

    /// Other scripts have digits, too; none of them is one here.
    func testWhatIsNoDigitOrHalfAByteIsRefused() {
        for text in ["0", "0g", "g0", "000", "-1", "0x", " 0", "\u{FF11}\u{FF11}", "\u{664}\u{664}", "é0"] {
            XCTAssertNil(Hex.bytes(text), text)
        }
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min...UInt8.max { XCTAssertEqual(Hex.value(byte) != nil, digits.contains(byte), "\(byte)") }
    }
}
