import SyncJSON
import SyncModel

@testable import SyncSendbird

/// A service machine with a clock, and what comes out of it as short lines.
final class ServiceHarness {
    let service = SendbirdService(
        appID: "APP", userID: "me", apiHost: "http://a", wsHost: "ws://w", libraryVersion: "0.1.0")
    var now = Moment(monotonic: 1_000_000, wall: 1_700_000_000_000)

    /// What came out since it was asked last.
    func out() -> [String] { service.takeOutputs().map(ServiceHarness.text) }

    private static func text(_ output: ServiceOutput) -> String {
        switch output {
        case .transport(.send(let request, let id)):
            let path = request.url.split(separator: "?")[0].dropFirst("http://a/v3".utf8.count)
            let key = request.headers.first { $0.name == "Session-Key" || $0.name == "Access-Token" }?.value ?? "-"
            return "http \(id) \(request.method) \(path) by \(key) within \(request.timeout)"
        case .transport(.cancel(let id)): return "cancel \(id)"
        case .transport(.discard(let id)): return "discard \(id)"
        case .transport(.openSocket(let socket, _, let headers)):
            let words = headers.map { "\($0.name.split(separator: "-").last ?? "") \($0.value)" }
            return "open \(socket) by " + words.joined(separator: ", ")
        case .transport(.sendText(let text, let socket)):
            return "text \(socket) " + String(decoding: text.dropLast(), as: UTF8.self)
        case .transport(.closeSocket(let socket)): return "close \(socket)"
        case .transport(.openStream(let stream, let request)): return "stream \(stream) \(request.url)"
        case .transport(.closeStream(let stream)): return "close stream \(stream)"
        case .event(let event): return Described.text(event)
        case .progress(let id, let done, let total): return "progress \(id) \(done) of \(total ?? -1)"
        case .reply(let id, let reply): return "reply \(id) \(Described.text(reply))"
        }
    }

    func connect(_ token: String = "tok") -> [String] {
        service.connect(SessionStart(token: token), now: now)
        return out()
    }

    func opened(_ socket: UInt64) -> [String] {
        service.receive(.socketOpened(socket), now: now)
        return out()
    }

    func received(_ text: String, on socket: UInt64 = 1) -> [String] {
        service.receive(.socketText(socket, Array((text + "\n").utf8)), now: now)
        return out()
    }

    func closed(_ socket: UInt64, _ kind: TransportFailure.Kind = .failed) -> [String] {
        service.receive(.socketClosed(socket, TransportFailure(kind: kind, message: "why")), now: now)
        return out()
    }

    func ask(_ request: ServiceRequest, id: UInt64, timeout: Int64 = 10_000) -> [String] {
        service.ask(request, id: id, timeout: timeout, now: now)
        return out()
    }

    func answered(_ exchange: UInt64, _ body: String, status: Int = 200) -> [String] {
        let response = TransportResponse(status: status, headers: [], body: Array(body.utf8))
        service.receive(.response(id: exchange, response), now: now)
        return out()
    }

    func unanswered(_ exchange: UInt64, _ kind: TransportFailure.Kind) -> [String] {
        service.receive(.requestFailed(id: exchange, TransportFailure(kind: kind, message: "why")), now: now)
        return out()
    }

    /// Time passes; what is due on the way is done when it is due.
    func wait(_ time: Int64) -> [String] {
        let end = now.monotonic + time
        var result: [String] = []
        while let deadline = service.nextDeadline, deadline <= end {
            now.monotonic = max(now.monotonic, deadline)
            service.advance(now: now)
            result += out()
        }
        now.monotonic = end
        return result
    }

    /// A session that has begun: socket 1, session key "KEY", pings every 15 s answered within 5 s.
    static func online() -> ServiceHarness {
        let harness = ServiceHarness()
        _ = harness.connect()
        _ = harness.opened(1)
        _ = harness.received(FrameDecoder.loginFrame)
        return harness
    }
}
