/// What tests want to go wrong. Nothing here touches the control endpoint itself.
final class FaultPlan {
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
    }

    struct Fault {
        let pathContains: String
        let kind: Kind
        let status: Int
        let executes: Bool
        let retryAfter: Int64
        var remaining: Int
    }

    struct Delay {
        let pathPrefix: String
        let milliseconds: Int64
    }

    var refusesConnections = false
    var delays: [Delay] = []
    private(set) var faults: [Fault] = []

    func add(_ fault: Fault) { faults.append(fault) }
    func clear() {
        faults = []
        delays = []
        refusesConnections = false
    }

    /// The fault that a request meets, which is used up by one.
    func take(for path: String) -> Fault? {
        guard let index = faults.firstIndex(where: { $0.remaining > 0 && path.contains(text: $0.pathContains) }) else {
            return nil
        }
        let fault = faults[index]
        faults[index].remaining -= 1
        if faults[index].remaining == 0 { faults.remove(at: index) }
        return fault
    }

    func delay(for path: String) -> Int64 {
        delays.last { path.hasPrefix($0.pathPrefix) }?.milliseconds ?? 0
    }

    /// What becomes of a request under a fault; `execute` does what was asked.
    static func answer(_ fault: Fault, _ execute: () -> HTTPResponse) -> HTTPResponse {
        switch fault.kind {
        case .rate:
            return .tooMany(limit: 5, wait: min(max(fault.retryAfter, 0), 1_000_000) * 1000)
        case .broken:
            return HTTPResponse(APIError(500_901, "Internal error.", status: fault.status))
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
