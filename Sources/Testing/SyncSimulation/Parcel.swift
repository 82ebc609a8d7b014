import SyncModel

/// Something on its way through the simulated network. A value, so that a failing seed can show what was under way.
public enum Parcel {
    /// To the server.
    case request(UInt64, TransportRequest, Fate)
    case handshake(UInt64, url: String, headers: [TransportHeader])
    case textUp(UInt64, [UInt8])
    case closeUp(UInt64)
    case pongUp(UInt64)
    /// To the realtime database.
    case databaseRequest(UInt64, TransportRequest, Fate)
    case databaseStream(UInt64, TransportRequest)
    /// Of a file that the device's process receives, by the number of its request.
    case download(UInt64, DownloadNetwork.Step)
    /// To the device: what its process's transport reports. Nothing of it reaches a later process.
    case input(TransportInput, of: TransportOwner, process: Int)

    /// What becomes of a request once it is at the server.
    public enum Fate: String, Sendable {
        case answered
        /// Executed, and the answer gets lost or breaks off.
        case answerLost, answerReset, answerHalf
        /// The server's own faults.
        case rateLimited, broken, garbage
        /// It may not be done, or not so.
        case refused
        /// What stands before the service takes no file of that size.
        case tooLarge
        /// The page token it names is too old.
        case tokenExpired
    }
}

extension Parcel: CustomStringConvertible {
    public var description: String {
        switch self {
        case .request(let id, let request, let fate):
            "request \(id) \(request.method) \(Parcel.short(request.url.target))"
                + (fate == .answered ? "" : " to be \(fate)")
        case .handshake(let socket, _, _): "handshake of socket \(socket)"
        case .textUp(let socket, let text): "up \(socket) \(Parcel.short(String(decoding: text, as: UTF8.self)))"
        case .closeUp(let socket): "close of socket \(socket)"
        case .pongUp(let socket): "pong on socket \(socket)"
        case .databaseRequest(let id, let request, let fate):
            "database \(id) \(request.method) \(request.url) "
                + "\(String(decoding: request.body ?? [], as: UTF8.self))\(fate == .answered ? "" : " to be \(fate)")"
        case .databaseStream(let id, let request): "database \(id) stream \(request.url)"
        case .download(let id, let step): "download \(id) \(Parcel.brief(step))"
        case .input(let input, let owner, _): (owner == .database ? "database " : "") + Parcel.brief(input)
        }
    }

    private static func short(_ text: String) -> String {
        String(text.prefix(180)).filter { $0 != "\n" }
    }

    private static func brief(_ step: DownloadNetwork.Step) -> String {
        switch step {
        case .asked: "is asked"
        case .head(let status, let headers):
            "answered \(status) " + headers.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .end: "ends"
        case .failed(let failure): "fails: \(failure.kind)"
        }
    }

    private static func brief(_ input: TransportInput) -> String {
        switch input {
        case .response(let id, let response): "answer \(id) \(response.status), \(response.body.count) bytes"
        case .requestFailed(let id, let failure): "request \(id) failed: \(failure.message)"
        case .progress(let id, let done, let total): "progress \(id) \(done) of \(total ?? -1)"
        case .socketOpened(let socket): "socket \(socket) opened"
        case .socketText(let socket, let text): "down \(socket) \(short(String(decoding: text, as: UTF8.self)))"
        case .socketClosed(let socket, let failure): "socket \(socket) closed: \(failure.message)"
        case .streamOpened(let stream): "stream \(stream) opened"
        case .streamBytes(let stream, let bytes): "stream \(stream) \(short(String(decoding: bytes, as: UTF8.self)))"
        case .streamRefused(let stream, let response): "stream \(stream) refused \(response.status)"
        case .streamEnded(let stream, let failure): "stream \(stream) ended: \(failure?.message ?? "complete")"
        }
    }
}
