/// What other threads ask of the network thread.
enum NetworkCommand: Sendable {
    case send(UInt64, HTTPRequest, HTTPCompletion)
    case cancel(UInt64)
    case open(UInt64, WebSocketOptions, SocketHandler)
    case text(UInt64, [UInt8])
    case close(UInt64, code: UInt16, reason: [UInt8])

    /// Answers a command that no thread will take: every request gets its one completion, every socket its end.
    func refuse(_ failure: NetworkFailure) {
        switch self {
        case .send(_, _, let completion): completion(.failure(failure))
        case .open(_, _, let handler): handler(.closed(failure))
        case .cancel, .text, .close: break
        }
    }
}

typealias HTTPCompletion = @Sendable (Result<HTTPResponse, NetworkFailure>) -> Void
typealias SocketHandler = @Sendable (SocketEvent) -> Void
