import Foundation
import TestSupport
import XCTest

@testable import SyncWebSocket

final class WebSocketCodecTests: XCTestCase {
    private func codec(
        _ role: WebSocketCodec.Role, messageLimit: Int = 1 << 20, outputLimit: Int = 4 << 20
    ) throws -> WebSocketCodec {
        try XCTUnwrap(WebSocketCodec(role: role, messageLimit: messageLimit, outputLimit: outputLimit))
    }

    /// All bytes that wait in `codec`, taken out in pieces of `piece` bytes.
    private func drain(_ codec: WebSocketCodec, piece: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        while codec.pendingOutputCount > 0 {
            codec.withPendingOutput { pending in
                let count = min(piece, pending.count)
                bytes += pending.prefix(count)
                return count
            }
        }
        return bytes
    }

    /// A frame as a client sends it, with a mask.
    private func masked(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let mask: [UInt8] = [1, 2, 3, 4]
        precondition(payload.count < 126)
        return [first, 0x80 | UInt8(payload.count)] + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    private let sample = Array("Grüße 안녕 👋".utf8)

    func testBothRolesExchangeMessages() throws {
        let client = try codec(.client)
        let server = try codec(.server)
        XCTAssertTrue(client.sendText(sample))
        XCTAssertTrue(client.sendBinary([0, 255, 128]))
        XCTAssertTrue(client.sendText([]))
        XCTAssertTrue(client.sendPing([7]))
        XCTAssertEqual(
            server.receive(drain(client)), [.text(sample), .binary([0, 255, 128]), .text([]), .ping([7])])
        XCTAssertTrue(server.sendText(sample))
        XCTAssertEqual(client.receive(drain(server)), [.pong([7]), .text(sample)])
        XCTAssertFalse(client.isFinished)
    }

    func testSizesAroundTheFrameHeaderSteps() throws {
        for size in [0, 1, 125, 126, 127, 4095, 4096, 4097, 65535, 65536, 300_000] {
            let client = try codec(.client)
            let server = try codec(.server)
            let text = (0..<size).map { UInt8(0x20 + $0 % 90) }
            XCTAssertTrue(client.sendText(text))
            XCTAssertEqual(server.receive(drain(client)), [.text(text)], "\(size)")
            XCTAssertTrue(server.sendText(text))
            XCTAssertEqual(client.receive(drain(server)), [.text(text)], "\(size)")
        }
    }

    func testClientMasksWithFreshMasks() throws {
        let client = try codec(.client)
        let zeros = [UInt8](repeating: 0, count: 8)
        var masks = Set<[UInt8]>()
        for _ in 0..<200 {
            client.sendBinary(zeros)
            let frame = drain(client)
            XCTAssertEqual(Array(frame.prefix(2)), [0x82, 0x88])
            XCTAssertEqual(Array(frame[6..<10]), Array(frame[2..<6]), "the payload is masked with the mask")
            masks.insert(Array(frame[2..<6]))
        }
        XCTAssertGreaterThan(masks.count, 195)
    }

    func testBytesMayComeOneByOne() throws {
        let client = try codec(.client)
        let server = try codec(.server)
        client.sendText(sample)
        client.sendPing(Array("p".utf8))
        client.sendText(Array(repeating: 65, count: 300))
        client.sendClose(code: 4001, reason: Array("schön".utf8))
        var events: [WebSocketCodec.Event] = []
        for byte in drain(client, piece: 3) { events += server.receive([byte]) }
        XCTAssertEqual(
            events,
            [
                .text(sample), .ping(Array("p".utf8)), .text(Array(repeating: 65, count: 300)),
                .close(code: 4001, reason: Array("schön".utf8)),
            ])
    }

    func testFragmentsWithAPingBetween() throws {
        let server = try codec(.server)
        // The text is cut inside a character.
        let wave = Array("a👋b".utf8)
        let bytes =
            masked(0x01, Array(wave[..<3])) + masked(0x00, []) + masked(0x89, [9])
            + masked(0x00, Array(wave[3..<4])) + masked(0x80, Array(wave[4...])) + masked(0x82, [1])
        XCTAssertEqual(server.receive(bytes), [.ping([9]), .text(wave), .binary([1])])
        XCTAssertEqual(drain(server), [0x8A, 1, 9])

        let second = try codec(.server)
        var events: [WebSocketCodec.Event] = []
        for byte in bytes { events += second.receive([byte]) }
        XCTAssertEqual(events, [.ping([9]), .text(wave), .binary([1])])
    }

    func testMessageLimitIsExactOverOneFrame() throws {
        let client = try codec(.client)
        let server = try codec(.server, messageLimit: 1000)
        let text = [UInt8](repeating: 65, count: 1000)
        client.sendText(text)
        XCTAssertEqual(server.receive(drain(client)), [.text(text)])
        client.sendText(text + [65])
        XCTAssertEqual(server.receive(drain(client)), [])
        XCTAssertEqual(server.closeCodeSent, 1009)
        XCTAssertFalse(server.isReading)
        XCTAssertEqual(client.receive(drain(server)), [.close(code: 1009, reason: [])])
        XCTAssertTrue(server.isFinished)
    }

    func testMessageLimitCountsAllFragmentsAndClientHasItToo() throws {
        let server = try codec(.server, messageLimit: 150)
        let part = [UInt8](repeating: 65, count: 75)
        XCTAssertEqual(server.receive(masked(0x01, part) + masked(0x80, part)), [.text(part + part)])
        XCTAssertEqual(server.receive(masked(0x01, part) + masked(0x00, part)), [])
        XCTAssertTrue(server.isReading)
        XCTAssertEqual(server.receive(masked(0x80, [65]) + masked(0x81, part)), [])
        XCTAssertEqual(server.closeCodeSent, 1009)

        let client = try codec(.client, messageLimit: 10)
        XCTAssertEqual(client.receive([0x81, 11] + [UInt8](repeating: 65, count: 11)), [])
        XCTAssertEqual(client.closeCodeSent, 1009)
    }

    func testClaimedLengthIsRefusedBeforeMemoryIsTaken() throws {
        let server = try codec(.server)
        // A frame of 2^63 - 1 bytes, and one whose length has the forbidden top bit.
        XCTAssertEqual(
            server.receive([0x82, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [1, 2, 3, 4, 5]), [])
        XCTAssertEqual(server.closeCodeSent, 1009)
        let second = try codec(.server)
        XCTAssertEqual(second.receive([0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 8) + [1, 2, 3, 4, 5]), [])
        XCTAssertFalse(second.isReading)
        XCTAssertTrue(second.isCloseSent)
    }

    func testControlFramesPassUnderATinyMessageLimit() throws {
        let server = try codec(.server, messageLimit: 1)
        let payload = [UInt8](repeating: 1, count: 125)
        XCTAssertEqual(server.receive(masked(0x89, payload)), [.ping(payload)])
        XCTAssertEqual(drain(server).count, 127)
    }

    func testInvalidUTF8EndsWith1007() throws {
        for bad: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xC3]] {
            let server = try codec(.server)
            XCTAssertEqual(server.receive(masked(0x81, bad)), [], "\(bad)")
            XCTAssertEqual(server.closeCodeSent, 1007, "\(bad)")
            XCTAssertEqual(drain(server), [0x88, 2, 0x03, 0xEF])
            let binary = try codec(.server)
            XCTAssertEqual(binary.receive(masked(0x82, bad)), [.binary(bad)])
        }
    }

