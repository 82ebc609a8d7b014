import Foundation
import XCTest

@testable import SyncNetwork

/// In which order a file that is received reaches the disk, and what of it counts after a power cut.
final class ReceivedFileTests: XCTestCase {
    /// What was done, by the end of the file's name: "part+5" is five bytes written, "part!" what was written is on the
    /// disk.
    private final class Recorder: @unchecked Sendable {
        var steps: [String] = []
        var syncFails = false

        private func name(_ descriptor: Int32) -> String {
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return path?.split(separator: ".").last.map(String.init) ?? "?"
        }

        var disk: PartDisk {
            PartDisk(
                write: { [self] descriptor, bytes, place in
                    steps.append("\(name(descriptor))+\(bytes.count)")
                    return PartDisk.system.write(descriptor, bytes, place)
                },
                sync: { [self] descriptor in
                    steps.append("\(name(descriptor))!")
                    if syncFails { errno = EIO }
                    return syncFails ? -1 : 0
                })
        }

        func take() -> [String] {
            defer { steps = [] }
            return steps
        }
    }

    private var folder = ""
    private let recorder = Recorder()
    private let version = FileVersion(tag: "\"v1\"", modified: nil, total: 1000)
    private var target: HTTPTarget { HTTPTarget(path: folder + "/out", source: "s") }

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "received-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDown() { try? FileManager.default.removeItem(atPath: folder) }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    /// The number of bytes is written when they are on the disk, and never before.
    func testBytesAreOnTheDiskBeforeTheirNumber() throws {
        let file = try ReceivedFile(target, recorder.disk)
        try file.startOver(version)
        XCTAssertEqual(recorder.take().count { $0.hasPrefix("version+") }, 1)
        try file.write(bytes(5))
        XCTAssertEqual(recorder.take(), ["part+5"])
        try file.sync()
        XCTAssertEqual(recorder.take(), ["part!", "version+20", "version!"])
        try file.sync()
        XCTAssertEqual(recorder.take(), [], "all of it is")
        try file.write(bytes(995))
        _ = recorder.take()
        try file.finish { true }
        XCTAssertEqual(recorder.take(), ["part!"], "before it gets its name")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["out"])
    }

    /// Before bytes of another version take the place of what was noted, that counts no more, on the disk too.
    func testTheNumberGoesBackBeforeOtherBytesCome() throws {
        let file = try ReceivedFile(target, recorder.disk)
        try file.startOver(version)
        try file.write(bytes(5))
        try file.sync()
        _ = recorder.take()
        try file.startOver(FileVersion(tag: "\"v2\"", modified: nil, total: 1000))
        let steps = recorder.take()
        XCTAssertEqual(Array(steps.prefix(2)), ["version+20", "version!"])
        XCTAssertEqual(steps.count, 3, "and the new one: \(steps)")
    }

    /// What follows the noted bytes may be zeros, and does not count.
    func testAfterAPowerCutOnlyWhatWasNotedCounts() throws {
        for isSynced in [true, false] {
            do {
                let file = try ReceivedFile(target, recorder.disk)
                try file.startOver(version)
                try file.write(bytes(300))
                if isSynced { try file.sync() }
                try file.write([UInt8](repeating: 0, count: 200))
                // The process ends without a word.
            }
            let again = try ReceivedFile(target, recorder.disk)
            XCTAssertEqual(again.received?.size, isSynced ? 300 : nil)
            XCTAssertEqual(again.size, isSynced ? 300 : 0)
            again.leave(discarding: true)
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), [])
    }

    /// An exchange that ends leaves all that has come; one whose disk fails leaves what was noted before.
    func testWhatIsLeftIsNoted() throws {
        var file: ReceivedFile? = try ReceivedFile(target, recorder.disk)
        try file?.startOver(version)
        try file?.write(bytes(300))
        file?.leave(discarding: false)
        file = nil
        file = try ReceivedFile(target, recorder.disk)
        XCTAssertEqual(file?.received?.size, 300)
        try file?.write(bytes(200))
        recorder.syncFails = true
        XCTAssertThrowsError(try file?.sync())
        XCTAssertThrowsError(try file?.finish { true })
        file?.leave(discarding: false)
        file = nil
        file = try ReceivedFile(target, recorder.disk)
        XCTAssertEqual(file?.received?.size, 300)
    }

    /// Whatever stands beside it, nothing that was not written so is believed.
    func testADamagedNumberIsNotBelieved() throws {
        let names = PartFile(target).path
        let beside = String(names.dropLast("part".count)) + "version"
        let tail = "\n1000\n\"v1\""
        for text in [
            "", "5", "00000000000000000005", "0000000000000000000x" + tail, "-0000000000000000005" + tail,
            "00000000000000000301" + tail, "99999999999999999999" + tail, String(repeating: "\0", count: 20) + tail,
            "00000000000000000300\n\n", "00000000000000000300\n1000\n\u{1}",
        ] {
            try Data(bytes(300)).write(to: URL(fileURLWithPath: names))
            try Data(text.utf8).write(to: URL(fileURLWithPath: beside))
            XCTAssertNil(try ReceivedFile(target, recorder.disk).received, text)
        }
        try Data(bytes(300)).write(to: URL(fileURLWithPath: names))
        try Data(("00000000000000000300" + tail).utf8).write(to: URL(fileURLWithPath: beside))
        XCTAssertEqual(try ReceivedFile(target, recorder.disk).received?.size, 300)
    }

    /// A length that is no number of bytes, or two of them, say nothing of where the file ends.
    func testALengthThatIsNoneIsRefused() {
        for lengths in [["99999999999999999999999"], ["-1"], ["x"], [""], ["5", "7"], ["7", "x"]] {
            var receipt = FileReceipt(limit: 1_000, part: nil)
            _ = receipt.begin(status: 200, lengths.map { ("content-length", $0) })
            XCTAssertEqual(receipt.refusal?.kind, .protocolError, "\(lengths)")
        }
        for lengths in [[], ["5"], ["5", "5"]] {
            var receipt = FileReceipt(limit: 1_000, part: nil)
            _ = receipt.begin(status: 200, lengths.map { ("content-length", $0) })
            XCTAssertNil(receipt.refusal, "\(lengths)")
        }
    }
}
