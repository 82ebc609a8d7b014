import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON
import XCTest

@testable import ServerRoutes

/// The routes of a strict server, without anything around them, and what their handlers have read so far.
final class RoutesClient {
    /// Of one route, over all requests that came to it.
    struct Reads {
        var query: Set<String> = []
        var body: Set<String> = []
        var acceptedQuery: Set<String> = []
        var acceptedBody: Set<String> = []
        var strays: Set<String> = []
        var hasSucceeded = false
    }

    private(set) var reads: [String: Reads] = [:]
    let chat: Chat
    private let router: Router
    private let clock = Clock(virtualTime: 1_700_000_000_000)
    private var last = ""

    init() throws {
        let timers = TimerQueue(clock: clock)
        let storage = try Storage(path: ":memory:", random: RandomSource(seed: 1))
        chat = Chat(
            storage: storage, clock: clock, timers: timers, hub: SocketHub(clock: clock, timers: timers),
            options: ChatOptions())
        router = Router(
            chat: chat, options: RouterOptions(apiToken: "secret", origin: "http://127.0.0.1:1", isStrict: true), limiter: nil
        )
        router.onReads = { [unowned self] route, query, body in
            last = Self.name(route)
            reads[last, default: Reads()].query.formUnion(query.read)
            reads[last, default: Reads()].body.formUnion(body.read)
            reads[last, default: Reads()].acceptedQuery.formUnion(query.accepted ?? [])
            reads[last, default: Reads()].acceptedBody.formUnion(body.accepted ?? [])
            reads[last, default: Reads()].strays.formUnion(query.strays.union(body.strays))
        }
    }

    static func name(_ route: Route) -> String { "\(route.method) \(route.template)" }

    /// A request of the administration, or of the user with this session key. A path begins behind the version, unless
    /// with a slash. The answer's status must be the expected one.
    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String = "", key: String? = nil, headers: [String: String] = [:],
        status: Int = 200, line: UInt = #line
    ) throws -> JSON {
        clock.move(to: clock.monotonic() + 10)
        var known = headers
        if let key { known["Session-Key"] = key } else { known["Api-Token"] = "secret" }
        let values = known
        let target = RequestTarget(Array((path.first == "/" ? path : "/v3/" + path).utf8))
        let response = router.answer(
            HTTPRequest(method: method, target: target, body: Array(body.utf8)) { values[$0] })
        let text = String(decoding: response.body, as: UTF8.self)
        XCTAssertEqual(response.status, status, "\(method) \(path): \(text)", line: line)
        if response.status < 300 { reads[last]?.hasSucceeded = true }
        return (try? JSON.parse(response.body)) ?? .object()
    }

    /// A form with a file under this name.
    @discardableResult
    func upload(
        _ method: String, _ path: String, _ file: String, _ fields: [String: String] = [:], line: UInt = #line
    ) throws -> JSON {
        var body = ""
        for (name, value) in fields {
            body += "--xx\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        body += "--xx\r\nContent-Disposition: form-data; name=\"\(file)\"; filename=\"a.txt\"\r\n"
        body += "Content-Type: text/plain\r\n\r\nhello\r\n--xx--\r\n"
        return try ask(
            method, path, body, headers: ["Content-Type": "multipart/form-data; boundary=xx"], line: line)
    }
}