    func testFramingViolationsEndTheConnection() throws {
        let cases: [(String, WebSocketCodec.Role, [UInt8], UInt16)] = [
            ("unmasked from a client", .server, [0x81, 1, 65], 1002),
            ("masked from a server", .client, masked(0x81, [65]), 1002),
            ("reserved bit", .server, masked(0xC1, [65]), 1002),
            ("reserved opcode", .server, masked(0x83, [65]), 1002),
            ("continuation of nothing", .server, masked(0x80, [65]), 1002),
            ("text inside a message", .server, masked(0x01, [65]) + masked(0x81, [65]), 1002),
            ("close code 1005", .server, masked(0x88, [0x03, 0xED]), 1002),
            ("fragmented ping", .server, masked(0x09, [65]), 1005),
        ]
        for (name, role, bytes, code) in cases {
            let codec = try codec(role)
            XCTAssertEqual(codec.receive(bytes), [], name)
            XCTAssertEqual(codec.closeCodeSent, code, name)
            XCTAssertFalse(codec.isReading, name)
            XCTAssertFalse(codec.sendText([65]), name)
            XCTAssertEqual(codec.receive(bytes), [], name)
            _ = drain(codec)
            XCTAssertTrue(codec.isFinished, name)
        }
    }

    func testCloseHandshakeFromEitherSide() throws {
        for starter in [WebSocketCodec.Role.client, .server] {
            let first = try codec(starter)
            let second = try codec(starter == .client ? .server : .client)
            // The text queued before the close arrives before it.
            XCTAssertTrue(first.sendText(sample))
            XCTAssertTrue(first.sendClose(code: 4999, reason: Array("bye".utf8)))
            XCTAssertFalse(first.sendClose(code: 1000))
            XCTAssertFalse(first.sendText(sample))
            XCTAssertFalse(first.sendPing([]))
            // What the other side sent before it learned of the close is still read.
            second.sendText([66])
            XCTAssertEqual(first.receive(drain(second)), [.text([66])])
            XCTAssertEqual(
                second.receive(drain(first)), [.text(sample), .close(code: 4999, reason: Array("bye".utf8))])
            XCTAssertFalse(second.isFinished)
            XCTAssertEqual(first.receive(drain(second)), [.close(code: 4999, reason: Array("bye".utf8))])
            XCTAssertTrue(second.isFinished)
            XCTAssertTrue(first.isFinished)
            XCTAssertEqual(first.closeCodeSent, 4999)
            XCTAssertEqual(first.closeCodeReceived, 4999)
            XCTAssertEqual(second.closeCodeReceived, 4999)
        }
    }

