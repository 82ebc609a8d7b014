import XCTest

@testable import SyncNetwork

/// Requests of one owner beyond those that go at once.
final class RequestLanesTests: NetworkTestCase {
    private let intake = Intake()
    private let outcomes = Collected<Outcome>()

    /// Answers to none before it is told.
    private func patient(_ seen: Collected<String>, until isTold: Collected<Bool>) throws -> TestServer {
        try serve { connection in
            while let request = connection.readRequest() {
                seen.append(request.line)
                isTold.wait(count: 1)
                connection.respond(text: "done")
            }
        }
    }

    @discardableResult
    private func send(_ url: String, timeoutMS: Int = 20_000, for intake: Intake? = nil) -> UInt64 {
        let outcomes = outcomes
        return network.send(
            HTTPRequest(method: "GET", url: url, timeoutMS: timeoutMS), for: intake ?? self.intake
        ) { outcomes.append($0) }
    }

    private var failures: [NetworkFailure.Kind] {
        outcomes.all.compactMap { if case .failure(let failure) = $0 { failure.kind } else { nil } }
    }

    /// Files that take long keep nothing else waiting.
    func testFilesHaveLanesOfTheirOwn() throws {
        let (seen, isTold) = (Collected<String>(), Collected<Bool>())
        let server = try patient(seen, until: isTold)
        let folder = NSTemporaryDirectory() + "lanes-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        atEnd { try? FileManager.default.removeItem(atPath: folder) }
        for number in 0..<RequestLanes.width {
            let url = server.http + "/file\(number)"
            var request = HTTPRequest(method: "GET", url: url, timeoutMS: 20_000)
            request.file = .received(HTTPTarget(path: "\(folder)/\(number)", source: url))
            let outcomes = outcomes
            network.send(request, for: intake) { outcomes.append($0) }
        }
        seen.wait(count: RequestLanes.fileWidth)
        send(server.http + "/other")
        seen.wait { $0.contains("GET /other HTTP/1.1") }
        XCTAssertEqual(seen.all.count, RequestLanes.fileWidth + 1)
        isTold.append(true)
        outcomes.wait(count: RequestLanes.width + 1)
    }

    func testThousandsShareFewConnections() throws {
        let (seen, isTold) = (Collected<String>(), Collected<Bool>())
        let server = try patient(seen, until: isTold)
        let count = 3000
        for number in 0..<count { send(server.http + "/\(number)") }
        seen.wait(count: RequestLanes.width)
        // Another owner does not wait behind them, and neither does this one at another server.
        send(server.http + "/other", for: Intake())
        let other = try serve { connection in while connection.readRequest() != nil { connection.respond() } }
        send(other.http + "/")
        outcomes.wait(count: 1)
        seen.wait { $0.contains("GET /other HTTP/1.1") }
        XCTAssertEqual(seen.all.count, RequestLanes.width + 1)
        isTold.append(true)
        outcomes.wait(count: count + 2)
        XCTAssertEqual(failures, [])
        XCTAssertEqual(Set(seen.all).count, count + 1)
        XCTAssertLessThanOrEqual(server.connectionCount, RequestLanes.width + 1)
    }

    func testOneThatWaitsIsCancelledUnsent() throws {
        let (seen, isTold) = (Collected<String>(), Collected<Bool>())
        let server = try patient(seen, until: isTold)
        let running = (0..<RequestLanes.width).map { send(server.http + "/\($0)") }
        let waiting = send(server.http + "/cancelled")
        send(server.http + "/last")
        network.cancel(waiting)
        outcomes.wait(count: 1)
        XCTAssertEqual(failures, [.cancelled])
        // One that is under way makes room for the next, not for the one that is gone.
        network.cancel(running[0])
        seen.wait { $0.contains("GET /last HTTP/1.1") }
        isTold.append(true)
        outcomes.wait(count: RequestLanes.width + 2)
        XCTAssertEqual(failures, [.cancelled, .cancelled])
        XCTAssertFalse(seen.all.contains("GET /cancelled HTTP/1.1"))
    }

    func testOneThatWaitsTooLongTimesOutUnsent() throws {
        let (seen, isTold) = (Collected<String>(), Collected<Bool>())
        let server = try patient(seen, until: isTold)
        for number in 0..<RequestLanes.width { send(server.http + "/\(number)") }
        send(server.http + "/late", timeoutMS: 50)
        outcomes.wait(count: 1)
        XCTAssertEqual(failures, [.timedOut])
        isTold.append(true)
        outcomes.wait(count: RequestLanes.width + 1)
        XCTAssertFalse(seen.all.contains("GET /late HTTP/1.1"))
    }

    func testWhatFailsToBeginMakesRoom() throws {
        let server = try serve { connection in while connection.readRequest() != nil { connection.respond() } }
        for _ in 0..<(2 * RequestLanes.width) {
            let outcomes = outcomes
            network.send(
                HTTPRequest(method: "NO METHOD", url: server.http + "/"), for: intake
            ) { outcomes.append($0) }
        }
        send(server.http + "/")
        outcomes.wait(count: 2 * RequestLanes.width + 1)
        XCTAssertEqual(failures.count, 2 * RequestLanes.width)
        XCTAssertEqual(outcomes.all.count, 2 * RequestLanes.width + 1)
    }

    func testEachThatWaitsEndsWithTheThread() throws {
        let (seen, isTold) = (Collected<String>(), Collected<Bool>())
        let server = try patient(seen, until: isTold)
        let own = try XCTUnwrap(NetworkThread())
        let outcomes = outcomes
        for number in 0..<1000 {
            own.send(get(server.http + "/\(number)"), for: intake) { outcomes.append($0) }
        }
        seen.wait(count: RequestLanes.width)
        own.stopAndJoin()
        XCTAssertEqual(outcomes.all.count, 1000)
        XCTAssertEqual(failures.count, 1000)
        isTold.append(true)
    }
}
