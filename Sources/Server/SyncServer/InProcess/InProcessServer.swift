import ServerBase
import ServerChat
import ServerHTTP
import ServerRealtime
import SyncBytes
import SyncJSON

/// The answer to a request.
public typealias HTTPResponse = ServerHTTP.HTTPResponse

/// The embedded server within a process: no descriptor, no thread and no time but those of its owner. All that the
/// chat does is the same code that serves the network; only framing and HTTP's own syntax are left out.
///
/// Everything happens within the calls, on the caller's thread; one thread at a time. With the same options, start,
/// seed and calls, every byte it gives is the same.
///
/// It does not have the limits of WebSocket frames (4 MiB a text, 16 MiB waiting), and does not refuse texts that are
/// not UTF-8, as libwslay does.
public final class InProcessServer {
    /// The token of the administration.
    public let apiToken: String
    /// The users there are from the start, with their access tokens.
    public let users: [ServerOptions.SeedUser]

    private let core: ServerCore
    private let clock: Clock

    /// Makes a server and fills it as the options say; they name the same things as the program's command line.
    ///
    /// - Parameters:
    ///   - time: where its clock stands, in milliseconds since the epoch.
    ///   - seed: of session keys, tokens and ids.
    /// - Throws: when SQLite refuses the database, or something to import cannot be read.
    public init(_ options: ServerOptions = ServerOptions(), time: Int64, seed: UInt64) throws {
        clock = Clock(virtualTime: time)
        core = try ServerCore(options, clock: clock, random: RandomSource(seed: seed))
        apiToken = core.apiToken
        users = try core.start().users.map { ServerOptions.SeedUser(id: $0.id, token: $0.accessToken) }
    }

    // MARK: Time

    /// The time its owner has moved it to. What messages carry may be later: the control endpoint can move the chat's
    /// clock on, and it never falls behind what is stored.
    public var time: Int64 { clock.monotonic() }

    /// When it next has something to do by itself.
    public var nextDeadline: Int64? { core.timers.nextDue }

    /// Lets the time pass until `time`: what comes due meanwhile is done at its own time. An earlier time does nothing.
    public func advance(to time: Int64) {
        while let due = core.timers.nextDue, due <= time {
            clock.move(to: due)
            core.timers.runDue()
        }
        clock.move(to: time)
    }

    // MARK: Requests

    /// The outcome of a request.
    public struct Reply {
        public let response: HTTPResponse
        /// How much later the answer goes out, in milliseconds; the request was executed already.
        public let delay: Int64
    }

    /// Answers a request, of REST or to the control endpoint.
    ///
    /// - Parameters:
    ///   - target: path and query, percent-encoded, as in the request line.
    ///   - headers: names in any case; a request to upgrade is answered with 400, sockets come by `openSocket`.
    public func answer(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) -> Reply {
        guard body.count <= HTTPRequest.bodyLimit else { return Reply(response: .tooLarge, delay: 0) }
        return reply(core.answer(InProcessServer.request(method, target, headers, body)))
    }

    /// Answers a request to the database; event streams come by `openStream`.
    public func answerDatabase(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) -> Reply {
        guard body.count <= HTTPRequest.bodyLimit else {
            return Reply(response: DatabaseRefusal.tooLarge.response, delay: 0)
        }
        return reply(core.answer(InProcessServer.request(method, target, headers, body), at: .database))
    }

    private func reply(_ answer: HTTPAnswer) -> Reply {
        switch answer {
        case .response(let response): return Reply(response: response, delay: 0)
        case .delayed(let answer, let milliseconds):
            // As long as a timer of the server waits at most.
            return Reply(response: reply(answer).response, delay: min(max(milliseconds, 0), 86_400_000))
        case .stream: return Reply(response: DatabaseRefusal(400, "Streams are opened apart.").response, delay: 0)
        case .upgrade:
            return Reply(response: HTTPResponse(Refusal.invalid("Upgrade", "sockets are opened apart")), delay: 0)
        }
    }

    /// The outcome of a request for an event stream.
    public enum Listening {
        case opened(InProcessStream)
        case refused(HTTPResponse)
    }

    /// Opens an event stream of the database at once; a delay that was asked for is left out.
    public func openStream(_ target: String, headers: [(String, String)] = []) -> Listening {
        let accept = [("Accept", "text/event-stream")]
        var answer = core.answer(InProcessServer.request("GET", target, accept + headers, []), at: .database)
        while case .delayed(let inner, _) = answer { answer = inner }
        guard case .stream(_, let opened) = answer else { return .refused(reply(answer).response) }
        let stream = InProcessStream()
        opened(stream)
        return .opened(stream)
    }

    /// The outcome of a handshake.
    public enum Opening {
        /// A socket. The LOGI that waits in it says whether its user has logged in.
        case opened(InProcessSocket)
        case refused(HTTPResponse)
    }

    /// Opens a socket as a handshake with this target and these headers would.
    public func openSocket(_ target: String, headers: [(String, String)] = []) -> Opening {
        let handshake = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ]
        switch core.answer(InProcessServer.request("GET", target, handshake + headers, [])) {
        case .upgrade(_, _, let opened):
            let socket = InProcessSocket()
            opened(socket)
            return .opened(socket)
        case let other: return .refused(reply(other).response)
        }
    }

    private static func request(
        _ method: String, _ target: String, _ headers: [(String, String)], _ body: [UInt8]
    ) -> HTTPRequest {
        var values: TextMap<String> = [:]
        for (name, value) in headers where values[name.lowercased()] == nil { values[name.lowercased()] = value }
        let known = values
        return HTTPRequest(method: method, target: RequestTarget(Array(target.utf8)), body: body) {
            known[$0.lowercased()]
        }
    }

    // MARK: End

    /// Ends it as a signal ends the program: sockets hear 1001, and everything is stored. It must not be used any more.
    public func close() {
        core.stop()
        core.close()
    }
}
