import Foundation
import XCTest

@testable import SyncNetwork

/// What the answers to one owner hold together.
final class BodyLimitTests: NetworkTestCase {
    private let intake = Intake(bodyLimit: 1 << 20)

    private func exchange(_ request: HTTPRequest, for intake: Intake) throws -> Outcome {
        let outcomes = Collected<Outcome>()
        network.send(request, for: intake) { outcomes.append($0) }
        return try XCTUnwrap(outcomes.wait(count: 1).first)
    }

    private func failure(_ outcome: Outcome) throws -> NetworkFailure {
        guard case .failure(let failure) = outcome else { throw NetworkFailure(.protocolError, "answered") }
        return failure
    }

    /// Answers with as many bytes as the path says.
    private func counting() throws -> TestServer {
        try serve { connection in
            while let request = connection.readRequest() {
                let count = Int(request.line.split(separator: " ")[1].dropFirst()) ?? 0
                connection.respond(body: [UInt8](repeating: 120, count: count))
            }
        }
    }

    func testAnswersCountUntilTheyAreTaken() throws {
        let server = try counting()
        let large = get(server.http + "/700000")
        XCTAssertEqual(try exchange(large, for: intake).get().body.count, 700_000)
        XCTAssertEqual(intake.heldBytes, 700_000)
        let refused = try failure(exchange(large, for: intake))
        XCTAssertEqual(refused.kind, .crowded)
        XCTAssertEqual(refused.message, "the answers in flight hold more than 1048576 bytes together")
        XCTAssertEqual(intake.heldBytes, 700_000, "what failed holds nothing")
        XCTAssertEqual(try exchange(get(server.http + "/300000"), for: intake).get().body.count, 300_000)
        // Another owner has its own room.
        XCTAssertEqual(try exchange(large).get().body.count, 700_000)
        intake.release(1_000_000)
        XCTAssertEqual(try exchange(large, for: intake).get().body.count, 700_000)
    }

    /// To the byte.
    func testTheLimitItselfIsTaken() throws {
        let server = try counting()
        XCTAssertEqual(try exchange(get(server.http + "/1048576"), for: intake).get().body.count, 1 << 20)
        XCTAssertEqual(try failure(exchange(get(server.http + "/1"), for: intake)).kind, .crowded)
        XCTAssertEqual(try exchange(get(server.http + "/0"), for: intake).get().body.count, 0)
    }

    func testWhatIsCanceledHoldsNothing() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.write("400\r\n" + String(repeating: "x", count: 1024) + "\r\n")
            // Until the other end closes.
            _ = connection.readRequest()
        }
        let outcomes = Collected<Outcome>()
        let id = network.send(get(server.http), for: intake) { outcomes.append($0) }
        while intake.heldBytes == 0, outcomes.all.isEmpty { sched_yield() }
        XCTAssertEqual(intake.heldBytes, 1024)
        network.cancel(id)
        XCTAssertEqual(try failure(XCTUnwrap(outcomes.wait(count: 1).first)).kind, .cancelled)
        XCTAssertEqual(intake.heldBytes, 0)
    }

    /// Of one answer that never ends and of many.
    func testEndlessAnswersEnd() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.write("400\r\n" + String(repeating: "x", count: 1024) + "\r\n") {}
        }
        var request = get(server.http)
        request.responseLimit = 600_000
        let outcomes = Collected<Outcome>()
        for _ in 0..<8 { network.send(request, for: intake) { outcomes.append($0) } }
        for outcome in outcomes.wait(count: 8) {
            XCTAssertTrue([.tooLarge, .crowded].contains(try failure(outcome).kind))
        }
        XCTAssertEqual(intake.heldBytes, 0)
    }

    /// Kept in parts, whatever the pieces are.
    func testPartsMakeTheWhole() {
        for piece in [1, 1000, 16 << 10, 128 << 10, (128 << 10) + 1, 1 << 20, (1 << 20) + 1, 3 << 20] {
            let bytes = (0..<piece).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
            var body = HTTPBody()
            body.announce(piece)
            var whole: [UInt8] = []
            for _ in 0..<(piece == 1 ? 5 : 2 + (3 << 20) / piece) {
                XCTAssertTrue(bytes.withUnsafeBytes { body.append($0) })
                whole += bytes
            }
            XCTAssertEqual(body.count, whole.count)
            XCTAssertTrue(body.take() == whole, "\(piece)")
            XCTAssertEqual(body.count, 0)
        }
    }

    func testAnOwnerThatIsGoneHoldsNothing() throws {
        let server = try counting()
        intake.end()
        XCTAssertEqual(try failure(exchange(get(server.http + "/10"), for: intake)).kind, .cancelled)
        XCTAssertEqual(intake.heldBytes, 0)
    }

    func testRefusedStreamsCount() throws {
        let server = try serve { connection in
            while connection.readRequest() != nil { connection.respond("403 No", text: "no such place") }
        }
        let events = Collected<HTTPStreamEvent>()
        _ = network.openStream(get(server.http), for: intake) { events.append($0) }
        guard case .refused(let refusal)? = events.wait(count: 1).first else { return XCTFail("not refused") }
        XCTAssertEqual(intake.heldBytes, refusal.body.count)
    }
}
