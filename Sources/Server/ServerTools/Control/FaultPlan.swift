import ServerBase
import ServerHTTP
import SyncBytes

/// The faults that tests have asked for. The control endpoint itself has none.
public final class FaultPlan {
    enum Kind: String {
        /// Answered with 429 and not executed.
        case rate = "429"
        /// Answered with a 500 and not executed.
        case broken = "5xx"
        /// Executed; the answer is something else than JSON.
        case garbage
        /// Executed; the answer breaks off in its middle.
        case halfBody = "half_body"
        /// Not executed (unless asked for); the connection closes without an answer.
        case close
        /// Not executed; answered with a given code.
        case refuse
        /// Not executed; sent to another address with 307.
        case redirect
        /// A command only: not executed and not answered.
        case ignore
    }

    public struct Fault {
        /// A part of the paths of requests; empty when the fault is about commands.
        let pathContains: String
        /// The four letters of commands; empty when the fault is about requests.
        let command: String
        /// The user whose requests or commands have the fault; empty for all users.
        let userID: String
        let kind: Kind
        let status: Int
        let code: Int
        let message: String
        let executes: Bool
        let retryAfter: Int64
        /// Where a redirected request goes: scheme and host; empty for the address by which it came.
        let location: String
        var remaining: Int

        /// Whether the command is ignored: it is not executed, and not answered.
        public var isIgnored: Bool { kind == .ignore }
        /// The error that a refused command gets.
        public var error: Refusal { Refusal(code, message, status: status) }
    }

    /// Logins that are put off: their sockets get BUSY instead of a greeting.
    struct Busy {
        let userID: String
        let frame: [UInt8]
        var remaining: Int
    }

    struct Delay {
        let pathPrefix: String
        let milliseconds: Int64
    }

    /// Whether every request ends its connection without an answer.
    public internal(set) var refusesConnections = false
    var delays: [Delay] = []
    private(set) var faults: [Fault] = []
    private var busy: Busy?

    func add(_ fault: Fault) { faults.append(fault) }
    func clear() {
        faults = []
        delays = []
        refusesConnections = false
        busy = nil
    }

    func putOffLogins(_ busy: Busy) { self.busy = busy }

    /// The frame that a login of a user gets instead of its greeting; `nil` when it is not put off.
    public func takeBusy(_ userID: String) -> [UInt8]? {
        guard let found = busy, found.remaining > 0, found.userID.isEmpty || found.userID.isByteEqual(to: userID) else {
            return nil
        }
        busy?.remaining -= 1
        return found.frame
    }

    /// The fault for a request, if there is one. It counts as used once more.
    public func take(for path: String) -> Fault? {
        take { $0.command.isEmpty && path.contains(text: $0.pathContains) }
    }

    /// The fault for a socket's command, if there is one. It counts as used once more.
    public func take(command: String, of userID: String) -> Fault? {
        take { $0.command.isByteEqual(to: command) && ($0.userID.isEmpty || $0.userID.isByteEqual(to: userID)) }
    }

    private func take(_ isMeant: (Fault) -> Bool) -> Fault? {
        guard let index = faults.firstIndex(where: isMeant) else { return nil }
        let fault = faults[index]
        faults[index].remaining -= 1
        if faults[index].remaining == 0 { faults.remove(at: index) }
        return fault
    }

    /// How much later a request is to be answered, in milliseconds.
    public func delay(for path: String) -> Int64 {
        delays.last { path.beginsWithBytes(of: $0.pathPrefix) }?.milliseconds ?? 0
    }

    /// The answer to a request that has a fault; `execute` does what was asked, `refusal` makes the answer for a
    /// refusal.
    public static func answer(
        _ fault: Fault, _ request: HTTPRequest, _ refusal: (Refusal) -> HTTPResponse, _ execute: () -> HTTPResponse
    ) -> HTTPResponse {
        switch fault.kind {
        case .redirect:
            let base = fault.location.isEmpty ? "http://" + (request.header("Host") ?? "127.0.0.1") : fault.location
            return HTTPResponse(status: 307, body: [], headers: [("Location", base + request.target.raw)])
        case .rate:
            return .tooMany(limit: 5, wait: min(max(fault.retryAfter, 0), 1_000_000) * 1000)
        case .broken:
            return refusal(Refusal(500_901, "Internal error.", status: fault.status))
        case .refuse, .ignore:
            return refusal(fault.error)
        case .garbage:
            _ = execute()
            return HTTPResponse(body: Array("<html>\u{1}it is not JSON {\"messages\":[".utf8))
        case .halfBody:
            var response = execute()
            response.delivery = .half
            return response
        case .close:
            if fault.executes { _ = execute() }
            return HTTPResponse(body: [], delivery: .none)
        }
    }
}
