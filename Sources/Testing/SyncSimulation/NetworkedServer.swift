import SyncJSON
import SyncModel
import SyncServer

/// The service at the other end of a simulated network. What comes in has arrived: it is answered at once.
public protocol NetworkedServer: AnyObject {
    /// Carries a request out, or spoils it as its fate says. `target`: path and query.
    func answer(
        _ method: String, _ target: String, _ headers: [TransportHeader], _ body: [UInt8], _ fate: Parcel.Fate
    ) -> InProcessServer.Reply
    func openSocket(_ target: String, _ headers: [TransportHeader]) -> InProcessServer.Opening
    func receive(_ text: [UInt8], on socket: InProcessSocket?)
    /// Requests to the realtime database.
    func answerDatabase(_ request: TransportRequest, _ target: String) -> HTTPResponse
    func openStream(_ target: String) -> InProcessServer.Listening
}

extension InProcessServer {
    /// Answers a request, or spoils it as its fate says. The server must have its control endpoint.
    public func answer(
        _ method: String, _ target: String, _ headers: [TransportHeader], _ body: [UInt8], _ fate: Parcel.Fate
    ) -> Reply {
        if let fault = fate.fault { _ = answer("POST", "/control/fault", body: fault.serialized()) }
        return answer(method, target, headers: headers.map { ($0.name, $0.value) }, body: body)
    }
}

extension InProcessServer.Reply {
    /// What becomes of an answer that the server itself lets break off, leaves out or delays beyond the request's
    /// timeout; `nil`: it comes whole.
    func failure(within timeout: Int64) -> TransportFailure? {
        if delay > timeout { return TransportFailure(kind: .timedOut, message: "timed out") }
        return switch response.delivery {
        case .whole: nil
        case .half: TransportFailure(kind: .failed, message: "the answer broke off")
        case .none: TransportFailure(kind: .failed, message: "the connection was closed without an answer")
        }
    }
}

extension Parcel.Fate {
    /// What the control endpoint is told, so that the next request meets this fate.
    fileprivate var fault: JSON? {
        switch self {
        case .rateLimited: .object(["kind": "429", "retry_after": 2])
        case .broken: .object(["kind": "5xx", "status": 502])
        case .garbage: .object(["kind": "garbage"])
        case .refused: .object(["kind": "refuse"])
        case .tooLarge: .object(["kind": "5xx", "status": 413])
        case .answered, .answerLost, .answerReset, .answerHalf, .tokenExpired: nil
        }
    }
}
