import Foundation
import SyncNetwork
import XCTest

/// A client's WebSocket whose events are collected.
final class SocketProbe: @unchecked Sendable {
    enum Event: Equatable {
        case opened
        case text(String)
        case closed(NetworkFailure.Kind, Int)
    }

    let network: NetworkThread
    let events = Collected<Event>()
    private let failures = Collected<NetworkFailure>()
    private(set) var id: UInt64 = 0

    init(_ network: NetworkThread, _ options: WebSocketOptions, for intake: Intake = Intake()) {
        self.network = network
        let (events, failures) = (events, failures)
        id = network.openSocket(options, for: intake) { event in
            switch event {
            case .opened: events.append(.opened)
            case .text(let bytes): events.append(.text(String(decoding: bytes, as: UTF8.self)))
            case .closed(let failure):
                events.append(.closed(failure.kind, failure.code))
                failures.append(failure)
            }
        }
    }

    func send(_ text: String) { network.sendText(id, Array(text.utf8)) }
    func close(_ code: UInt16 = 1000, _ reason: String = "") {
        network.closeSocket(id, code: code, reason: Array(reason.utf8))
    }

    func waitOpen() -> Bool { events.wait { !$0.isEmpty }.first == .opened }

    /// Waits for the end and returns why.
    @discardableResult
    func waitClosed(file: StaticString = #filePath, line: UInt = #line) throws -> NetworkFailure {
        let failure = try XCTUnwrap(failures.wait(count: 1).first, "not closed", file: file, line: line)
        XCTAssertFalse(failure.message.isEmpty, file: file, line: line)
        return failure
    }

    var texts: [String] {
        events.all.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
