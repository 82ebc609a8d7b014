import Foundation
import XCTest

/// The embedded server as a program of its own, with the realtime database on a free port.
final class DatabaseServer {
    let url: String
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let products = Bundle(for: NetworkTestCase.self).bundleURL
        process.executableURL = products.appendingPathComponent("syncmanager-server")
        // It ends when this pipe does, so it cannot outlive the test.
        process.arguments = ["--database-port", "0", "--keep-alive", "1", "--exit-with-stdin"]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            line += data
            if line.last == UInt8(ascii: "\n") { break }
        }
        let ready = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        url = try XCTUnwrap(ready?["database_url"] as? String, "the server did not start")
    }

    /// Ends it at once: its connections break.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