    func testCloseWithoutCode() throws {
        let client = try codec(.client)
        let server = try codec(.server)
        XCTAssertEqual(client.closeCodeReceived, 1006)
        XCTAssertTrue(client.sendClose(code: 0))
        XCTAssertEqual(server.receive(drain(client)), [.close(code: 1005, reason: [])])
        XCTAssertEqual(drain(server), [0x88, 0])
        XCTAssertEqual(server.closeCodeReceived, 1005)
    }

    func testCloseRefusesWhatNoFrameMayCarry() throws {
        let client = try codec(.client)
        for code: UInt16 in [1, 999, 1004, 1005, 1006, 1015, 2999, 5000] {
            XCTAssertFalse(client.sendClose(code: code), "\(code)")
        }
        XCTAssertFalse(client.sendClose(code: 0, reason: [65]))
        XCTAssertFalse(client.sendClose(code: 1000, reason: [UInt8](repeating: 65, count: 124)))
        XCTAssertFalse(client.sendPing([UInt8](repeating: 65, count: 126)))
        XCTAssertEqual(client.pendingOutputCount, 0)
        XCTAssertTrue(client.sendClose(code: 1000, reason: [UInt8](repeating: 65, count: 123)))
        XCTAssertEqual(client.pendingOutputCount, 6 + 125)
    }

    func testPingFloodHitsTheOutputLimit() throws {
        let server = try codec(.server, outputLimit: 10_000)
        let flood = masked(0x89, [UInt8](repeating: 1, count: 125))
        var pings = 0
        for _ in 0..<1000 { pings += server.receive(flood).count }
        XCTAssertTrue(server.isOutputOverflowing)
        XCTAssertLessThanOrEqual(server.pendingOutputCount, 10_000)
        XCTAssertLessThan(pings, 100)
        XCTAssertFalse(server.sendText([65]))

        // The same flood is no trouble for a peer that takes its pongs.
        let patient = try codec(.server, outputLimit: 10_000)
        for _ in 0..<1000 {
            XCTAssertEqual(patient.receive(flood).count, 1)
            XCTAssertEqual(drain(patient).count, 127)
        }
        XCTAssertFalse(patient.isOutputOverflowing)
    }

