import Foundation
import SyncNetwork
import XCTest

/// A test that holds the network thread and a set of servers.
class NetworkTestCase: XCTestCase {
    private(set) var network: NetworkThread!
    private var cleanups: [() -> Void] = []

    override func setUpWithError() throws {
        network = try NetworkThread.acquire()
    }

    override func tearDown() {
        NetworkThread.release()
        network = nil
        for cleanup in cleanups.reversed() { cleanup() }
        cleanups = []
    }

    func serve(_ body: @escaping @Sendable (TestConnection) -> Void) throws -> TestServer {
        let server = try TestServer(serve: body)
        cleanups.append { server.stop() }
        return server
    }

    func atEnd(_ body: @escaping () -> Void) { cleanups.append(body) }

    typealias Outcome = Result<HTTPResponse, NetworkFailure>

    /// Sends and waits for the one completion.
    func exchange(_ request: HTTPRequest, file: StaticString = #filePath, line: UInt = #line) throws -> Outcome {
        let outcomes = Collected<Outcome>()
        network.send(request) { outcomes.append($0) }
        return try XCTUnwrap(outcomes.wait(count: 1).first, "no completion", file: file, line: line)
    }

    func response(_ request: HTTPRequest, file: StaticString = #filePath, line: UInt = #line) throws -> HTTPResponse {
        try exchange(request, file: file, line: line).get()
    }

    func failure(_ request: HTTPRequest, file: StaticString = #filePath, line: UInt = #line) throws -> NetworkFailure {
        switch try exchange(request, file: file, line: line) {
        case .failure(let failure):
            XCTAssertFalse(failure.message.isEmpty, file: file, line: line)
            XCTAssertFalse(failure.message.contains("\n"), file: file, line: line)
            return failure
        case .success(let response):
            XCTFail("answered with \(response.status)", file: file, line: line)
            throw NetworkFailure(.cancelled, "answered")
        }
    }

    func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url) }
}

/// How many descriptors this process has open.
func openDescriptors() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0)
}