    /// Pongs that the peer does not take have less room than messages.
    func testPingFloodIsEndedLongBeforeTheRoomOfMessagesIsFull() throws {
        let server = try codec(.server, outputLimit: 32 << 20)
        let flood = masked(0x89, [])
        var pings = 0
        while !server.isOutputOverflowing, pings < 1_000_000 { pings += server.receive(flood).count }
        XCTAssertTrue(server.isOutputOverflowing)
        XCTAssertLessThan(server.pendingOutputCount, 300 << 10)

        // One of them at a time, in any number, while a long message waits.
        let patient = try codec(.server, outputLimit: 32 << 20)
        XCTAssertTrue(patient.sendText([UInt8](repeating: 65, count: 20 << 20)))
        for _ in 0..<1000 { XCTAssertEqual(patient.receive(flood).count, 1) }
        XCTAssertFalse(patient.isOutputOverflowing)
    }

    func testSlowPeerHitsTheOutputLimit() throws {
        let server = try codec(.server, outputLimit: 1000)
        let text = [UInt8](repeating: 65, count: 300)
        XCTAssertFalse(server.sendText([UInt8](repeating: 65, count: 1000)), "would never fit")
        XCTAssertFalse(server.isOutputOverflowing)
        for _ in 0..<3 { XCTAssertTrue(server.sendText(text)) }
        XCTAssertFalse(server.sendText(text))
        XCTAssertTrue(server.isOutputOverflowing)
        XCTAssertEqual(server.pendingOutputCount, 912)
    }

    func testCloseFindsRoomAtTheOutputLimit() throws {
        let server = try codec(.server, outputLimit: 1000)
        XCTAssertTrue(server.sendText([UInt8](repeating: 65, count: 986)))
        XCTAssertTrue(server.sendClose(code: 1001, reason: [UInt8](repeating: 65, count: 123)))
        XCTAssertFalse(server.isOutputOverflowing)
        let client = try codec(.client)
        XCTAssertEqual(client.receive(drain(server)).count, 2)
        XCTAssertEqual(client.closeCodeReceived, 1001)
    }

    func testOutputTakenInPiecesWhileMoreIsQueued() throws {
        let server = try codec(.server)
        let client = try codec(.client)
        var received: [WebSocketCodec.Event] = []
        for round in 0..<200 {
            let text = [UInt8](repeating: UInt8(33 + round % 90), count: 5000)
            XCTAssertTrue(server.sendText(text))
            server.withPendingOutput { pending in
                let count = min(pending.count, 4800)
                received += client.receive(UnsafeRawBufferPointer(rebasing: pending[..<count]))
                // Calling back into the codec is allowed.
                if round == 100 { server.sendText([1]) }
                return count
            }
        }
        received += client.receive(drain(server))
        XCTAssertEqual(received.count, 201)
        XCTAssertEqual(received.last, .text([UInt8](repeating: UInt8(33 + 199 % 90), count: 5000)))
    }

    func testLimitsMayBeEndless() throws {
        let server = try codec(.server, messageLimit: .max, outputLimit: .max)
        XCTAssertTrue(server.sendText([65]))
        XCTAssertTrue(server.sendClose(code: 1000))
        XCTAssertEqual(drain(server), [0x81, 1, 65, 0x88, 2, 0x03, 0xE8])
    }

    func testLimitsMustBePositive() {
        XCTAssertNil(WebSocketCodec(role: .client, messageLimit: 0, outputLimit: 1))
        XCTAssertNil(WebSocketCodec(role: .server, messageLimit: 1, outputLimit: -1))
    }

    func testRandomBytesNeverTrap() throws {
        var generator = SeededGenerator(seed: 20_240_607)
        let isLong = ProcessInfo.processInfo.environment["SM_LONG"] != nil
        for _ in 0..<(isLong ? 300_000 : 3000) {
            let codec = try codec(Bool.random(using: &generator) ? .client : .server, messageLimit: 500)
            for _ in 0..<4 {
                let count = Int.random(in: 0..<60, using: &generator)
                var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                // Opcodes and lengths near the truth go deeper than pure noise.
                if count > 2 {
                    bytes[0] &= 0x8F
                    bytes[1] = bytes[1] & 0x80 | bytes[1] % 128
                }
                for event in codec.receive(bytes) {
                    if case .text(let text) = event {
                        XCTAssertNotNil(String(validating: text, as: UTF8.self))
                    }
                }
            }
        }
    }
}
